import { Schema } from "effect"
import type { ContextInUse } from "../evidence/Signs.ts"
import type { Watch } from "../watch/Watch.ts"

const By = Schema.Literals(["setting", "window", "default"])
type By = typeof By.Type

/** How long an export may be, and what closes the gate, each with the reason for its number (spec: settings#gate). */
export const ExportLimits = Schema.Struct({
  /** The window of the model, in tokens. `null`: it is not known. */
  window: Schema.NullOr(Schema.Int),
  /** Most Unicode code points. */
  trim_chars: Schema.Int,
  trim_by: By,
  /** Most tokens by the estimate. */
  threshold: Schema.Int,
  threshold_by: By
})
export type ExportLimits = typeof ExportLimits.Type

/** The two settings that outrank a window. `null`: the window decides. */
export interface GateSettings {
  readonly trimChars: number | null
  readonly forceCompactThresholdTokens: number | null
}

/** Characters for each token of the window that a trim leaves. The estimate takes three of them for a token. */
const charactersPerToken = 4
/** The share of the window that an export may take. The successor works in the rest. */
const shareOfWindow = 2 / 5

/** The limits for a window that is not known. */
export const withoutWindow = { trimChars: 800_000, threshold: 400_000 } as const

/** Returns the limits for a window of the model. `undefined`: it is not known. */
export const exportLimits = (
  { forceCompactThresholdTokens, trimChars }: GateSettings,
  window: number | undefined
): ExportLimits => {
  const decided = (set: number | null, share: number, otherwise: number): readonly [number, By] =>
    set !== null
      ? [set, "setting"]
      : window === undefined
        ? [otherwise, "default"]
        : [Math.max(1, Math.floor(window * share)), "window"]
  const [trim_chars, trim_by] = decided(trimChars, charactersPerToken, withoutWindow.trimChars)
  const [threshold, threshold_by] = decided(forceCompactThresholdTokens, shareOfWindow, withoutWindow.threshold)
  return { window: window ?? null, trim_chars, trim_by, threshold, threshold_by }
}

/** A greater number is no window of a model, and no limit could be made of it. */
const maxWindow = Math.floor(Number.MAX_SAFE_INTEGER / charactersPerToken)

/**
 * Returns the window of the model that will read an export. The newest word of the agent counts, and before any the
 * answer by which it took its hand-off. Another agent has another window. `undefined`: it is not known.
 */
export const knownWindow = (
  { handedFrom, taken }: Pick<Watch, "handedFrom" | "taken">,
  context: ContextInUse | undefined
): number | undefined => {
  const window = context === undefined ? taken?.contextWindow : context.window
  return handedFrom !== undefined || typeof window !== "number" || !(window >= 1 && window <= maxWindow)
    ? undefined
    : Math.floor(window)
}

/** Returns the most tokens that a trimmed export is estimated at. With a higher threshold the gate cannot close. */
const mostTokens = ({ trim_chars }: ExportLimits): number => Math.floor(trim_chars / 3)

/** Returns whether any export could be too large. */
export const canClose = (limits: ExportLimits): boolean => limits.threshold < mostTokens(limits)

const because = (by: By, key: string, { window }: ExportLimits): string =>
  by === "setting"
    ? `by ${key}`
    : by === "window"
      ? `by the model's window of ${window} tokens`
      : "the model's window is not known"

/** Says what the threshold is, and why: the words follow `the threshold is`. */
export const thresholdInWords = (limits: ExportLimits): string =>
  `${limits.threshold} (${because(limits.threshold_by, "FORCE_COMPACT", limits)})`

/** Says which limits are in force, and why. */
export const limitsInWords = (limits: ExportLimits): string => {
  const trimmed = because(limits.trim_by, "TRIM_CHARS", limits)
  const passed = because(limits.threshold_by, "FORCE_COMPACT", limits)
  const cut = `an export is cut to ${limits.trim_chars} characters${trimmed === passed ? "" : ` (${trimmed})`}`
  const gate = `${cut}, and the gate closes above ${limits.threshold} tokens (${passed})`
  return canClose(limits) ? gate : `${gate}: it cannot close, as no such export is above ${mostTokens(limits)}`
}

/** Says how the limits will be found, before any session tells its window. */
export const limitRuleInWords = (settings: GateSettings): string => {
  const without = exportLimits(settings, undefined)
  if (settings.trimChars !== null && settings.forceCompactThresholdTokens !== null) return limitsInWords(without)
  const shares = [
    ...(settings.trimChars === null ? [`is cut to ${charactersPerToken} characters for each of its tokens`] : []),
    ...(settings.forceCompactThresholdTokens === null ? ["closes the gate above two fifths of it"] : [])
  ]
  return `where the model's window is known, an export ${shares.join(", and ")}; else ${limitsInWords(without)}`
}
