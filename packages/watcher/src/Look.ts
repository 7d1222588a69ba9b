import {
  Agent,
  baselineOf,
  brokenOff,
  compactPrompt,
  Comms,
  type CommsSnapshot,
  type Condition,
  heartbeatAge,
  type HeartbeatSeen,
  folderOf,
  Hooks,
  isOver,
  isWithin,
  judge,
  Launcher,
  moment,
  type Moment,
  parseTime,
  Processes,
  see,
  type SessionSigns,
  Settings,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Clock, Duration, Effect, Option, Ref } from "effect"
import { excuseOf, type Sighting } from "./Classify.ts"
import { readSigns } from "./SignsOfLife.ts"
import { isUntaken } from "./Untaken.ts"

/** What a watcher remembers from look to look. */
interface Memory {
  readonly last: Moment
  readonly heartbeat: HeartbeatSeen | undefined
  readonly notBefore: number
  readonly otherStateSeen: boolean
  readonly commsOut: boolean
  /** What the process had used of the processor, and since when nobody saw it use more. */
  readonly still: { readonly used: number; readonly since: number } | undefined
  /** The time of the turn in which it was last excused from beating; `undefined`: not since, or it had time to beat again. */
  readonly excused: number | undefined
  /** It waited for a person at the last look. */
  readonly waiting: boolean
  /** Since when it no longer waits for a person, epoch ms; 0: none was awaited. */
  readonly answeredAt: number
}

const conductorOf = (comms: CommsSnapshot | undefined) => Option.getOrUndefined(comms?.conductor ?? Option.none())

/** A state that is known, and is not the handoff: one that comes after it was raised in this generation. */
const isOther = (state: string | null | undefined) => state !== null && state !== undefined && state !== "context_recovery"

/** What one look takes at most, ms, comms' own patience included: twice that, and it has stood still. */
const lookWithin = 5_000

/**
 * How one watcher looks at its Conductor: everything is read first, and what changes is seen against the look before
 * (spec: behaviour#polls). It decides nothing.
 */
export const makeLook = Effect.fn("makeLook")(function* (ref: WatchRef, watch: Watch) {
  const agent = yield* Agent
  const comms = yield* Comms
  const settings = yield* Settings
  const hooks = yield* Hooks
  const launcher = yield* Launcher
  const processes = yield* Processes
  const interval = Duration.toMillis(settings.watcherInterval)

  // A first look decides nothing: it is what the polls see changes against.
  const first = Option.getOrUndefined(yield* Effect.option(comms.snapshot))
  const start = yield* moment
  const memory = yield* Ref.make<Memory>({
    last: start,
    heartbeat: first === undefined ? undefined : see(undefined, conductorOf(first)?.lastHeartbeat ?? null, start.wall),
    // A watcher that starts long after its event follows a souffleur that was away; what is ahead was told by another clock.
    notBefore: Math.min(
      start.wall,
      Math.max(watch.launchedAt, watch.brokenOffAt, start.wall - watch.watcher!.since > interval ? start.wall : 0)
    ),
    otherStateSeen: isOther(watch.baseline.conductorState) || isOther(conductorOf(first)?.state),
    commsOut: first === undefined,
    excused: undefined,
    waiting: false,
    answeredAt: 0,
    still: undefined
  })

  /** The live process that says that it holds a session. */
  const holderOf = Effect.fnUntraced(function* (sessionId: string) {
    const session = (yield* agent.sessions).find((one) => one.sessionId === sessionId)
    const process = session === undefined ? Option.none() : yield* processes.find(session.pid)
    if (Option.isNone(process)) return undefined
    const conductor = process.value.identity
    const words = yield* processes.commandLine(conductor.pid)
    // A session of ours that only compacts, and did not end, is no Conductor; nor is a process that is no agent, whoever's file names it.
    return words.at(-1) === compactPrompt || !agent.isAgent(words) ? undefined : { conductor, print: agent.inPrintMode(words) }
  })

  const refused = yield* Ref.make(watch.refused.includes("session"))
  /** Another project's conversation is nobody's to hand on here, and its process nobody's to stop. */
  const refuse = Effect.fnUntraced(function* (sessionId: string, named: string, folder: string | undefined) {
    if (yield* Ref.getAndSet(refused, true)) return undefined
    const where = folder === undefined ? "nothing says where it began" : `it began in ${folder}`
    const why = `session ${sessionId}, ${named}, is not taken: ${where}, and this watch is of ${watch.project}`
    yield* ref.tell({ _tag: "ReportRefused", what: "session", from: sessionId, why })
    return undefined
  })

  /**
   * New to this watch, or the id that the launch asked for; a session of an earlier generation is left over
   * (spec: behaviour#awaiting-a-session-id). Where the row corrects the id, who was launched may not be who holds it: one look says who is
   * (spec: behaviour#modes). Or, by the agent's own hooks, another one that its process holds by now, such as after a `/clear`.
   */
  const findSession = Effect.fnUntraced(function* (sessionId: string | null | undefined) {
    const held = watch.conductor === undefined ? Option.none() : yield* hooks.holds(watch.conductor)
    if (Option.isSome(held) && held.value !== watch.sessionId) {
      // The Conductor itself has begun it, perhaps in a folder of the project; before its first word it has no file.
      const folder = yield* folderOf(held.value)
      if (isWithin(watch.project, folder)) return { sessionId: held.value, holder: "the same" as const }
      yield* refuse(held.value, "which its hooks name", folder)
    }
    if (!watch.awaiting || !sessionId) return undefined
    const found = Option.getOrUndefined(yield* Effect.option(agent.sessionFile(sessionId)))?.sessionId
    if (found === undefined || (found !== watch.sessionId && watch.sessions.includes(found))) return undefined
    if (found === watch.sessionId) return { sessionId: found, holder: "the same" as const }
    const folder = yield* folderOf(found)
    if (folder !== watch.project) return yield* refuse(found, "which task-00 names", folder)
    const holder = yield* holderOf(found)
    if (holder === undefined) return { sessionId: found, holder: "unknown" as const }
    const known = watch.conductor
    const same = holder.conductor.pid === known?.pid && holder.conductor.startTime === known.startTime
    return { sessionId: found, holder: same ? ("the same" as const) : holder }
  })

  /** Its heartbeat is newer than the closing. A clock that was ahead makes an old one look new: this watcher must have seen it change. */
  const beats = ({ changedAt, raw }: HeartbeatSeen, closed: number, now: number) =>
    changedAt !== undefined && Option.exists(parseTime(raw), (at) => at > closed && at <= now)

  /**
   * Back by itself: its heartbeat, or without comms its session file, is newer than the closing, and a live process holds the
   * session (spec: behaviour#standby).
   */
  const findReturned = Effect.fnUntraced(function* (seen: CommsSnapshot, heartbeat: HeartbeatSeen, signs: SessionSigns | undefined) {
    const now = yield* Clock.currentTimeMillis
    if (watch.standby === undefined) return undefined
    const { since } = watch.standby
    if (watch.comms === null ? signs === undefined || signs.writtenAt <= since : !beats(heartbeat, since, now)) return undefined
    const holder = yield* holderOf(watch.sessionId)
    return holder === undefined ? undefined : { _tag: "Returned" as const, ...holder, baseline: baselineOf(seen) }
  })

  /** Whether a request has words of this generation: asked for only where nothing else tells when it was raised. */
  const findPayload = Effect.fnUntraced(function* (state: string | undefined, otherStateSeen: boolean) {
    if (state !== "context_recovery" || otherStateSeen || watch.baseline.conductorState === null) return false
    const said = yield* Effect.option(comms.payload({ after: watch.baseline.lastMessageId, sessions: watch.sessions }))
    return Option.exists(said, ({ heard }) => Option.isSome(heard))
  })

  const turnEnded = (condition: Condition | undefined) =>
    Effect.suspend(() => (isOver(condition) ? agent.turnEnded(watch.conductor!, watch.sessionId) : Effect.succeed(false)))
  const exitedWell = (condition: Condition | undefined) =>
    Effect.suspend(() => (isOver(condition) && watch.launchId !== undefined ? launcher.exitCode(watch.launchId) : Effect.succeedNone)).pipe(
      Effect.map((code) => Option.contains(code, 0))
    )

  const look = Effect.fnUntraced(function* (due: number, taken: boolean) {
    const now = yield* moment
    const before = yield* Ref.get(memory)
    const snapshot = yield* Effect.option(comms.snapshot)
    const condition = watch.conductor === undefined ? undefined : yield* processes.condition(watch.conductor)
    const used = watch.conductor === undefined ? undefined : yield* processes.processorTime(watch.conductor)
    const seen = Option.getOrUndefined(snapshot)
    const conductor = conductorOf(seen)
    const ended = yield* turnEnded(condition)
    const read = yield* readSigns(ref, watch, { process: condition, turnEnded: ended })
    const over = yield* moment
    // One that stood still in its midst holds old signs against a new time, or new ones against an old.
    const stood = brokenOff(now, over, lookWithin)
    const anew = stood || brokenOff(before.last, now, due) || (before.commsOut && seen !== undefined)
    const heartbeat =
      seen === undefined ? before.heartbeat : see(anew ? undefined : before.heartbeat, conductor?.lastHeartbeat ?? null, now.wall)
    const since = anew ? over.wall : before.notBefore
    const still = used === undefined ? undefined : !anew && before.still?.used === used ? before.still : { used, since: now.wall }
    const signs = { ...read, stillSince: still?.since, since }
    const stallAfter = Duration.toMillis(settings.stallAfter)
    const verdict = judge(signs, stallAfter)
    const waiting = verdict._tag === "Waiting"
    const answered = before.waiting && !waiting
    const answeredAt = answered ? now.wall : before.answeredAt
    const excuse = excuseOf({ answeredAt, now: now.wall, process: condition, signs, stallAfter, verdict })
    const turnAt = signs.session?.turn?.at ?? 0
    // It could not beat while a tool ran or a person was awaited: once its turn goes on, it has the whole time again. A person's answer
    // is in no record before what it allowed is over.
    const goesOn = excuse === undefined && before.excused !== undefined && (answered || turnAt > before.excused)
    const after: Memory = {
      last: over,
      heartbeat,
      notBefore: goesOn ? now.wall : since,
      otherStateSeen: before.otherStateSeen || isOther(conductor?.state),
      commsOut: seen === undefined,
      still,
      excused: excuse !== undefined ? turnAt : goesOn ? undefined : before.excused,
      waiting,
      answeredAt
    }
    yield* Ref.set(memory, after)
    const told = heartbeat ?? { raw: null, changedAt: undefined }
    const beating = seen !== undefined && heartbeatAge(told, now.wall, after.notBefore) !== undefined
    const foundSession = yield* findSession(conductor?.sessionId)
    // One that beats is not judged by what it did with its hand-off; nor one of which nobody knows whether it does, unless by its session.
    const judged = !taken && !beating && (signs.session !== undefined || (seen !== undefined && foundSession === undefined))
    return {
      now: now.wall,
      process: condition,
      comms: seen,
      heartbeat: told,
      notBefore: after.notBefore,
      staleAfter: Duration.toMillis(settings.heartbeatStaleAfter),
      stallAfter,
      otherStateSeen: before.otherStateSeen,
      answeredAt,
      newPayload: yield* findPayload(conductor?.state, before.otherStateSeen),
      turnEnded: watch.comms !== null && watch.print && ended,
      finished: watch.comms === null && (watch.kind === "agent" ? ended : yield* exitedWell(condition)),
      signs,
      verdict,
      untaken:
        judged && (yield* isUntaken(watch, { ...signs, since: after.notBefore }, verdict, Duration.toMillis(settings.handoffWithin))),
      returned: seen === undefined ? undefined : yield* findReturned(seen, told, signs.session),
      resolved: watch.mode === "heartbeat-only" ? yield* holderOf(watch.sessionId) : undefined,
      foundSession
    } satisfies Sighting
  })

  /** Before the first poll only this is looked for: a state that came and went would hide the trigger after it. */
  const glance = Effect.gen(function* () {
    if ((yield* Ref.get(memory)).otherStateSeen) return
    const state = conductorOf(Option.getOrUndefined(yield* Effect.option(comms.snapshot)))?.state
    if (isOther(state)) yield* Ref.update(memory, (before) => ({ ...before, otherStateSeen: true }))
  })
  /** Comms did not take the mirror of a beat: an outage that is over before the next look, in which the Conductor's beats were lost too. */
  const missed = Ref.update(memory, (before) => ({ ...before, commsOut: true }))

  return { look, glance, missed }
})
