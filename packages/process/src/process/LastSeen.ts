import { Beats } from "@souffleur/eventlog"
import { isOver, Processes, type Watch, type WatchRef } from "@souffleur/domain"
import { Clock, Effect, Option, Ref } from "effect"

/**
 * Remembers when a Conductor was last seen to run (spec: behaviour#retries). A watcher that begins after its end knows
 * the last beat of the watcher before. `look` belongs to each beat. `ranUntil` returns the end of the run, epoch ms. It
 * is now, unless the last look is longer ago than two beats (`interval`, ms): then it is that look.
 */
export const makeLastSeen = Effect.fn("makeLastSeen")(function* (
  { id }: WatchRef,
  { conductor, launchedAt }: Watch,
  interval: number
) {
  const beats = yield* Beats
  const processes = yield* Processes
  const before = yield* beats.last(id)
  const begun = yield* Clock.currentTimeMillis
  // A beat from the future is of a clock that was set back.
  const beaten = Option.filter(before, ({ at }) => at <= begun)
  const last = yield* Ref.make(Math.max(launchedAt, Option.match(beaten, { onNone: () => 0, onSome: ({ at }) => at })))
  const look = Effect.gen(function* () {
    if (conductor === undefined || isOver(yield* processes.condition(conductor))) return
    yield* Ref.set(last, yield* Clock.currentTimeMillis)
  })
  const ranUntil = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const seen = yield* Ref.get(last)
    return now - seen > 2 * interval ? seen : now
  })
  return { look, ranUntil }
})
