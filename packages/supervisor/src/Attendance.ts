import { defectOf, type Event, tellDefect, type WatchRef } from "@souffleur/domain"
import { Cause, Effect, Exit, Result } from "effect"

/** ms before another try, for each failure so far. */
const pause = 1000
/** Deaths in a row, after which it is not started again; the log counts them. */
const most = 3

/**
 * Runs one that only tells of a watch, and starts it again from its place when it dies: a narrator, a herald or a notifier that is gone is
 * told, and never silently gone. The third death in a row is its last, and an event, for those who still tell.
 */
export const attended = Effect.fn("Attendance")(function* <E, R>(
  { tell }: WatchRef,
  role: Exclude<Event.OwnRole, "watcher" | "self-monitor">,
  run: Effect.Effect<void, E, R>
) {
  const failuresWith = Effect.fnUntraced(function* (cause: Cause.Cause<E>) {
    yield* tellDefect(`the ${role} died`, cause)
    // Refused, or a log that cannot be used: the watch itself ends then, and says why.
    const watch = yield* Effect.result(tell({ _tag: "ReportRoleFailed", role, defect: defectOf(cause) }))
    return Result.isSuccess(watch) ? (watch.success.failing[role] ?? most) : most
  })
  for (;;) {
    const exit = yield* Effect.exit(run)
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return
    const failures = yield* failuresWith(exit.cause)
    if (failures >= most) return yield* Effect.logError(`the ${role} is not started again`)
    yield* Effect.sleep(failures * pause)
  }
})
