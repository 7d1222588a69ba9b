import { iso } from "@souffleur/domain"
import { type NamedWatch, Souffleur, type WatchStatus } from "@souffleur/embed"
import { sentence, statusLine } from "@souffleur/embed/internal"
import { Effect, Option } from "effect"
import { inOrder, statusJson } from "../explain/StatusJson.ts"
import { call, startWith } from "./Call.ts"
import type { CallContext } from "./CallContext.ts"

/** Tells the last recovery of a watch and its reason. `null`: there was none. */
const lastRecovery = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  const souffleur = yield* Souffleur
  return Option.match(yield* souffleur.lastRecovery(id), {
    onNone: () => null,
    onSome: ({ came, reason }) => ({
      at: iso(came.at),
      what: sentence(came, watch),
      reason: reason === undefined ? "" : sentence(reason, watch)
    })
  })
})

const unwatched = {
  watch: null,
  you_are: "unwatched",
  phase: null,
  standing: null,
  generation: null,
  session_id: null,
  retries: null,
  last_recovery: null,
  last_beat: null,
  deadline: null
} as const

const advice = ({ role }: CallContext, { id, owner, watch }: WatchStatus): string => {
  if (owner === null || owner === "gone")
    return `No souffleur runs for ${id} now: a person resumes it with "souffleur watch". Until then you are not brought back.`
  if (role === "earlier generation")
    return `Your session was succeeded by generation ${watch.generation}: stop, and leave the work to it.`
  if (role === "another session") return "You are not the Conductor: it alone sends heartbeats and asks for a recovery."
  if (watch.held !== undefined)
    return 'An operator holds the watch: nothing is brought back until a person says "souffleur go".'
  if (watch.standby !== undefined)
    return `souffleur stands by: ${watch.standby.message}. A person says "souffleur retry" or "souffleur adopt".`
  return watch.comms === null
    ? "You are watched. Say done when all is complete."
    : "You are watched. Send a heartbeat at least every two minutes; say done when all is complete."
}

/** Tells an agent what souffleur knows of it. */
export const myState = () =>
  call(
    Effect.fnUntraced(function* (here) {
      if (here.watched === undefined) {
        const before =
          here.ended === undefined
            ? ""
            : `The watch ${here.ended.id} of your session has ended (${statusLine(here.ended.watch)}). `
        return { ...unwatched, comms: here.comms, note: `${before}No souffleur watches you; ${startWith(here)}` }
      }
      const souffleur = yield* Souffleur
      const seen = yield* souffleur.status(here.watched)
      const { agentBeatAt, deadline, id, watch } = seen
      const moment = (at: number | null) => (at === null ? null : iso(at))
      return {
        watch: id,
        you_are: here.role,
        phase: watch.phase,
        standing: statusLine(watch),
        agent: seen.agent,
        generation: watch.generation,
        session_id: watch.sessionId,
        comms: watch.comms,
        retries: watch.retries,
        last_recovery: yield* lastRecovery(here.watched),
        last_beat: moment(agentBeatAt),
        deadline: moment(deadline),
        note: advice(here, seen)
      }
    })
  )

/** The number of ended watches that are listed, the last ones. */
const maxEnded = 10

/** Lists the watches of this machine. */
export const status = () =>
  call(
    Effect.fnUntraced(function* () {
      const souffleur = yield* Souffleur
      const { last } = yield* souffleur.ended(maxEnded)
      const seen = yield* Effect.forEach([...(yield* souffleur.living), ...last], souffleur.status)
      const statuses = inOrder(seen.map(statusJson))
      return {
        watches: statuses.map(
          ({ comms, conductor, generation, last_event_at, project, retries, standing, state, watch }) => {
            const { alive, heartbeat_age_ms, pid, session_id } = conductor
            return {
              watch,
              project,
              state,
              standing,
              generation,
              pid,
              alive,
              session_id,
              heartbeat_age_ms,
              comms,
              retries,
              last_event_at
            }
          }
        )
      }
    })
  )
