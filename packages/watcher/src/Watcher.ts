import {
  Agent,
  baselineOf,
  Beats,
  Comms,
  type CommsSnapshot,
  type Condition,
  type HeartbeatSeen,
  Launcher,
  parseTime,
  Processes,
  see,
  Settings,
  type Watch,
  type WatcherExit,
  type WatchRef
} from "@souffleur/domain"
import { Clock, Deferred, Duration, Effect, Option, Ref } from "effect"
import { classify, evidenceOf, type Sighting } from "./Classify.ts"
import { brokenOff, moment, type Moment } from "./Punctuality.ts"
import { patrol, probe } from "./WatchSchedule.ts"

/** What a watcher remembers from poll to poll. */
interface Patrol {
  readonly last: Moment
  readonly heartbeat: HeartbeatSeen | undefined
  readonly notBefore: number
  readonly otherStateSeen: boolean
  readonly commsOut: boolean
}

type Report = Pick<Sighting, "comms"> & { readonly exit: WatcherExit; readonly evidence: ReturnType<typeof evidenceOf> }

const conductorOf = (comms: CommsSnapshot | undefined) => Option.getOrUndefined(comms?.conductor ?? Option.none())

/** A state that is known, and is not the handoff: one that comes after it was raised in this generation. */
const isOther = (state: string | null | undefined) => state !== null && state !== undefined && state !== "context_recovery"

const isGone = (condition: Condition | undefined) => condition === "gone" || condition === "zombie"

/**
 * Polls one Conductor until there is something to report, and beats meanwhile (spec §2, Watching). It reads everything
 * first and decides then; it never acts. Ends by its report, or because the watch went on without it.
 */
export const watcher = Effect.fn("Watcher")(function* (ref: WatchRef, watch: Watch) {
  const { watcher: me, since } = watch.watcher!
  const [settings, agent, beats, comms] = [yield* Settings, yield* Agent, yield* Beats, yield* Comms]
  const [launcher, processes] = [yield* Launcher, yield* Processes]
  const [wait, interval] = [Duration.toMillis(settings.watcherInitialWait), Duration.toMillis(settings.watcherInterval)]
  const exit = yield* Deferred.make<Report>()

  /** In our own store first: a locked comms must not look like a dead watcher. Whether comms took the mirror of it. */
  const beat = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    yield* beats.beat(ref.id, { by: `watcher/${me}`, at })
    return yield* comms.beat(at).pipe(
      Effect.as(true),
      Effect.catchTag("CommsUnavailable", (error) => Effect.as(Effect.logDebug("the beat is not mirrored", error.reason), false))
    )
  })

  yield* beat

  // A first look decides nothing: it is what the polls see changes against.
  const first = Option.getOrUndefined(yield* Effect.option(comms.snapshot))
  const start = yield* moment
  const memory = yield* Ref.make<Patrol>({
    last: start,
    heartbeat: first === undefined ? undefined : see(undefined, conductorOf(first)?.lastHeartbeat ?? null, start.wall),
    // A watcher that starts long after its event follows a souffleur that was away; what is ahead was told by another clock.
    notBefore: Math.min(start.wall, Math.max(watch.launchedAt, watch.brokenOffAt, start.wall - since > interval ? start.wall : 0)),
    otherStateSeen: isOther(watch.baseline.conductorState) || isOther(conductorOf(first)?.state),
    commsOut: first === undefined
  })

  /** The live process that says that it holds a session. */
  const holderOf = Effect.fnUntraced(function* (sessionId: string) {
    const session = (yield* agent.sessions).find((one) => one.sessionId === sessionId)
    const process = session === undefined ? Option.none() : yield* processes.find(session.pid)
    if (Option.isNone(process)) return undefined
    const conductor = process.value.identity
    return { conductor, print: agent.inPrintMode(yield* processes.commandLine(conductor.pid)) }
  })

  /**
   * New to this watch, or the id that the launch asked for; a session of an earlier generation is left over (spec §2, Awaiting). Where
   * the row corrects the id, who was launched may not be who holds it: one look says who is (spec §2, Modes).
   */
  const findSession = Effect.fnUntraced(function* (sessionId: string | null | undefined) {
    if (!watch.awaiting || !sessionId) return undefined
    const found = Option.getOrUndefined(yield* Effect.option(agent.sessionFile(sessionId)))?.sessionId
    if (found === undefined || (found !== watch.sessionId && watch.sessions.includes(found))) return undefined
    if (found === watch.sessionId) return { sessionId: found, holder: "the same" as const }
    const holder = yield* holderOf(found)
    if (holder === undefined) return { sessionId: found, holder: "unknown" as const }
    const known = watch.conductor
    const same = holder.conductor.pid === known?.pid && holder.conductor.startTime === known.startTime
    return { sessionId: found, holder: same ? ("the same" as const) : holder }
  })

  /**
   * Back by itself: its heartbeat is newer than the closing, and a live process holds the session (spec §2, Standby). A clock
   * that was ahead makes an old one look new: this watcher must have seen it change.
   */
  const findReturned = Effect.fnUntraced(function* (seen: CommsSnapshot, { changedAt, raw }: HeartbeatSeen) {
    const beat = parseTime(raw)
    const now = yield* Clock.currentTimeMillis
    if (watch.standby === undefined || changedAt === undefined) return undefined
    if (!Option.exists(beat, (at) => at > watch.standby!.since && at <= now)) return undefined
    const holder = yield* holderOf(watch.sessionId)
    return holder === undefined ? undefined : { _tag: "Returned" as const, ...holder, baseline: baselineOf(seen) }
  })

  const turnEnded = (condition: Condition | undefined) =>
    Effect.suspend(() => (isGone(condition) ? agent.turnEnded(watch.conductor!, watch.sessionId) : Effect.succeed(false)))
  const exitedWell = (condition: Condition | undefined) =>
    Effect.suspend(() => (isGone(condition) && watch.launchId !== undefined ? launcher.exitCode(watch.launchId) : Effect.succeedNone)).pipe(
      Effect.map((code) => Option.contains(code, 0))
    )

  const look = Effect.fnUntraced(function* (due: number) {
    const now = yield* moment
    const before = yield* Ref.get(memory)
    const snapshot = yield* Effect.option(comms.snapshot)
    const condition = watch.conductor === undefined ? undefined : yield* processes.condition(watch.conductor)
    const seen = Option.getOrUndefined(snapshot)
    const conductor = conductorOf(seen)
    const anew = brokenOff(before.last, now, due) || (before.commsOut && seen !== undefined)
    const heartbeat =
      seen === undefined ? before.heartbeat : see(anew ? undefined : before.heartbeat, conductor?.lastHeartbeat ?? null, now.wall)
    const after: Patrol = {
      last: now,
      heartbeat,
      notBefore: anew ? now.wall : before.notBefore,
      otherStateSeen: before.otherStateSeen || isOther(conductor?.state),
      commsOut: seen === undefined
    }
    yield* Ref.set(memory, after)
    return {
      now: now.wall,
      process: condition,
      comms: seen,
      heartbeat: heartbeat ?? { raw: null, changedAt: undefined },
      notBefore: after.notBefore,
      staleAfter: Duration.toMillis(settings.heartbeatStaleAfter),
      otherStateSeen: before.otherStateSeen,
      newPayload:
        watch.baseline.conductorState !== null &&
        Option.exists(seen?.payload ?? Option.none(), ({ id }) => id > watch.baseline.lastMessageId),
      turnEnded: watch.comms !== null && watch.print && (yield* turnEnded(condition)),
      finished: watch.comms === null && (yield* watch.kind === "agent" ? turnEnded(condition) : exitedWell(condition)),
      returned: seen === undefined || heartbeat === undefined ? undefined : yield* findReturned(seen, heartbeat),
      resolved: watch.mode === "heartbeat-only" ? yield* holderOf(watch.sessionId) : undefined,
      foundSession: yield* findSession(conductor?.sessionId)
    } satisfies Sighting
  })

  const poll = Effect.fn("Watcher.poll")(function* (due: number) {
    const seen = yield* look(due)
    const found = classify(watch, seen)
    yield* beat
    if (Option.isSome(found)) yield* Deferred.succeed(exit, { exit: found.value, comms: seen.comms, evidence: evidenceOf(seen) })
  })

  /** Before the first poll only this is looked for: a state that came and went would hide the trigger after it. */
  const glance = Effect.gen(function* () {
    if ((yield* Ref.get(memory)).otherStateSeen) return
    const state = conductorOf(Option.getOrUndefined(yield* Effect.option(comms.snapshot)))?.state
    if (isOther(state)) yield* Ref.update(memory, (before) => ({ ...before, otherStateSeen: true }))
  })
  /** An outage that is over before the first poll is seen by the mirror alone: the Conductor's beats were lost in it, too. */
  const mirror = Effect.flatMap(beat, (mirrored) =>
    mirrored ? Effect.void : Ref.update(memory, (before) => ({ ...before, commsOut: true }))
  )
  const beating = Effect.andThen(mirror, glance).pipe(
    Effect.schedule(patrol(settings.watcherInterval, settings.watcherInterval)),
    Effect.timeoutOption(wait)
  )
  const polls = yield* Ref.make(0)
  const patrolling = Ref.getAndUpdate(polls, (n) => n + 1).pipe(
    Effect.flatMap((n) => poll(n === 0 ? wait : interval)),
    Effect.schedule(patrol(settings.watcherInitialWait, settings.watcherInterval))
  )
  const gone = Effect.suspend(() => Effect.map(processes.condition(watch.conductor!), isGone))
  const probing =
    watch.conductor === undefined || watch.standby !== undefined
      ? Effect.never
      : Effect.repeat(gone, { schedule: probe, until: (yes) => yes }).pipe(Effect.andThen(poll(Math.max(wait, interval))))

  yield* ref.tell({ _tag: "WatcherReady", watcher: me })
  const report = yield* Effect.raceAllFirst([
    Deferred.await(exit),
    Effect.andThen(beating, Effect.never),
    Effect.andThen(patrolling, Effect.never),
    Effect.andThen(probing, Effect.never)
  ])
  yield* ref.tell({
    _tag: "ReportExit",
    watcher: me,
    exit: report.exit,
    tasks: report.comms === undefined ? null : { count: report.comms.taskCount, fingerprint: report.comms.taskFingerprint },
    evidence: report.evidence
  })
})
