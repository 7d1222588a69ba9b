import { assert, describe, it } from "@effect/vitest"
import { type StateWord, stateLine, urgentFirst } from "../src/describe/StateWord.ts"

const at = (state: StateWord, at: number) => ({ state, at })

describe("command-line#state-words", () => {
  it("a person's need comes first, then recoveries, work and ends, and of the same word the newest event", () => {
    const given = [
      at("ended", 9),
      at("working", 8),
      at("needs you", 1),
      at("recovering", 7),
      at("idle", 3),
      at("needs you", 2)
    ]
    const then = [
      at("needs you", 2),
      at("needs you", 1),
      at("idle", 3),
      at("recovering", 7),
      at("working", 8),
      at("ended", 9)
    ]
    assert.deepStrictEqual(
      urgentFirst(given, (one) => one),
      then
    )
    assert.deepStrictEqual(
      urgentFirst(given.toReversed(), (one) => one),
      then
    )
  })

  it("a state has further words only where they say more", () => {
    assert.strictEqual(stateLine("working", "watching"), "working")
    assert.strictEqual(stateLine("recovering", "recovering"), "recovering")
    assert.strictEqual(stateLine("ended", "completed"), "ended: completed")
  })
})
