import { assert, describe, it } from "@effect/vitest"
import { type SessionSigns, unresumable } from "../src/index.ts"

const threshold = 400_000
const context = { tokens: 1000, window: undefined, model: "m", at: 0 }
const signs: SessionSigns = { writtenAt: 0, turn: { _tag: "Asked", at: 0 }, context }
const given = (change: Partial<SessionSigns>, bytes = 1000) =>
  unresumable({ signs: { ...signs, ...change }, bytes }, threshold)

describe("behaviour#resume", () => {
  describe("given a session of a dead agent", () => {
    it("when it is sound and has room, then it is resumed", () => {
      assert.isUndefined(given({}))
      assert.isUndefined(given({ turn: { _tag: "Finished", at: 0 } }))
      assert.isUndefined(given({ context: { ...context, tokens: threshold } }))
    })
    it("when its file or its turn cannot be read, then it is not resumed", () => {
      assert.strictEqual(unresumable({ signs: undefined, bytes: 0 }, threshold), "its session file cannot be read")
      assert.match(given({ turn: undefined }) ?? "", /does not tell the state of its turn/u)
    })
    it("when its context is above the threshold, or above nine tenths of its window, then it is not resumed", () => {
      assert.match(
        given({ context: { ...context, tokens: threshold + 1 } }) ?? "",
        /400,001 tokens .* limit is 400,000/u
      )
      assert.match(given({ context: { ...context, tokens: 900_001, window: 1_000_000 } }) ?? "", /limit is 400,000/u)
      assert.match(given({ context: { ...context, tokens: 90_001, window: 100_000 } }) ?? "", /limit is 90,000/u)
      assert.isUndefined(given({ context: { ...context, tokens: 90_000, window: 100_000 } }))
    })
    it("when its last turn no longer fitted the model, then it is not resumed", () => {
      const turn = { _tag: "Failed", at: 0, reason: "prompt-too-long", resetsAt: undefined } as const
      assert.strictEqual(given({ turn }), "its conversation no longer fits the model")
      assert.isUndefined(given({ turn: { ...turn, reason: "other" } }))
    })
    it("when its tokens are not known, then a third of its bytes counts in their place", () => {
      assert.isUndefined(given({ context: undefined }, 3 * threshold))
      assert.match(given({ context: undefined }, 3 * threshold + 1) ?? "", /has 1,200,001 bytes/u)
    })
  })
})
