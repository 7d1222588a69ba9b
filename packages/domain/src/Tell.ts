import { Effect } from "effect"
import { EventLog, type LogUnusable, type ReadError } from "./EventLog.ts"
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

/**
 * Read, decide, append; again when somebody appended first. The log is the mailbox: the same call serves a role, a
 * recovery step and an operator's other process.
 */
export const tell = Effect.fn("Watch.tell")(function* (id: string, command: WatchCommand, from: Watch = initial) {
  const log = yield* EventLog
  let watch = from
  return yield* Effect.gen(function* () {
    watch = yield* load(id, watch)
    const events = yield* Effect.fromResult(decide(watch, command))
    yield* log.append(id, watch.revision, events)
    return events.reduce(evolve, watch)
  }).pipe(Effect.retry({ while: (error) => error._tag === "Conflict" }))
})
