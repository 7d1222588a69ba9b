import { brokenOff, momentNow, Settings, untraced, type Watch, type WatchRef } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Duration, Effect, Option, Ref } from "effect"
import { selfCheck } from "./SelfMonitorSchedule.ts"

/**
 * Watches the watcher through its beat only, and reports `WATCHER_DEAD` until the beat is fresh again
 * (spec: behaviour#self-monitor). It never ends by itself. A round that came late, or right after a sleep of the
 * machine, reports nothing. The watcher had no chance to beat either.
 *
 * @example
 * ```ts
 * import { selfMonitor } from "@souffleur/monitor"
 * import { own } from "@souffleur/supervisor"
 * import { Effect } from "effect"
 *
 * const monitored = Effect.fn("monitored")(function* (id: string) {
 *   const { ref } = yield* own(id)
 *   return yield* Effect.forkScoped(selfMonitor(ref, yield* ref.state))
 * })
 * ```
 */
export const selfMonitor = Effect.fnUntraced(function* (ref: WatchRef, watch: Watch) {
  const { monitor } = watch.monitor!
  const settings = yield* Settings
  const beats = yield* Beats
  const [firstWaitMillis, intervalMillis] = [
    Duration.toMillis(settings.monitorInitialWait),
    Duration.toMillis(settings.monitorInterval)
  ]
  const staleAfter = Duration.toMillis(settings.monitorStaleAfter)
  const lastRound = yield* Ref.make({ moment: yield* momentNow, dueMillis: firstWaitMillis })
  /**
   * The last sign of life, and since when no other came, in monotonic ms. A clock that was set back makes no beat
   * young.
   */
  const lastSign = yield* Ref.make({ sign: "", since: (yield* momentNow).monotonic })
  const unchangedFor = Effect.fnUntraced(function* (sign: string) {
    const { monotonic } = yield* momentNow
    const last = yield* Ref.updateAndGet(lastSign, (last) => (last.sign === sign ? last : { sign, since: monotonic }))
    return monotonic - last.since
  })

  const check = Effect.gen(function* () {
    const moment = yield* momentNow
    const now = moment.wall
    const round = yield* Ref.getAndSet(lastRound, { moment, dueMillis: intervalMillis })
    if (brokenOff(round.moment, moment, round.dueMillis)) return
    const { watcher } = yield* ref.state
    // During a recovery there is no watcher.
    if (watcher === undefined) return
    const beat = yield* beats.last(ref.id)
    const age = Option.match(beat, { onNone: () => null, onSome: ({ at }) => now - at })
    // The sign holds both times, not the later one. On a clock that was set back, each beat is earlier than its
    // watcher.
    const sign = `${watcher.since} ${Option.match(beat, { onNone: () => 0, onSome: ({ at }) => at })}`
    const isStill = (yield* unchangedFor(sign)) > staleAfter
    // A watcher that was asked for just now has had no time to beat. After a round it has.
    if (isStill || (now - watcher.since >= staleAfter && (age === null || age > staleAfter))) {
      yield* ref.dispatch({ _tag: "ReportWatcherDead", monitor, watcher: watcher.watcher, beatAge: age })
    }
  })

  yield* ref.dispatch({ _tag: "SelfMonitorReady", monitor })
  yield* untraced(check).pipe(Effect.schedule(selfCheck(settings.monitorInitialWait, settings.monitorInterval)))
})
