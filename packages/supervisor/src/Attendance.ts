import { defectOf, type Event, steadyAfter, tellDefect, type WatchRef } from "@souffleur/domain"
import { Cause, Clock, Effect, Exit, Result } from "effect"

/** ms before another try, for each failure so far. */
const pause = 1000
/** Deaths in a row, after which it is not started again. */
const most = 3

/**
 * Runs it to its end, and again where it dies: each death is told, and so is the last one. `failed`: how many in a row
 * there were by now.
 */
const again = Effect.fnUntraced(function* <E, R, R2>(
  role: string,
  run: Effect.Effect<void, E, R>,
  failed: (cause: Cause.Cause<E>) => Effect.Effect<number, never, R2>
) {
  for (;;) {
    const exit = yield* Effect.exit(run)
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
    yield* tellDefect(`the ${role} died`, exit.cause)
    const failures = yield* failed(exit.cause)
    if (failures >= most) return yield* Effect.logError(`the ${role} is not started again`)
    yield* Effect.sleep(failures * pause)
  }
})

/**
 * Runs a role that only reports on a watch: the narrator, the publisher or the notifier. It starts again from its place
 * when it dies. The third death in a row is its last, and becomes an event.
 */
export const attended = Effect.fn("attended")(function* <E, R>(
  { dispatch }: WatchRef,
  role: Exclude<Event.OwnRole, "watcher" | "self-monitor">,
  run: Effect.Effect<void, E, R>
) {
  yield* again(
    role,
    run,
    Effect.fnUntraced(function* (cause) {
      // Refused, or a log that cannot be used: the watch itself ends then, and says why.
      const watch = yield* Effect.result(dispatch({ _tag: "ReportRoleFailed", role, defect: defectOf(cause) }))
      return Result.isSuccess(watch) ? (watch.success.failing[role] ?? most) : most
    })
  )
})

/**
 * The same of one that no watch's log counts: of a run's, and of who tells of a watch that is over. Its deaths are
 * told, and no event.
 */
export const attendedHere = Effect.fn("attendedHere")(function* <E, R>(role: string, run: Effect.Effect<void, E, R>) {
  let [failures, began] = [0, 0]
  const begin = Effect.map(Clock.currentTimeMillis, (now) => void (began = now))
  const failed = Effect.map(
    Clock.currentTimeMillis,
    (now) => (failures = now - began >= steadyAfter ? 1 : failures + 1)
  )
  yield* again(role, Effect.andThen(begin, run), () => failed)
})
