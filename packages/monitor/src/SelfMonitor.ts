import { Settings, type Watch, type WatchRef } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Option, Ref } from "effect"
import { selfCheck } from "./SelfMonitorSchedule.ts"

/**
 * Watches the watcher through its beat only, and reports `WATCHER_DEAD` until the beat is fresh again
 * (spec: behaviour#self-monitor). It never ends by itself. A round that came late reports nothing: the watcher had no
 * chance to beat either.
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
export const selfMonitor = Effect.fn("selfMonitor")(function* (ref: WatchRef, watch: Watch) {
  const { monitor } = watch.monitor!
  const settings = yield* Settings
  const beats = yield* Beats
  const [firstWaitMillis, intervalMillis] = [
    Duration.toMillis(settings.monitorInitialWait),
    Duration.toMillis(settings.monitorInterval)
  ]
  const staleAfter = Duration.toMillis(settings.monitorStaleAfter)
  const lastRound = yield* Ref.make({ at: yield* Clock.currentTimeMillis, dueMillis: firstWaitMillis })
  const monotonic = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
  /**
   * The last sign of life, and since when no other came, in monotonic ms. A clock that was set back makes no beat
   * young.
   */
  const lastSign = yield* Ref.make({ sign: "", since: yield* monotonic })
  const unchangedFor = Effect.fnUntraced(function* (sign: string) {
    const now = yield* monotonic
    const last = yield* Ref.updateAndGet(lastSign, (last) => (last.sign === sign ? last : { sign, since: now }))
    return now - last.since
  })

  const check = Effect.fn("SelfMonitor.check")(function* () {
    const now = yield* Clock.currentTimeMillis
    const round = yield* Ref.getAndSet(lastRound, { at: now, dueMillis: intervalMillis })
    if (now - round.at > 2 * round.dueMillis) return
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
  yield* check().pipe(Effect.schedule(selfCheck(settings.monitorInitialWait, settings.monitorInterval)))
})
