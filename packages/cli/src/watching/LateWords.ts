import { Outbox } from "@souffleur/eventlog"
import { attendedHere, herald } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import type { Named } from "./Watches.ts"

/** How long a souffleur whose watch has ended waits for a comms that is out. */
export const lastWords = "10 seconds"

/** A watch of this folder that ended, and whose souffleur died before comms was told. */
export const untold = Effect.fnUntraced(function* (watches: ReadonlyArray<Named>, project: string) {
  const outbox = yield* Outbox
  const newest = watches.findLast(({ watch }) => watch.project === project)
  if (newest === undefined || newest.watch.phase !== "Exited" || newest.watch.comms === null) return Option.none()
  return (yield* outbox.told(newest.id)) < newest.watch.revision ? Option.some(newest) : Option.none()
})

/** Tells of a watch that is over what was not told of it yet. */
const late = Effect.fnUntraced(function* ({ id, watch }: Named) {
  const outbox = yield* Outbox
  if ((yield* outbox.told(id)) < watch.revision) yield* herald(id)
})

/** Watches of the same comms that ended while it was out: what it was not told yet, it is told now. */
export const deliverLate = (watches: ReadonlyArray<Named>, comms: string) =>
  Effect.forEach(
    watches.filter(({ watch }) => watch.phase === "Exited" && watch.comms === comms),
    (one) => Effect.forkScoped(attendedHere(`herald of ${one.id}`, late(one))),
    { discard: true }
  )
