import { assert, describe, it } from "@effect/vitest"
import { windowOf } from "../../src/claude/session/Context.ts"
import { makeEnd } from "./support/ClaudePort.ts"

const answer = (usage: unknown, message: object = {}, more: object = {}) => ({
  type: "assistant",
  timestamp: "2026-03-01T08:00:00.000Z",
  message: { model: "claude-opus-5-5", usage, ...message },
  ...more
})
const at = Date.parse("2026-03-01T08:00:00.000Z")
const contextOf = (record: Record<string, unknown>, writtenAt: number) => {
  const end = makeEnd()
  end.take(record, writtenAt)
  return end.result().context
}

describe("claude-code#context-in-use", () => {
  it("context in use is what the model read: input, from the cache and into it; what it wrote is not", () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 40_000,
      cache_creation_input_tokens: 300,
      output_tokens: 900
    }
    assert.deepStrictEqual(contextOf(answer(usage), 0), {
      tokens: 40_305,
      window: 1_000_000,
      model: "claude-opus-5-5",
      at
    })
    for (const none of [{ input_tokens: 0 }, {}, null, "40000", { input_tokens: "40000" }, { input_tokens: -1 }]) {
      assert.isUndefined(contextOf(answer(none), 0), JSON.stringify(none))
    }
    assert.isUndefined(contextOf(answer({ input_tokens: 9 }, { model: "<synthetic>" }), 0))
  })

  it("a window is known of models that were seen, and of the suffix that asks for a larger one", () => {
    assert.deepStrictEqual(
      [
        "claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5[1m]",
        "claude-opus-5-5",
        "claude-of-tomorrow",
        "other",
        ""
      ].map(windowOf),
      [200_000, 200_000, 1_000_000, 1_000_000, undefined, undefined, undefined]
    )
    const sonnet = { model: "claude-sonnet-4-5" }
    const windowFor = (tokens: number, more: object) =>
      contextOf(answer({ input_tokens: tokens }, sonnet, more), 0)?.window
    assert.strictEqual(windowFor(9, {}), 200_000)
    // The answer names the model alone; what was asked for names the window.
    assert.strictEqual(windowFor(9, { requestedModel: "claude-sonnet-4-5[1m]" }), 1_000_000)
    // More than fits was in use: the window is another one.
    assert.isUndefined(windowFor(200_001, {}))
  })
})
