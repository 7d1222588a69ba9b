import { describe } from "vitest"
import { handOver } from "./HandOvers.ts"

describe("behaviour#hand-over", () => {
  handOver("pi", "codex")
})
