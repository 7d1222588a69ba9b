import { assert, describe, it } from "@effect/vitest"
import { modeIn } from "../../src/claude/session/Mode.ts"
import { copilotMode } from "../../src/copilot/CopilotSayings.ts"
import { openCodeMode } from "../../src/opencode/OpenCodeSayings.ts"

/** The records by which an agent tells its mode, or does not. Those of Codex need more than one record. */
const modes = [
  ...(
    ["plan", "default", "manual", "dontAsk", "mode-of-tomorrow", "acceptEdits", "auto", "bypassPermissions"] as const
  ).flatMap((permissionMode) => {
    const mode =
      permissionMode === "auto"
        ? "acceptEdits"
        : /^(?:default|manual|dontAsk|mode)/u.test(permissionMode)
          ? "asks"
          : permissionMode
    return [
      [modeIn, { type: "permission-mode", permissionMode }, mode],
      [modeIn, { type: "user", permissionMode, message: {} }, mode]
    ] as const
  }),
  [modeIn, { type: "user", permissionMode: "plan", isSidechain: true }, undefined],
  [modeIn, { type: "assistant", permissionMode: "plan" }, undefined],
  [modeIn, { type: "permission-mode" }, undefined],
  [modeIn, { type: "user", permissionMode: 8 }, undefined],
  [copilotMode, { type: "user.message", data: { content: "Sing.", agentMode: "plan" } }, "plan"],
  [copilotMode, { type: "user.message", data: { content: "Sing.", agentMode: "autopilot" } }, "bypassPermissions"],
  [
    copilotMode,
    { type: "session.mode_changed", data: { previousMode: "plan", newMode: "interactive" } },
    "bypassPermissions"
  ],
  [copilotMode, { type: "session.mode_changed", data: { previousMode: "interactive", newMode: "plan" } }, "plan"],
  [copilotMode, { type: "user.message", data: { content: "Sing." } }, undefined],
  [copilotMode, { type: "assistant.message", data: { agentMode: "plan" } }, undefined],
  [openCodeMode, { info: { role: "user", agent: "plan" } }, "plan"],
  [openCodeMode, { info: { role: "user", agent: "build" } }, "bypassPermissions"],
  [openCodeMode, { info: { role: "assistant", agent: "plan" } }, undefined],
  [openCodeMode, { part: {} }, undefined]
] as const

describe("behaviour#permission-ceiling", () => {
  it("a record tells the mode of a session, and a mode that is not known asks", () => {
    for (const [read, record, mode] of modes) assert.strictEqual(read(record), mode, JSON.stringify(record))
  })
})
