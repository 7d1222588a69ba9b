import { describe } from "vitest"
import { handOver } from "./HandOvers.ts"

describe("behaviour#hand-over", () => {
  for (const to of ["qwen", "copilot", "gemini", "opencode"] as const) handOver("pi", to)
  for (const from of ["qwen", "gemini", "copilot", "opencode"] as const) handOver(from, "pi")
  handOver("claude", "codex", { flags: ["-s", "workspace-write"] })
  handOver("codex", "claude", { flags: ["--permission-mode", "acceptEdits"] })
})
