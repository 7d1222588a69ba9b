import { Comms, iso, parseTime, Processes, type WatchEvent, watches } from "@souffleur/domain"
import { agentBeats, Beats } from "@souffleur/eventlog"
import { Duration, Effect, Option } from "effect"
import { inOrder, statusOf } from "../commands/StatusCommand.ts"
import type { NamedWatch } from "@souffleur/embed"
import { endedWatches, layerComms, livingWatches, sentence, settingsOf, statusLine } from "@souffleur/embed/internal"
import { call, startWith } from "./Call.ts"
import type { CallContext } from "./CallContext.ts"

/** The events that a recovery follows from. */
const reasons: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "ContextRecoveryRequested",
  "ContextExhausted",
  "HandoffRequested",
  "TurnEnded",
  "EndedEarly",
  "RecoveryRetried"
])
const isReason = (event: WatchEvent) => reasons.has(event._tag) || (event._tag === "WaitEnded" && event.how === "over")

/** Returns the last recovery of a watch and its reason. `null`: there was none. */
const lastRecovery = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  if (watch.cycles === 0) return null
  const events = yield* watches.tail(id, watch.revision, (events) => {
    const started = events.findLastIndex(({ _tag }) => _tag === "RecoveryStarted")
    return events.slice(0, Math.max(0, started)).some(isReason)
  })
  const started = events.findLastIndex(({ _tag }) => _tag === "RecoveryStarted")
  if (started === -1) return null
  const reason = events.slice(0, started).findLast(isReason)
  const came = events
    .slice(started)
    .find(({ _tag }) => ["ConductorRelaunched", "RecoveryFailedClosed", "RetriesExhausted"].includes(_tag))
  const what = came ?? events[started]!
  return { at: iso(what.at), what: sentence(what, watch), reason: reason === undefined ? "" : sentence(reason, watch) }
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

const advice = Effect.fnUntraced(function* (here: CallContext, { id, watch }: NamedWatch) {
  const processes = yield* Processes
  const owned = watch.owner !== undefined && (yield* processes.condition(watch.owner.process)) !== "gone"
  if (!owned)
    return `No souffleur runs for ${id} now: a person resumes it with "souffleur watch". Until then you are not brought back.`
  if (here.role === "earlier generation")
    return `Your session was succeeded by generation ${watch.generation}: stop, and leave the work to it.`
  if (here.role === "another session")
    return "You are not the Conductor: it alone sends heartbeats and asks for a recovery."
  if (watch.held !== undefined)
    return 'An operator holds the watch: nothing is brought back until a person says "souffleur go".'
  if (watch.standby !== undefined)
    return `souffleur stands by: ${watch.standby.message}. A person says "souffleur retry" or "souffleur adopt".`
  return watch.comms === null
    ? "You are watched. Say done when all is complete."
    : "You are watched. Send a heartbeat at least every two minutes; say done when all is complete."
})

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
      const { id, watch } = here.watched
      const beats = yield* Beats
      const settings = yield* settingsOf(watch.project)
      const beat = yield* beats.last(agentBeats(id))
      const snapshot = yield* Effect.option(Comms.use((comms) => comms.snapshot)).pipe(
        Effect.provide(layerComms(watch.comms))
      )
      const heard = Option.flatMap(snapshot, ({ conductor }) =>
        Option.flatMap(conductor, ({ lastHeartbeat }) => parseTime(lastHeartbeat))
      )
      return {
        watch: id,
        you_are: here.role,
        phase: watch.phase,
        standing: statusLine(watch),
        generation: watch.generation,
        session_id: watch.sessionId,
        comms: watch.comms,
        retries: watch.retries,
        last_recovery: yield* lastRecovery(here.watched),
        last_beat: Option.match(beat, { onNone: () => null, onSome: ({ at }) => iso(at) }),
        deadline: Option.match(heard, {
          onNone: () => null,
          onSome: (at) => iso(Math.max(at, watch.launchedAt) + Duration.toMillis(settings.heartbeatStaleAfter))
        }),
        note: yield* advice(here, here.watched)
      }
    })
  )

/** The number of ended watches that are listed, the last ones. */
const maxEnded = 10

/** Lists the watches of this machine. */
export const status = () =>
  call(
    Effect.fnUntraced(function* ({ project }) {
      const settings = yield* settingsOf(project)
      const { last } = yield* endedWatches(maxEnded)
      const statuses = inOrder(
        yield* Effect.forEach([...(yield* livingWatches), ...last], (one) => statusOf(one, settings))
      )
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
