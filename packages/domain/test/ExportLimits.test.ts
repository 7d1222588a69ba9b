import { assert, describe, it } from "@effect/vitest"
import {
  canClose,
  type ContextInUse,
  exportLimits,
  type GateSettings,
  initial,
  knownWindow,
  limitRuleInWords,
  limitsInWords,
  thresholdInWords
} from "../src/index.ts"

const none: GateSettings = { trimChars: null, forceCompactThresholdTokens: null }
const context = (window: number | undefined): ContextInUse => ({ tokens: 1, window, model: "m", at: 0 })

describe("settings#gate", () => {
  it("the limits follow the model's window, where no setting says otherwise", () => {
    const of = (window: number | undefined, settings = none) => {
      const { threshold, threshold_by, trim_by, trim_chars } = exportLimits(settings, window)
      return [trim_chars, trim_by, threshold, threshold_by]
    }
    assert.deepStrictEqual(of(1_000_000), [4_000_000, "window", 400_000, "window"])
    assert.deepStrictEqual(of(200_000), [800_000, "window", 80_000, "window"])
    assert.deepStrictEqual(of(1), [4, "window", 1, "window"])
    assert.deepStrictEqual(of(undefined), [800_000, "default", 400_000, "default"])
    assert.deepStrictEqual(of(200_000, { ...none, trimChars: 7 }), [7, "setting", 80_000, "window"])
    assert.deepStrictEqual(of(undefined, { ...none, forceCompactThresholdTokens: 7 }), [
      800_000,
      "default",
      7,
      "setting"
    ])
  })
  it("the gate can close by every window, and without one only by a lower FORCE_COMPACT", () => {
    for (const window of [1000, 200_000, 1_000_000]) assert.isTrue(canClose(exportLimits(none, window)))
    const set = (forceCompactThresholdTokens: number | null) =>
      exportLimits({ ...none, forceCompactThresholdTokens }, undefined)
    assert.deepStrictEqual([null, 266_666, 266_665].map(set).map(canClose), [false, false, true])
  })
  it("the newest word of the agent tells the window, and before any its answer to the hand-off", () => {
    const taken = { at: 0, contextTokens: 1, contextWindow: 1_000_000 }
    const watch = { ...initial, taken }
    assert.strictEqual(knownWindow(watch, context(200_000)), 200_000)
    assert.strictEqual(knownWindow(watch, undefined), 1_000_000)
    assert.isUndefined(knownWindow(watch, context(undefined)), "it has changed to a model that is not known")
    assert.isUndefined(knownWindow(initial, undefined))
    assert.isUndefined(knownWindow({ ...watch, taken: { ...taken, contextWindow: null } }, undefined))
    assert.isUndefined(knownWindow({ ...watch, handedFrom: "claude" }, context(200_000)), "another agent reads it")
  })
  it("a number that is no window is none", () => {
    for (const window of [0, -1, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER])
      assert.isUndefined(knownWindow(initial, context(window)), String(window))
    assert.strictEqual(knownWindow(initial, context(1000.5)), 1000)
  })
  it("each number is told with its reason, and a gate that cannot close is called that", () => {
    const window = exportLimits(none, 200_000)
    assert.strictEqual(thresholdInWords(window), "80000 (by the model's window of 200000 tokens)")
    assert.strictEqual(
      limitsInWords(window),
      "an export is cut to 800000 characters, and the gate closes above 80000 tokens (by the model's window of 200000 tokens)"
    )
    const without = exportLimits(none, undefined)
    assert.strictEqual(
      limitsInWords(without),
      "an export is cut to 800000 characters, and the gate closes above 400000 tokens (the model's window is not known): it cannot close, as no such export is above 266666"
    )
    assert.strictEqual(
      limitsInWords(exportLimits({ trimChars: 90, forceCompactThresholdTokens: 5 }, 200_000)),
      "an export is cut to 90 characters (by TRIM_CHARS), and the gate closes above 5 tokens (by FORCE_COMPACT)"
    )
    assert.strictEqual(
      limitRuleInWords(none),
      `where the model's window is known, an export is cut to 4 characters for each of its tokens, and closes the gate above two fifths of it; else ${limitsInWords(without)}`
    )
    assert.match(
      limitRuleInWords({ ...none, trimChars: 90 }),
      /^where the model's window is known, an export closes the gate above two fifths of it; else an export is cut to 90/u
    )
    assert.match(limitRuleInWords({ trimChars: 90, forceCompactThresholdTokens: 5 }), /^an export is cut to 90 /u)
  })
})
