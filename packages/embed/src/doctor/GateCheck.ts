import { canClose, limitsInWords, type WatchEvent } from "@souffleur/domain"
import { exportLimitsOf, gateOf } from "@souffleur/recovery"
import { Effect, Option } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"
import { type Finding, note, passed } from "./Finding.ts"

/** Says which gate is in force for each unfinished watch of a project, and why (spec: settings#gate). */
export const gateCheck = Effect.fn("gateCheck")(function* (project: string, watches: ReadonlyArray<NamedWatch>) {
  const open = watches.filter(
    ({ watch }) => watch.project === project && watch.kind === "agent" && watch.phase !== "Exited"
  )
  return yield* Effect.forEach(
    open,
    Effect.fnUntraced(function* ({ id, watch }) {
      const { limits } = yield* exportLimitsOf(watch)
      const said = `watch ${id}: ${limitsInWords(limits)}`
      return canClose(limits) || limits.threshold_by === "setting"
        ? passed("gate", said)
        : note("gate", said, "set FORCE_COMPACT to two fifths of that window")
    })
  )
})

/**
 * Returns the estimate of an export divided by the service's count of the context in use. `undefined` where either is
 * unknown.
 */
export const ratioOf = (event: WatchEvent): number | undefined => {
  const gate = event._tag === "StepSucceeded" ? Option.getOrUndefined(gateOf(event)) : undefined
  return typeof gate?.measured_tokens === "number" && gate.measured_tokens > 0
    ? gate.estimated_tokens / gate.measured_tokens
    : undefined
}

/** Returns the lower of the two middle values for an even number, because that one was measured. */
const median = (sorted: ReadonlyArray<number>): number => sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN
/**
 * Returns the distance of an estimate from the count: twice as much is as bad as half. An estimate of 0 is the worst.
 */
const error = (ratio: number): number => Math.abs(Math.log(ratio))

/** Reports the error of the gate in all recoveries of this machine. Reports nothing where none was measured. */
export const estimateCheck = (ratios: ReadonlyArray<number>): ReadonlyArray<Finding> => {
  if (ratios.length === 0) return []
  const middle = median(ratios.toSorted((a, b) => a - b))
  const worst = ratios.reduce((one, other) => (error(other) > error(one) ? other : one))
  const of = ratios.length === 1 ? "of 1 recovery" : `of ${ratios.length} recoveries`
  const what = "times what the service had counted"
  return [note("estimates", `${of}: ${middle.toFixed(2)} ${what} in the middle, ${worst.toFixed(2)} at worst`)]
}
