import { assert, describe, it } from "@effect/vitest"
import { Event, exportLimits } from "@souffleur/domain"
import { estimateCheck, ratioOf } from "../src/doctor/GateCheck.ts"

const outcome = {
  estimated_tokens: 90_000,
  estimated_tokens_full: 120_000,
  chars_scoped: 270_000,
  chars_full: 360_000,
  start_mode: "full_file",
  start_offset: 90_000,
  marker_found: false,
  marker_count: 0,
  warnings: [],
  ...exportLimits({ trimChars: null, forceCompactThresholdTokens: null }, undefined)
}
const gate = (more: object, step = "4 estimate") =>
  ratioOf(Event.StepSucceeded.make({ at: 0, cycle: 1, step, outcome: { ...outcome, ...more } }))

describe("command-line#doctor", () => {
  describe("the error of the estimates", () => {
    it("the error counts only a gate whose conversation the service had counted", () => {
      assert.strictEqual(gate({ measured_tokens: 120_000 }), 0.75)
      assert.isUndefined(gate({ measured_tokens: null }))
      assert.isUndefined(gate({ measured_tokens: 0 }))
      assert.isUndefined(gate({}), "of an outcome that is no gate's")
      assert.isUndefined(gate({ measured_tokens: 120_000 }, "3 trim"))
      assert.isUndefined(ratioOf(Event.WatchSettled.make({ at: 0 })))
    })
    it("the report has the count, the median and the worst, and half is worse than one and a half", () => {
      const told = (...ratios: ReadonlyArray<number>) =>
        estimateCheck(ratios).map(({ detail, level }) => `${level}: ${detail}`)
      assert.deepStrictEqual(told(), [])
      assert.deepStrictEqual(told(0.75), [
        "note: of 1 recovery: 0.75 times what the service had counted in the middle, 0.75 at worst"
      ])
      assert.deepStrictEqual(told(1.5, 0.9, 0.5, 1.1), [
        "note: of 4 recoveries: 0.90 times what the service had counted in the middle, 0.50 at worst"
      ])
      assert.include(told(0.5, 0, 3)[0], "0.00 at worst")
    })
  })
})
