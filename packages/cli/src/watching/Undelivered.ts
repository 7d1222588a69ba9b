import { Cursor } from "@souffleur/eventlog"
import { attendedHere, commsPublisher } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import type { NamedWatch } from "./FindWatch.ts"

/** How long a souffleur whose watch has ended waits for a comms that is out. */
export const drainTimeout = "10 seconds"

/** A watch of this folder that ended, and whose souffleur died before comms was told. */
export const untold = Effect.fnUntraced(function* (watches: ReadonlyArray<NamedWatch>, project: string) {
  const cursor = yield* Cursor
  const newest = watches.findLast(({ watch }) => watch.project === project)
  if (newest === undefined || newest.watch.phase !== "Exited" || newest.watch.comms === null) return Option.none()
  return (yield* cursor.position(newest.id)) < newest.watch.revision ? Option.some(newest) : Option.none()
})

/** Tells of a watch that is over what was not told of it yet. */
const late = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  const cursor = yield* Cursor
  if ((yield* cursor.position(id)) < watch.revision) yield* commsPublisher(id)
})

/** Watches of the same comms that ended while it was out: what it was not told yet, it is told now. */
export const deliverUndelivered = (watches: ReadonlyArray<NamedWatch>, comms: string) =>
  Effect.forEach(
    watches.filter(({ watch }) => watch.phase === "Exited" && watch.comms === comms),
    (one) => Effect.forkScoped(attendedHere(`publisher of ${one.id}`, late(one))),
    { discard: true }
  )
