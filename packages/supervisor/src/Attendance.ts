import { defectOf, type Event, steadyRoleMillis, tellDefect, untraced, type WatchRef } from "@souffleur/domain"
import { Cause, Clock, Effect, Exit, Result } from "effect"

/** Milliseconds before the next try, times the failures in a row. */
const pauseMillis = 1000
/** Deaths in a row after which a role is not started again. */
const maxDeaths = 3

/**
 * Runs a role to its end, and starts it again when it dies. Logs each death, the last one too. `failed` returns the
 * count of failures in a row.
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
    if (failures >= maxDeaths) return yield* Effect.logError(`the ${role} is not started again`)
    yield* Effect.sleep(failures * pauseMillis)
  }
})

/**
 * Runs a role that only reports on a watch: the narrator, the publisher or the notifier. It starts again from its place
 * when it dies. The third death in a row is its last, and becomes an event.
 */
export const attended = Effect.fnUntraced(function* <E, R>(
  { dispatch }: WatchRef,
  role: Exclude<Event.OwnRole, "watcher" | "self-monitor">,
  run: Effect.Effect<void, E, R>
) {
  yield* again(
    role,
    run,
    Effect.fnUntraced(function* (cause) {
      // A refusal or an unusable log ends the watch itself, which says why.
      const watch = yield* Effect.result(dispatch({ _tag: "ReportRoleFailed", role, defect: defectOf(cause) }))
      return Result.isSuccess(watch) ? (watch.success.failing[role] ?? maxDeaths) : maxDeaths
    })
  )
})

/**
 * Runs a role whose deaths no watch's log counts. It is a role of a run, or a reporter of an ended watch. Its deaths
 * are logged and become no event.
 */
export const attendedHere = Effect.fnUntraced(function* <E, R>(role: string, run: Effect.Effect<void, E, R>) {
  let [failures, began] = [0, 0]
  const begin = Effect.map(Clock.currentTimeMillis, (now) => void (began = now))
  const failed = Effect.map(
    Clock.currentTimeMillis,
    (now) => (failures = now - began >= steadyRoleMillis ? 1 : failures + 1)
  )
  yield* again(role, untraced(Effect.andThen(begin, run)), () => failed)
})
