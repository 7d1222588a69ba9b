import { assert, describe, it } from "@effect/vitest"
import { agentPid } from "../../src/claude/hooks/ClaudeHook.ts"

describe("claude-code#environment", () => {
  it("the agent's process comes from the environment, if its number can be a pid", () => {
    assert.deepStrictEqual(
      ["4711", "", "0", "-1", "12345678", "1e3", undefined].map((CLAUDE_PID) => agentPid({ CLAUDE_PID })),
      [4711, ...Array.from({ length: 6 }, () => undefined)]
    )
  })
})
