import {
  Agent,
  brokenOff,
  Comms,
  type CommsSnapshot,
  Export,
  moment,
  parseTime,
  Processes,
  SessionMark,
  Settings,
  type TurnState,
  type Watch
} from "@souffleur/domain"
import { Stopped, StopFailed } from "@souffleur/process"
import { Clock, Duration, Effect, FileSystem, Option, Path, Ref, Schema } from "effect"
import { unlessComplete } from "./Completion.ts"
import { unlessElsewhere } from "./Holder.ts"
import { FailedClosed } from "../Provider.ts"
import { again, Cycle, step, stillGranted } from "./Step.ts"
import { beatPoll } from "./RecoverySchedule.ts"
import { isStopped, stopConductor } from "./Stop.ts"

/** No usable export of this session in this cycle. */
export class NoExport extends Schema.TaggedError<NoExport>()("NoExport", { why: Schema.String }) {}

const failedClosed = (stage: string) => (error: { readonly why: string }) => Effect.fail(new FailedClosed({ stage, reason: error.why }))

/**
 * A recovery that was broken off, or that an operator wants tried again, comes back to a Conductor that was given up for its silence
 * and has beaten since: it is healthy, and nobody signals that (spec: behaviour#still-dead). Its beats end the standby.
 */
const unlessBeating = Effect.fnUntraced(function* (watch: Watch, snapshot: Option.Option<CommsSnapshot>) {
  const { conductor, recovery, silent } = watch
  if (recovery?.trigger !== "heartbeat" || conductor === undefined) return
  const { heartbeatStaleAfter } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const beats = Option.isNone(snapshot)
    ? recovery.resumed || silent?.retried === true
    : hasBeaten(watch, snapshot.value, now - Duration.toMillis(heartbeatStaleAfter))
  if (!beats || (yield* (yield* Processes).condition(conductor)) !== "running") return
  const reason = Option.isNone(snapshot)
    ? "comms is out, and the Conductor may beat again since it was given up: it is not stopped"
    : "the Conductor beats again: it is not stopped"
  return yield* new FailedClosed({ stage: "stop", reason })
})

/** A turn at work: neither over, nor waiting for a person, nor ended by the service. */
const isAtWork = ({ _tag }: TurnState) => _tag === "Asked" || _tag === "Tool" || _tag === "Retrying"

/**
 * Given up for what its session file said, or did not say any more: where that has gone on since, it is healthy, and is not
 * stopped either; nor where an operator has it tried again before its next word. What it writes next ends the standby.
 */
const unlessMoving = Effect.fnUntraced(function* ({ conductor, recovery, sessionId }: Watch) {
  const judged = recovery !== undefined && ["hang", "untaken", "limit", "context"].includes(recovery.trigger)
  if (!judged || conductor === undefined) return
  const { stallAfter } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const signs = yield* (yield* Agent).signs(sessionId)
  const moves = Option.exists(
    signs,
    ({ turn }) => turn !== undefined && (turn.at > recovery.since || (isAtWork(turn) && now - turn.at <= Duration.toMillis(stallAfter)))
  )
  if (!moves || (yield* (yield* Processes).condition(conductor)) !== "running") return
  return yield* new FailedClosed({ stage: "stop", reason: "the Conductor goes on again: it is not stopped" })
})

const heartbeatOf = ({ conductor }: CommsSnapshot) => Option.match(conductor, { onNone: () => null, onSome: (row) => row.lastHeartbeat })

/** A value that changed is alive, whatever clock wrote it; when an operator looks at it later, unless it is old again by then. */
const hasBeaten = ({ silent }: Watch, snapshot: CommsSnapshot, notBefore: number): boolean => {
  const heartbeat = heartbeatOf(snapshot)
  if (silent === undefined || heartbeat === null || heartbeat === silent.heartbeat) return false
  return !silent.retried || !Option.exists(parseTime(heartbeat), (at) => at < notBefore)
}

/**
 * An operator wants one stopped that was given up for its silence. Comms may have been out until just now, and its beats were lost with it:
 * as long as it runs, it gets one interval to beat again.
 */
const heardOut = Effect.fnUntraced(function* ({ conductor, recovery, silent }: Watch) {
  if (recovery?.trigger !== "heartbeat" || conductor === undefined || silent?.retried !== true) return
  const comms = yield* Comms
  const processes = yield* Processes
  const { watcherInterval } = yield* Settings
  const look = Effect.gen(function* () {
    const snapshot = yield* Effect.option(comms.snapshot)
    const over = (yield* processes.condition(conductor)) !== "running"
    return { heartbeat: Option.getOrNull(Option.map(snapshot, heartbeatOf)), over: over || Option.isNone(snapshot) }
  })
  const first = yield* look
  if (first.over) return
  yield* Effect.repeat(look, {
    until: ({ heartbeat, over }) => over || heartbeat !== first.heartbeat,
    schedule: beatPoll
  }).pipe(Effect.timeoutOption(watcherInterval))
})

/** Milliseconds that a look may take, and how often it is taken anew where it took longer. */
const [lookTakes, looks] = [5000, 3]

/**
 * That it may be stopped still, and by this recovery, seen in one go: where souffleur itself stood still in its midst, what it saw first is
 * of another time.
 */
const stillDead = Effect.fnUntraced(function* (watch: Watch) {
  for (let look = 1; look <= looks; look++) {
    const before = yield* moment
    yield* stillGranted(watch)
    yield* unlessMoving(watch)
    yield* unlessBeating(watch, yield* unlessComplete)
    yield* unlessElsewhere(watch)
    if (!brokenOff(before, yield* moment, lookTakes)) return
  }
  return yield* new FailedClosed({
    stage: "stop",
    reason: "souffleur stands still again and again: whether the Conductor is dead it cannot see"
  })
})

/**
 * 1: stop the old Conductor. It is looked at before the intent, and last of all before the first signal: souffleur may have stood still
 * since, and the Conductor gone on. After that it may still beat, as it ends.
 */
export const stop = Effect.fn("stop")(function* (watch: Watch) {
  const recorded = (yield* (yield* Cycle).watch.state).recovery?.steps["1 stop"]
  // Once it was stopped, what was begun after that comes first: a launch of which nobody knows yet whether it ran.
  if (recorded === undefined || recorded._tag === "Started") {
    yield* heardOut(watch)
    yield* stillDead(watch)
  }
  const signalled = yield* Ref.make(false)
  const granted = Effect.flatMap(Ref.get(signalled), (already) =>
    already ? stillGranted(watch) : Effect.andThen(stillDead(watch), Ref.set(signalled, true))
  ).pipe(Effect.provideService(Cycle, yield* Cycle))
  return yield* step("1 stop", {
    outcome: Stopped,
    failure: StopFailed,
    act: () => stopConductor(watch, granted),
    reconcile: () =>
      Effect.map(isStopped(watch), (gone) => (gone ? Option.some<Stopped>({ ended: "already gone", others: 0 }) : Option.none()))
  }).pipe(Effect.catchTag("StopFailed", failedClosed("stop")))
})

/** An export, whose conversation it is, and where that session's file ended before it was read; no `mark` where it could not be read. */
export const Exported = Schema.Struct({
  ...Export.fields,
  sessionId: Schema.String,
  mark: Schema.optionalKey(SessionMark)
})
export type Exported = typeof Exported.Type

/**
 * Whose conversation is handed on. A successor that died before its first word left no session file: then it is the newest of those
 * before it.
 */
export const newestSession = Effect.fn("Recovery.newestSession")(function* ({ sessionId, sessions }: Watch) {
  const agent = yield* Agent
  for (const one of [sessionId, ...sessions.toReversed()]) {
    if (Option.isSome(yield* Effect.option(agent.sessionFile(one)))) return one
  }
  return sessionId
})

/** Writes the conversation to the state folder, under a step's token. */
export const writeExport = Effect.fnUntraced(
  function* (watch: Watch, token: string) {
    const agent = yield* Agent
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const settings = yield* Settings
    const folder = path.join(settings.stateDir, "exports")
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const sessionId = yield* newestSession(watch)
    const mark = yield* Effect.option(agent.mark(sessionId))
    const exported = yield* agent.exportSession(sessionId, path.join(folder, `${(yield* Cycle).watch.id}-${token}.md`))
    return { ...exported, sessionId, ...Option.match(mark, { onNone: () => ({}), onSome: (mark) => ({ mark }) }) } satisfies Exported
  },
  Effect.mapError((error) => new NoExport({ why: error._tag === "PlatformError" ? error.message : error.why }))
)

const sameMark = Schema.toEquivalence(SessionMark)

/**
 * Souffleur may have stood still since it exported, and a person may have gone on with the session by hand meanwhile: then the export
 * is not the end of the conversation any more. A session file that is gone says nothing newer.
 */
export const unlessStale = Effect.fnUntraced(function* (watch: Watch, { mark }: Exported) {
  if (mark === undefined) return
  const now = yield* Effect.option(Effect.flatMap(newestSession(watch), (yield* Agent).mark))
  if (Option.exists(now, (one) => !sameMark(one, mark)))
    return yield* new NoExport({ why: "the conversation went on after it was exported: the export is not its end any more" })
})

/** 2: export the conversation, whole. */
export const exportConversation = Effect.fn("exportConversation")(function* (watch: Watch) {
  return yield* step("2 export", { outcome: Exported, failure: NoExport, act: (token) => writeExport(watch, token), reconcile: again })
})
