import {
  Comms,
  EventLog,
  formatPayload,
  handoffForbidden,
  parseTime,
  Processes,
  quietUntilNow,
  type WatchEvent,
  iso
} from "@souffleur/domain"
import { forgetHandoffFile, writeHandoffFile } from "@souffleur/process"
import { agentBeats, Beats } from "@souffleur/eventlog"
import { command, finish, soloComms } from "@souffleur/supervisor"
import { Clock, Duration, Effect, Option, Random } from "effect"
import { agent, comms, settingsOf } from "../world/App.ts"
import { statusOf } from "../commands/StatusCommand.ts"
import { statusLine } from "../explain/StatusLine.ts"
import { sentence } from "../explain/WatchSentence.ts"
import { allWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { answerOf, answerWithComms } from "./Answer.ts"
import { asConductor, call, onComms, startWith } from "./Call.ts"
import type { CallContext } from "./CallContext.ts"
import { ToolFailed, type Word } from "./Tools.ts"

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

/** The events that a recovery follows from. */
const reasons: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "ContextRecoveryRequested",
  "ContextExhausted",
  "HandoffRequested",
  "TurnEnded",
  "RecoveryRetried"
])
const isReason = (event: WatchEvent) => reasons.has(event._tag) || (event._tag === "WaitEnded" && event.how === "over")

/** Returns the last recovery of a watch and its reason. `null`: there was none. */
const lastRecovery = Effect.fnUntraced(function* (id: string) {
  const events = (yield* (yield* EventLog).read(id, 0)).map(({ event }) => event)
  const started = events.findLastIndex(({ _tag }) => _tag === "RecoveryStarted")
  if (started === -1) return null
  const reason = events.slice(0, started).findLast(isReason)
  const came = events
    .slice(started)
    .find(({ _tag }) => ["ConductorRelaunched", "RecoveryFailedClosed", "RetriesExhausted"].includes(_tag))
  const what = came ?? events[started]!
  return { at: iso(what.at), what: sentence(what), reason: reason === undefined ? "" : sentence(reason) }
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
  if (watch.standby !== undefined)
    return `souffleur stands by: ${watch.standby.reason}. A person says "souffleur retry" or "souffleur adopt".`
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
      const snapshot = yield* Effect.option(Comms.use((board) => board.snapshot)).pipe(
        Effect.provide(comms(watch.comms))
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
        last_recovery: yield* lastRecovery(id),
        last_beat: Option.match(beat, { onNone: () => null, onSome: ({ at }) => iso(at) }),
        deadline: Option.match(heard, {
          onNone: () => null,
          onSome: (at) => iso(Math.max(at, watch.launchedAt) + Duration.toMillis(settings.heartbeatStaleAfter))
        }),
        note: yield* advice(here, here.watched)
      }
    })
  )

/** Draws a new id that is safe as a file's name. */
const freshRequest = Effect.fnUntraced(function* ({ id, watch }: NamedWatch) {
  const digits = yield* Effect.replicateEffect(Random.nextIntBetween(0, 15), 16)
  return `${id}-g${watch.generation}-${digits.map((digit) => digit.toString(16)).join("")}`
})

/** Measures the Conductor's progress as its watcher would. `null`: it is unknown. */
const progressOf = Effect.fn("progressOf")(
  function* ({ watch }: NamedWatch) {
    const settings = yield* settingsOf(watch.project)
    const { taskCount, taskFingerprint } = yield* Effect.provide(
      Effect.flatMap(soloComms(watch), ({ snapshot }) => snapshot),
      agent(settings)
    )
    return { count: taskCount, fingerprint: taskFingerprint }
  },
  Effect.orElseSucceed(() => null)
)

/**
 * Asks for a recovery in a watch without comms. The words go to a file first, so that a crash cannot lose them after
 * the request.
 */
const askSolo = Effect.fnUntraced(function* (named: NamedWatch, text: string) {
  const { quietHours, stateDir } = yield* settingsOf(named.watch.project)
  const request = yield* freshRequest(named)
  const digest = yield* writeHandoffFile(stateDir, request, text).pipe(
    Effect.mapError(
      ({ message }) =>
        new ToolFailed({
          message: `Your words could not be kept: ${message}. Nothing was asked for: go on, and tell a person.`
        })
    )
  )
  const tasks = yield* progressOf(named)
  const quietUntil = yield* quietUntilNow(quietHours)
  return yield* command(named.id, {
    _tag: "RequestHandoff",
    sessionId: named.watch.sessionId,
    request,
    digest,
    tasks,
    quietUntil
  }).pipe(
    // Another event came first, so no recovery will read the file.
    Effect.catchTag("Refused", (refused) => Effect.andThen(forgetHandoffFile(stateDir, request), Effect.fail(refused)))
  )
})

/**
 * Posts the words first, then the state that makes them count. A crash between the two asks for nothing (spec:
 * behaviour#payload).
 */
const askOnBoard = Effect.fnUntraced(function* (here: CallContext, text: string) {
  const at = yield* Clock.currentTimeMillis
  // It posts as task-00, because its session may be newer than the watch knows.
  yield* onComms(here, (link) => link.post({ taskId: "souffleur", from: "task-00", type: "handoff", text, at }))
  yield* onComms(here, (link) => link.setState("context_recovery", at))
})

/** Asks for a recovery of the Conductor's own context. */
export const requestContextRecovery = ({
  permission_mode: permissionMode,
  resume_prompt: resumePrompt
}: Word<"request_context_recovery">) =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const text = formatPayload({ permissionMode, resumePrompt })
      if (here.watched === undefined) {
        yield* askOnBoard(here, text)
        return {
          watch: null,
          note: `It stands in the task database, but no souffleur of this state folder watches you: do not stop before you are stopped; ${startWith(here)}`
        }
      }
      const { id, watch } = here.watched
      const never = handoffForbidden(watch, watch.sessionId)
      if (never !== undefined) return yield* new ToolFailed({ message: `Not now: ${never}.` })
      if (watch.comms === null) return { watch: id, note: answerOf(yield* askSolo(here.watched, text)) }
      yield* askOnBoard(here, text)
      const quietUntil = yield* quietUntilNow((yield* settingsOf(watch.project)).quietHours)
      return { watch: id, note: answerWithComms(watch, quietUntil) }
    })
  )

/** Takes the agent's word that all work is complete. */
export const done = () =>
  call(
    Effect.fnUntraced(function* (here) {
      yield* asConductor(here)
      const ended = here.ended?.watch.end === "completed" ? here.ended.id : undefined
      const at = yield* Clock.currentTimeMillis
      if (here.watched?.watch.comms === null) yield* finish(here.watched.id, "agent")
      else if (ended === undefined || here.comms !== null) yield* onComms(here, (link) => link.setState("complete", at))
      return {
        watch: here.watched?.id ?? ended ?? null,
        note: "The work is said to be complete: souffleur leaves, and you are not brought back after this."
      }
    })
  )

/** The number of ended watches that are listed. */
const maxEnded = 10

/** Lists the watches of this machine. */
export const status = () =>
  call(
    Effect.fnUntraced(function* ({ project }) {
      const all = yield* allWatches
      const settings = yield* settingsOf(project)
      const ended = new Set(all.filter(({ watch }) => watch.phase === "Exited").slice(-maxEnded))
      const told = all.filter((named) => named.watch.phase !== "Exited" || ended.has(named))
      const watches = yield* Effect.forEach(told, (named) => statusOf(named, settings))
      return {
        watches: watches.map(({ comms, conductor, generation, last_event_at, project, retries, standing, watch }) => {
          const { alive, heartbeat_age_ms, pid, session_id } = conductor
          return {
            watch,
            project,
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
        })
      }
    })
  )
