import {
  AlreadyWatched,
  attempts,
  Claims,
  type GuardAct,
  heardAt,
  isSeen,
  load,
  Processes,
  Settings,
  silentAfter,
  type Watch
} from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Clock, Effect, Option, Schedule } from "effect"
import { command } from "./Ownership.ts"
import { forgetIntent, intentOf, keepIntent } from "./RestoreIntent.ts"

/** The request of a guardian: another souffleur takes the place of the owner of that fence. */
export type Restoration = Omit<Extract<GuardAct, { readonly _tag: "Restore" }>, "_tag">

/** A killed process is gone in moments, unless it hangs in the kernel. */
const killTimeout = "10 seconds"
const gonePolls = Schedule.spaced("20 millis")

/**
 * Takes a watch from a souffleur that died or fell silent (spec: behaviour#guardian). It counts the restoration in the
 * log first. Then it kills the old process, with the same pid and start time, and proves that it is gone. If the old
 * process holds the log, a file keeps the intent. It does so until this or a later souffleur can count it. After this
 * the watch may be owned.
 *
 * Fails with `AlreadyWatched` when the owner beats again, is another souffleur by now, or does not end. Returns `false`
 * when there is nothing to restore. Then the owner has left, the watch has ended, or it was restored too often.
 */
export const restore = Effect.fn("Ownership.restore")(function* (id: string, { reason, over }: Restoration) {
  const beats = yield* Beats
  const claims = yield* Claims
  const processes = yield* Processes
  const settings = yield* Settings
  const watch = yield* load(id)
  const { owner } = watch
  if (watch.phase === "Exited" || owner === undefined) return false
  const stillThere = (problem: string) => new AlreadyWatched({ owner, problem })
  if (watch.fence !== over) return yield* stillThere("another souffleur has taken the watch meanwhile")
  const dead = yield* claims.isDead(owner)
  const unlessBeating = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const beat = yield* beats.last(id)
    const longest = silentAfter(settings)
    if (Option.exists(beat, ({ at }) => now - heardAt(at, now, longest) <= longest))
      return yield* stillThere("that souffleur beats again")
  })
  if (!dead) {
    yield* unlessBeating
    if (!isSeen(owner, claims.self))
      return yield* stillThere("that souffleur runs where its processes cannot be seen from here")
  }
  // A souffleur may have killed the owner and died before it counted that. It is the same restoration.
  const intended = yield* intentOf(id, over)
  const intent = Option.getOrElse(intended, () => ({ reason, over }))
  // The owner may have left, or ended the watch, since: then there is nothing to restore.
  const say = Effect.catchTag(command(id, { _tag: "Restore", ...intent }), "Refused", (refused) =>
    refused.reason === "owned"
      ? Effect.fail(stillThere("another souffleur has taken the watch in the same moment"))
      : Effect.succeed(undefined)
  )
  // Checked again right before the kill: the owner, or this souffleur, may have been suspended since.
  const kill = Effect.fnUntraced(function* (seen: Watch) {
    if ((yield* load(id)).revision !== seen.revision) return yield* stillThere("the watch goes on again meanwhile")
    yield* unlessBeating
    yield* Effect.catchTag(processes.signal(owner.process, "SIGKILL"), "NotPermitted", () =>
      Effect.fail(stillThere("it may not be signalled"))
    )
    const gone = yield* Effect.repeat(claims.isDead(owner), { until: (gone) => gone, schedule: gonePolls }).pipe(
      Effect.timeoutOption(killTimeout)
    )
    if (Option.isNone(gone)) return yield* stillThere("it was killed and does not end")
  })
  const keep = Effect.catchTag(keepIntent(id, intent), "PlatformError", ({ message }) =>
    Effect.fail(stillThere(`it holds the log, and the intent to restore it cannot be kept: ${message}`))
  )
  // An owner that was stopped in the middle of a write holds the log. Nothing can be counted before it is gone, but the
  // count so far can be read.
  const counted = yield* Effect.catchIf(
    say,
    (error) =>
      error._tag === "LogUnusable" &&
      error.reason === "locked" &&
      !dead &&
      (watch.restored?.restorations ?? 0) < attempts,
    () => Effect.andThen(Effect.andThen(keep, kill(watch)), say)
  )
  yield* forgetIntent(id)
  if (counted?.restored === undefined) return false
  if (!(yield* claims.isDead(owner))) yield* kill(counted)
  return true
})
