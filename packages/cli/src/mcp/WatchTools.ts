import { isFinished, iso } from "@souffleur/domain"
import { agentBeats, Beats } from "@souffleur/eventlog"
import { Souffleur } from "@souffleur/embed"
import { Clock, Effect } from "effect"
import { asConductor, call, onComms, startWith } from "./Call.ts"

/** Records a beat of the agent. Our own store comes first, because no other program locks it. */
export const heartbeat = () =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const at = yield* Clock.currentTimeMillis
      const beats = yield* Beats
      if (here.watched !== undefined) yield* beats.beat(agentBeats(here.watched.id), { by: "agent", at })
      const onto = here.comms !== null || here.watched === undefined
      if (onto) yield* onComms(here, (link) => link.beat(at))
      return {
        watch: here.watched?.id ?? null,
        at: iso(at),
        comms: onto,
        note:
          here.watched === undefined
            ? `No souffleur of this state folder watches you; ${startWith(here)}`
            : "Beat again within two minutes."
      }
    })
  )

/** Takes the agent's word that all work is complete. */
export const done = () =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const ended = isFinished(here.ended?.watch.end) ? here.ended?.id : undefined
      const at = yield* Clock.currentTimeMillis
      const souffleur = yield* Souffleur
      if (here.watched?.watch.comms === null) yield* souffleur.done(here.watched.id, { by: "agent" })
      else if (ended === undefined || here.comms !== null) yield* onComms(here, (link) => link.setState("complete", at))
      return {
        watch: here.watched?.id ?? ended ?? null,
        note: "The work is said to be complete: souffleur leaves, and you are not brought back after this."
      }
    })
  )
