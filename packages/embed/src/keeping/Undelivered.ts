import { watchKey } from "@souffleur/domain"
import { Cursor } from "@souffleur/eventlog"
import { attendedHere, commsPublisher } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { type NamedWatch, newestWatches } from "../watching/FindWatch.ts"

/**
 * The time that a souffleur whose watch has ended waits for a comms that is out. A comms that was slow once is not
 * asked for 10 seconds, and then within 10 more.
 */
export const drainTimeout = "20 seconds"

/** Returns the newest watch of this folder where it ended before comms heard everything. */
export const undelivered = Effect.fnUntraced(function* (project: string) {
  const cursor = yield* Cursor
  const [newest] = yield* newestWatches(watchKey.project(project), 1)
  if (newest === undefined || newest.watch.phase !== "Exited" || newest.watch.comms === null) return Option.none()
  return (yield* cursor.position(newest.id)) < newest.watch.revision ? Option.some(newest) : Option.none()
})

/** Tells comms the rest of a watch that has ended. */
const late = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  const cursor = yield* Cursor
  if ((yield* cursor.position(id)) < watch.revision) yield* commsPublisher(id)
})

/** Watches that are looked at. Each later watch has tried to tell the rest of the earlier ones. */
const maxLate = 100

/** Tells comms the rest of its watches that ended while it was out. */
export const deliverUndelivered = Effect.fnUntraced(function* (comms: string) {
  const ended = yield* newestWatches(watchKey.comms(comms), maxLate, ({ phase }) => phase === "Exited")
  yield* Effect.forEach(
    ended.toReversed(),
    (one) => Effect.forkScoped(attendedHere(`publisher of ${one.id}`, late(one))),
    { discard: true }
  )
})
