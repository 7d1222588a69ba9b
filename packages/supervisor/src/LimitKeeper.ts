import { tellLimits, untraced, type WatchRef } from "@souffleur/domain"
import { Effect } from "effect"

/** The longest time between two looks at what a job has used, ms. A look that finds no new record is cheap. */
const lookMillis = 5000

/**
 * Looks at the limits of a job when its time is over, and every few seconds at what it has used (spec:
 * behaviour#limits-of-a-job). It runs beside the watcher and the recovery alike, until the job is stopped or has ended.
 */
export const limitKeeper = Effect.fnUntraced(function* (ref: WatchRef) {
  for (;;) yield* Effect.sleep(Math.min(lookMillis, yield* untraced(tellLimits(ref))))
})
