import { assert, describe, it } from "@effect/vitest"
import { copilotMode } from "../../src/copilot/CopilotSayings.ts"

describe("behaviour#permission-ceiling", () => {
  for (const [record, mode] of [
    [{ type: "user.message", data: { content: "Sing.", agentMode: "plan" } }, "plan"],
    [{ type: "user.message", data: { content: "Sing.", agentMode: "autopilot" } }, "bypassPermissions"],
    [{ type: "session.mode_changed", data: { previousMode: "plan", newMode: "interactive" } }, "bypassPermissions"],
    [{ type: "session.mode_changed", data: { previousMode: "interactive", newMode: "plan" } }, "plan"],
    [{ type: "user.message", data: { content: "Sing." } }, undefined],
    [{ type: "assistant.message", data: { agentMode: "plan" } }, undefined]
  ] as const)
    it(`the mode of a session, by ${JSON.stringify(record)}`, () => assert.strictEqual(copilotMode(record), mode))
})
