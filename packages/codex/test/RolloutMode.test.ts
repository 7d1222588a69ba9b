import { assert, describe, it } from "@effect/vitest"
import { compactPrompt } from "../src/command/CodexLaunch.ts"
import { rolloutModes } from "../src/session/RolloutMode.ts"

const turn = (type: string, approval_policy: string, mode = "default") => ({
  type: "turn_context",
  payload: { approval_policy, collaboration_mode: { mode }, sandbox_policy: { type } }
})
const prompt = (text: string) => ({
  type: "response_item",
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] }
})
const newest = (...records: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
  const modeIn = rolloutModes()
  return records
    .toReversed()
    .map((record) => modeIn(record))
    .find((mode) => mode !== undefined)
}

describe("behaviour#permission-ceiling", () => {
  it("the newest turn of Codex tells its mode by its sandbox and by what it asks for", () => {
    assert.strictEqual(newest(turn("workspace-write", "never"), prompt("x")), "acceptEdits")
    assert.strictEqual(newest(turn("workspace-write", "on-request")), "acceptEdits")
    assert.strictEqual(newest(turn("workspace-write", "untrusted")), "asks")
    assert.strictEqual(newest(turn("read-only", "never")), "asks")
    assert.strictEqual(newest(turn("workspace-write", "on-request", "plan")), "plan")
    assert.strictEqual(newest(turn("danger-full-access", "never")), "bypassPermissions")
    assert.strictEqual(newest(turn("danger-full-access", "on-request")), "acceptEdits")
    assert.strictEqual(newest(turn("read-only", "never"), turn("workspace-write", "never")), "acceptEdits")
    assert.isUndefined(newest(prompt("x")))
  })

  it("a turn in which souffleur compacted the session tells nothing of its mode", () => {
    const compacting = [turn("read-only", "never"), prompt(compactPrompt)]
    assert.strictEqual(newest(turn("workspace-write", "never"), prompt("work"), ...compacting), "acceptEdits")
    assert.strictEqual(newest(...compacting, turn("read-only", "never"), prompt("look")), "asks")
  })
})
