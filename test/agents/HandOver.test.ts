import { describe } from "vitest"
import { handOver } from "./HandOvers.ts"

describe("behaviour#hand-over", () => {
  handOver("codex", "pi", { flags: ["--tools", "read,edit,write,grep,find,ls"] })
  handOver("pi", "codex")
})
