import { Effect, Result } from "effect"
import { Conflict, EventLog, type LogUnusable, type ReadError, shortened } from "./EventLog.ts"
import { initial, type Watch } from "./Watch.ts"
import type { WatchCommand, WatchIntent } from "./WatchCommand.ts"
import type { Refused } from "./Decision.ts"
import { decide } from "./WatchDecider.ts"
import { evolve } from "./WatchEvolution.ts"

export type LogError = ReadError | LogUnusable

/** How a role speaks: its intent, stamped with the time and its owner's fence. */
export type Tell = (intent: WatchIntent) => Effect.Effect<Watch, Refused | LogError>

/** The watch as its log says, `from` a state that is known already. */
export const load = Effect.fnUntraced(function* (id: string, from: Watch = initial) {
  const log = yield* EventLog
  return (yield* log.read(id, from.revision)).reduce((watch, { event }) => evolve(watch, event), from)
})

/** Read, decide, append; again when somebody appended first. A conflict with nobody is none that another try would end. */
export const untilAppended = Effect.fnUntraced(function* <S extends { readonly revision: number }, E, R, E2, R2>(
  stream: string,
  from: S,
  load: (from: S) => Effect.Effect<S, E, R>,
  append: (state: S) => Effect.Effect<S, E2 | Conflict, R2>
): Effect.fn.Return<S, E | Exclude<E2, Conflict> | LogUnusable, R | R2> {
  let state = yield* load(from)
  for (;;) {
    const before = state
    const done = yield* Effect.result(append(before))
    if (Result.isSuccess(done)) return done.success
    if (!(done.failure instanceof Conflict)) return yield* Effect.fail(done.failure as Exclude<E2, Conflict>)
    state = yield* load(before)
    if (state.revision === before.revision) return yield* shortened(stream, before.revision + 1)
  }
})

/** The log is the mailbox: the same call serves a role, a recovery step and an operator's other process. */
export const tell = Effect.fn("Watch.tell")(function* (id: string, command: WatchCommand, from: Watch = initial) {
  const log = yield* EventLog
  const append = Effect.fnUntraced(function* (watch: Watch) {
    const events = yield* Effect.fromResult(decide(watch, command))
    yield* log.append(id, watch.revision, events)
    return events.reduce(evolve, watch)
  })
  return yield* untilAppended(id, from, (state) => load(id, state), append)
})
