import { LaunchFailed } from "@souffleur/domain"
import { Clock, Effect } from "effect"
import { Cycle } from "../steps/Step.ts"

const minute = 60_000
/**
 * Milliseconds of all pauses together. The clock would count a sleep of the machine too, in which nothing is tried.
 */
const within = 10 * minute
/** Milliseconds before the first further try. Each pause is twice as long as the one before, up to two minutes. */
const firstPause = 5000

/**
 * Makes the tries of a launch, which has not run where it fails with `LaunchFailed`. One that failed for a momentary
 * reason is tried again, after growing pauses, for ten minutes in all (spec: behaviour#launch). The log has each pause.
 * `attempt` is given the number of the try, from 0.
 */
export const againForAWhile = Effect.fn("againForAWhile")(function* <A, E, R>(
  attempt: (n: number) => Effect.Effect<A, E | LaunchFailed, R>
) {
  const { number: cycle, watch } = yield* Cycle
  let paused = 0
  for (let n = 0; ; n += 1) {
    const tried = yield* Effect.result(attempt(n))
    if (tried._tag === "Success") return tried.success
    const error = tried.failure
    if (!(error instanceof LaunchFailed) || error.momentary !== true) return yield* Effect.fail(error)
    const pause = Math.min(firstPause * 2 ** n, 2 * minute)
    paused += pause
    if (paused > within) return yield* new LaunchFailed({ message: `tried for ten minutes: ${error.message}` })
    const until = (yield* Clock.currentTimeMillis) + pause
    yield* watch.dispatch({ _tag: "DelayLaunch", cycle, message: error.message, until })
    yield* Effect.sleep(pause)
  }
})
