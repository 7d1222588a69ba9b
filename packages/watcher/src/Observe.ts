import {
  Agent,
  asksFirst,
  Comms,
  type CommsSnapshot,
  type Condition,
  endedWell,
  heartbeatAge,
  isLoginRefused,
  isOver,
  judge,
  Launcher,
  lookAtLogin,
  momentNow,
  ownTurn,
  parseTime,
  type ProcessEnd,
  progressedSince,
  Settings,
  type Signs,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { launchOutput, noteCaps, noteFolders } from "@souffleur/process"
import { Duration, Effect, Option, Ref } from "effect"
import { readAgentProcess } from "./AgentBehind.ts"
import { endingOf } from "./EarlyEnding.ts"
import { makeFindSession } from "./FoundSession.ts"
import { handoffTimedOut } from "./HandoffTimeout.ts"
import { type Observation, tasksOf } from "./Observation.ts"
import { readSigns } from "./ReadSigns.ts"
import {
  conductorOf,
  firstMemory,
  isInterrupted,
  type PollReading,
  remember,
  rememberOutage,
  rememberState
} from "./Remember.ts"
import { findReturned, holderOf } from "./SessionHolder.ts"

/** The signals by which a terminal ends a program: a key, or its window is closed. */
const ofPersons: ReadonlySet<string> = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"])

/**
 * Makes the observer of one watcher: each poll reads everything, then compares it with the polls before
 * (spec: behaviour#polls).
 */
export const makeObserver = Effect.fn("makeObserver")(function* (ref: WatchRef, watch: Watch) {
  const agent = yield* Agent
  const comms = yield* Comms
  const settings = yield* Settings
  const launcher = yield* Launcher
  const stallAfter = Duration.toMillis(settings.stallAfter ?? agent.stall)
  const handoffTimeout = Duration.toMillis(settings.handoffWithin)
  const findSession = yield* makeFindSession(ref, watch)
  const { firstLaunch } = watch
  const isPrompted =
    firstLaunch !== undefined &&
    (yield* Effect.match(launcher.kept(firstLaunch.launchId, firstLaunch.digest), {
      onFailure: () => false,
      onSuccess: ({ prompt }) => prompt !== undefined
    }))
  const output = yield* launchOutput(watch.launchId)
  const isLoginRenewed = yield* lookAtLogin(watch.sessionId)

  // A process that is gone by the first poll names no folder and no cap.
  if (watch.conductor !== undefined) {
    yield* noteFolders(ref, watch.conductor)
    yield* noteCaps(ref, watch, watch.conductor)
  }

  const snapshot = Effect.map(Effect.option(comms.snapshot), Option.getOrUndefined)
  const first = yield* snapshot
  const start = yield* momentNow
  const memory = yield* Ref.make(firstMemory(watch, first, start, Duration.toMillis(settings.watcherInterval)))

  /**
   * Returns whether a request has a payload of this generation. Read only when nothing else tells when the request was
   * raised.
   */
  const findPayload = Effect.fnUntraced(function* (state: string | undefined, otherStateSeen: boolean) {
    if (state !== "context_recovery" || otherStateSeen || watch.baseline.conductorState === null) return false
    const said = yield* Effect.option(comms.payload({ after: watch.baseline.lastMessageId, sessions: watch.sessions }))
    return Option.exists(said, ({ heard }) => Option.isSome(heard))
  })

  const turnEndedOf = (condition: Condition | undefined) =>
    Effect.suspend(() =>
      isOver(condition) ? agent.turnEnded(watch.conductor!, watch.sessionId, output) : Effect.succeed(false)
    )
  const endOf = (condition: Condition | undefined) =>
    Effect.suspend(() =>
      isOver(condition) && watch.launchId !== undefined ? launcher.endOf(watch.launchId) : Effect.succeedNone
    ).pipe(Effect.map(Option.getOrUndefined))

  /**
   * Returns an end that may be an early one. A person may end what is in a window, after its finished turn. A key does
   * so, or the end of the window. Neither kills.
   */
  const judgedEnd = Effect.fnUntraced(function* (end: ProcessEnd | undefined) {
    const isPersons =
      watch.kind === "agent" && watch.launchId !== undefined && (yield* launcher.inWindow(watch.launchId))
    // souffleur ended it after its turn.
    if (watch.lingered?.ended === true) return undefined
    return isPersons && !(end?._tag === "Killed" && !ofPersons.has(end.signal)) ? undefined : end
  })

  /**
   * Returns whether the agent may ask something before its first turn. One that has beaten since its launch is at work,
   * in whatever session.
   */
  const asks = (signs: Pick<Signs, "process" | "session">, seen: CommsSnapshot | undefined, taken: boolean) =>
    asksFirst(watch, signs, { isPrompted, taken }) &&
    !Option.exists(parseTime(conductorOf(seen)?.lastHeartbeat ?? null), (at) => at >= watch.launchedAt)

  const readAll = Effect.fnUntraced(function* (due: number, taken: boolean) {
    const begun = yield* momentNow
    if (watch.conductor !== undefined) yield* noteFolders(ref, watch.conductor)
    // The process comes first: its last words in comms and in its files are read after its end.
    const read = watch.conductor === undefined ? undefined : yield* readAgentProcess(watch.conductor)
    const [process, processorTime] = [read?.condition, read?.processorTime]
    const seen = yield* snapshot
    const ended = yield* turnEndedOf(process)
    const { signs, tree } = yield* readSigns(ref, watch, output, { process, turnEnded: ended })
    const asksUntil = watch.comms !== null && asks(signs, seen, taken) ? watch.launchedAt + handoffTimeout : undefined
    return {
      begun,
      ended: yield* momentNow,
      due,
      comms: seen,
      processorTime,
      tree,
      signs,
      asksUntil
    } satisfies PollReading
  })

  /**
   * Reads everything and compares it. `due`: the time within which this poll was due, ms. `taken`: the hand-off was
   * taken.
   */
  const observe = Effect.fnUntraced(function* (due: number, taken: boolean) {
    const one = yield* readAll(due, taken)
    // A reading that stood still is of two moments. It is made once more, and still counts as a break in the polls.
    // Its time is that of the second one, as the clock may have been set meanwhile.
    const read: PollReading = isInterrupted(one) ? { ...(yield* readAll(due, taken)), stoodStill: true } : one
    const before = yield* Ref.get(memory)
    const { excuse, memory: after, signs, verdict } = remember(before, read, stallAfter)
    yield* Ref.set(memory, after)
    const seen = read.comms
    const conductor = conductorOf(seen)
    const now = read.begun.wall
    const heartbeat = after.heartbeat ?? { raw: null, changedAt: undefined }
    const beating = seen !== undefined && heartbeatAge(heartbeat, now, after.notBefore) !== undefined
    const launchEnd = yield* endOf(signs.process)
    const processEnd = launchEnd?.end
    const unseen =
      watch.kind === "command" &&
      isOver(signs.process) &&
      launchEnd === undefined &&
      watch.launchId !== undefined &&
      !(yield* launcher.inWindow(watch.launchId))
    // A resumed session begins with the finished turn of the generation before.
    const turn = signs.session?.turn
    // Some services give no reason for the end of an answer. In print mode an exit code of 0 says that it was the last.
    const answered = turn?._tag === "Asked" && turn.answered === true && watch.print && endedWell(processEnd)
    const turnEnded =
      (signs.turnEnded || answered) &&
      (watch.preparedAt === 0 || turn === undefined || ownTurn(watch, turn) !== undefined)
    const foundSession = yield* findSession(conductor?.sessionId)
    // A beat proves more than a taken hand-off. While comms is out, only the session file shows whether it beats.
    const judged =
      !taken && !beating && (signs.session !== undefined || (seen !== undefined && foundSession === undefined))
    return {
      now,
      read: read.ended,
      process: signs.process,
      end: processEnd,
      endReason: processEnd?._tag === "Exited" ? agent.exits?.[processEnd.code] : undefined,
      endedAt: launchEnd?.at,
      unseen,
      comms: seen,
      heartbeat,
      notBefore: after.notBefore,
      staleAfter: Duration.toMillis(settings.heartbeatStaleAfter),
      otherStateSeen: before.otherStateSeen,
      newPayload: yield* findPayload(conductor?.state, before.otherStateSeen),
      turnEnded: watch.comms !== null && watch.print && turnEnded,
      ending:
        watch.comms === null && isOver(signs.process)
          ? yield* endingOf(watch, { ...signs, turnEnded }, yield* judgedEnd(processEnd), {
              checked: settings.until !== null,
              progressed: progressedSince(watch, { now, tasks: tasksOf(seen) })
            })
          : undefined,
      signs,
      verdict,
      excuse,
      asksFirst: asks(signs, seen, taken),
      handoffTimedOut:
        judged && (yield* handoffTimedOut(watch, { ...signs, since: after.notBefore }, verdict, handoffTimeout)),
      returned: seen === undefined ? undefined : yield* findReturned(watch, seen, heartbeat, signs.session),
      loginRenewed: isLoginRefused(watch.standby) && (yield* isLoginRenewed(launchEnd?.at ?? watch.standby.since)),
      resolved: watch.mode === "heartbeat-only" ? yield* holderOf(watch.sessionId) : undefined,
      foundSession
    } satisfies Observation
  })

  /** Reads only the agent's own signs, before the first poll, and remembers nothing of them. */
  const glance = Effect.gen(function* () {
    const process = watch.conductor === undefined ? undefined : (yield* readAgentProcess(watch.conductor))?.condition
    const read = yield* readSigns(ref, watch, output, { process, turnEnded: false })
    const signs = { ...read.signs, stillSince: undefined, since: watch.launchedAt }
    return { signs, verdict: judge(signs, stallAfter) }
  })

  /** Reads only the state, between polls, until it saw a state other than the request. */
  const observeState = Effect.gen(function* () {
    if ((yield* Ref.get(memory)).otherStateSeen) return
    const seen = yield* snapshot
    yield* Ref.update(memory, (before) => rememberState(before, seen))
  })
  const noteOutage = Ref.update(memory, rememberOutage)

  return { glance, observe, observeState, noteOutage }
})
