import type { WatchEvent } from "@souffleur/domain"
import { gateOf } from "@souffleur/recovery"
import { Option } from "effect"
import { type Finding, note } from "./Finding.ts"

/**
 * The estimate of an export over the context in use, as the service had counted it; `undefined` where there were not
 * both.
 */
export const ratioOf = (event: WatchEvent): number | undefined => {
  const gate = event._tag === "StepSucceeded" ? Option.getOrUndefined(gateOf(event)) : undefined
  return typeof gate?.measured_tokens === "number" && gate.measured_tokens > 0
    ? gate.estimated_tokens / gate.measured_tokens
    : undefined
}

/** Of an even number the lower one: it is one that was measured. */
const median = (sorted: ReadonlyArray<number>): number => sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN
/**
 * As far above what was counted as another is below it: twice is as bad as half. An estimate of nothing is the worst.
 */
const error = (ratio: number): number => Math.abs(Math.log(ratio))

/**
 * By how much the gate was wrong so far, in all recoveries of this machine: nothing is told where none was measured.
 */
export const estimates = (ratios: ReadonlyArray<number>): ReadonlyArray<Finding> => {
  if (ratios.length === 0) return []
  const middle = median(ratios.toSorted((a, b) => a - b))
  const worst = ratios.reduce((one, other) => (error(other) > error(one) ? other : one))
  const of = ratios.length === 1 ? "of 1 recovery" : `of ${ratios.length} recoveries`
  const what = "times what the service had counted"
  return [note("estimates", `${of}: ${middle.toFixed(2)} ${what} in the middle, ${worst.toFixed(2)} at worst`)]
}
