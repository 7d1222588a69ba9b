import { assert, describe, it } from "@effect/vitest"
import { codexCompactPrompt } from "../../src/codex/command/CodexLaunch.ts"
import { rolloutModes } from "../../src/codex/session/RolloutMode.ts"

const turn = (type: string, approval_policy: string, mode = "default") => ({
  type: "turn_context",
  payload: { approval_policy, collaboration_mode: { mode }, sandbox_policy: { type } }
})
const prompt = (text: string) => ({
  type: "response_item",
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] }
})
const began = { type: "event_msg", payload: { type: "task_started" } }
const compacted = { type: "compacted", payload: { message: "So far." } }
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
    assert.strictEqual(newest(began, turn("workspace-write", "on-request")), "acceptEdits")
    assert.strictEqual(newest(began, turn("workspace-write", "untrusted")), "asks")
    assert.strictEqual(newest(began, turn("read-only", "never")), "asks")
    assert.strictEqual(newest(began, turn("workspace-write", "on-request", "plan")), "plan")
    assert.strictEqual(newest(began, turn("danger-full-access", "never")), "bypassPermissions")
    assert.strictEqual(newest(began, turn("danger-full-access", "on-request")), "acceptEdits")
    assert.strictEqual(newest(turn("read-only", "never"), began, turn("workspace-write", "never")), "acceptEdits")
    assert.isUndefined(newest(prompt("x")))
  })

  it("a turn in which souffleur compacted the session tells nothing of its mode", () => {
    const compacting = [turn("read-only", "never"), prompt(codexCompactPrompt)]
    assert.strictEqual(newest(turn("workspace-write", "never"), prompt("work"), ...compacting), "acceptEdits")
    assert.strictEqual(newest(...compacting, turn("read-only", "never"), prompt("look")), "asks")
  })

  it("a compaction within a turn writes its mode anew, and that turn's prompt tells whose it is", () => {
    const work = [began, turn("workspace-write", "never"), prompt("work")]
    const [again, looking] = [compacted, turn("read-only", "never")]
    const ours = [began, compacted, looking, prompt(codexCompactPrompt)]
    assert.strictEqual(newest(...work, ...ours, again, looking), "acceptEdits")
    assert.strictEqual(newest(...work, ...ours, again, looking, again, looking), "acceptEdits")
    assert.strictEqual(newest(...work, began, looking, prompt("look"), again, looking), "asks")
    // It was ended right after its compaction.
    assert.strictEqual(newest(...work, began, compacted, looking), "acceptEdits")
    assert.strictEqual(newest(...work, began, looking), "asks")
  })
})
