import { assert, describe, it } from "@effect/vitest"
import { modeIn } from "../../src/claude/session/Mode.ts"

describe("behaviour#permission-ceiling", () => {
  it("the newest record of a mode tells what Claude Code may do, and a mode that is not known asks", () => {
    for (const [permissionMode, mode] of [
      ["plan", "plan"],
      ["default", "asks"],
      ["manual", "asks"],
      ["dontAsk", "asks"],
      ["mode-of-tomorrow", "asks"],
      ["acceptEdits", "acceptEdits"],
      ["auto", "acceptEdits"],
      ["bypassPermissions", "bypassPermissions"]
    ] as const) {
      assert.strictEqual(modeIn({ type: "permission-mode", permissionMode }), mode)
      assert.strictEqual(modeIn({ type: "user", permissionMode, message: {} }), mode)
    }
  })

  it("a subagent's mode, another record and one without a mode tell nothing", () => {
    for (const record of [
      { type: "user", permissionMode: "plan", isSidechain: true },
      { type: "assistant", permissionMode: "plan" },
      { type: "permission-mode" },
      { type: "user", permissionMode: 8 }
    ])
      assert.isUndefined(modeIn(record))
  })
})
