import { assert, describe, it } from "@effect/vitest"
import { makeTurnReading } from "../../src/kit/said/SaidTurn.ts"

describe("behaviour#signs", () => {
  it("the context in use is the newest count that is not zero", () => {
    const { result, take } = makeTurnReading(({ tokens }) => [
      { _tag: "Ended" },
      { _tag: "Context", tokens: Number(tokens), window: 200, model: "m" }
    ])
    for (const tokens of [0, 120, 90]) take({ tokens, time: tokens }, 0)
    assert.deepStrictEqual(result().context, { tokens: 120, window: 200, model: "m", at: 120 })
  })
})
