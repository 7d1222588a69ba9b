import {
  Agent,
  capsOf,
  capUse,
  beatMirrored,
  Comms,
  limitsAhead,
  heartbeatAge,
  type HeartbeatSeen,
  isComing,
  isOver,
  isSessionKnown,
  isTypedTo,
  jittered,
  loggedAmount,
  momentNow,
  mustBeat,
  newTrace,
  Processes,
  quietUntilNow,
  see,
  Settings,
  sleepUntil,
  tellLimits,
  untraced,
  usedUp,
  type Watch,
  type WatcherExit,
  type WatchRef
} from "@souffleur/domain"
import { makeLastSeen, rememberOffspring, reportedSession } from "@souffleur/process"
import { Clock, Deferred, Duration, Effect, Option, Ref } from "effect"
import { awaited, classify, evidenceOf, exitAtRest, givesUp, isStale, lingers, type Rest, restOf } from "./Classify.ts"
import { type Observation, tasksOf } from "./Observation.ts"
import { makeObserver } from "./Observe.ts"
import { isInterrupted } from "./Remember.ts"
import { outlivingAgent } from "./SessionHolder.ts"
import { beginMillis, naming, outlivesAfter, patrol, probeInterval } from "./WatchSchedule.ts"

/**
 * Polls one Conductor until there is something to report, and beats meanwhile (spec: behaviour#polls). It reads
 * everything first, then decides, and never acts. It ends with its report, or because the watch no longer has this
 * role.
 *
 * @example
 * ```ts
 * import { own } from "@souffleur/supervisor"
 * import { watcher } from "@souffleur/watcher"
 * import { Effect } from "effect"
 *
 * // One watcher, without a supervisor: it ends with its report in the log.
 * const watchOnce = Effect.fn("watchOnce")(function* (id: string) {
 *   const { ref } = yield* own(id)
 *   yield* watcher(ref, yield* ref.state)
 *   return (yield* ref.state).phase
 * })
 * ```
 */
export const watcher = Effect.fnUntraced(function* (ref: WatchRef, watch: Watch) {
  const { watcher: me } = watch.watcher!
  const settings = yield* Settings
  const agent = yield* Agent
  const comms = yield* Comms
  const processes = yield* Processes
  const [firstWaitMillis, intervalMillis] = [
    Duration.toMillis(settings.watcherInitialWait),
    Duration.toMillis(settings.watcherInterval)
  ]
  const over = yield* Deferred.make<void>()

  // The tree is remembered at each beat. A process that cleans its environment is known only by its parents, while they
  // live.
  const remembering = watch.conductor === undefined ? Effect.void : rememberOffspring(watch.conductor, watch.sessions)
  const { look, ranUntil } = yield* makeLastSeen(ref, watch, intervalMillis)
  const beat = Effect.tap(beatMirrored(ref.id, `watcher/${me}`), () => Effect.andThen(remembering, look)).pipe(untraced)

  yield* beat
  const { glance, noteOutage, observe, observeState } = yield* makeObserver(ref, watch)

  // Four reports that do not end the watcher: an awaited person, an idle agent, a postponed kill, a hand-off that was
  // taken.
  const taken = yield* Ref.make(watch.generation === 1 || watch.launchId === undefined || watch.taken !== undefined)
  const person = yield* Ref.make(watch.person?.for ?? null)
  const tellPerson = Effect.fnUntraced(function* (seen: Observation) {
    const now = awaited(watch, seen, yield* Ref.get(taken))
    if ((yield* Ref.getAndSet(person, now)) !== now)
      yield* ref.dispatch({ _tag: "ReportPerson", watcher: me, for: now })
  })
  const calm = Effect.map(Effect.all([Ref.get(taken), Ref.get(person)]), ([isTaken, asks]) => isTaken && asks === null)
  // Said again, that it is not idle changes nothing.
  const toldBusy = yield* Ref.make(false)
  const tellIdle = Effect.fnUntraced(function* (seen: Rest) {
    const rests = restOf(watch, seen, intervalMillis)
    if (rests === undefined) return
    const since = (yield* calm) ? rests : null
    const isTold = yield* Ref.getAndSet(toldBusy, since === null)
    if (since !== null || !isTold) yield* ref.dispatch({ _tag: "ReportIdle", watcher: me, since })
  })
  /** Returns the exit of an agent that rests: at its prompt, where a program judges its work, or instead of its end. */
  const restingExit = Effect.fnUntraced(function* (seen: Rest) {
    const atRest = settings.until === null ? undefined : exitAtRest(watch, seen, intervalMillis)
    const found = atRest ?? lingers(watch, seen, Duration.toMillis(settings.stallAfter ?? agent.stall))
    const held = found?._tag === "Lingering" && (yield* ref.state).held !== undefined
    return !held && (yield* calm) ? Option.fromUndefinedOr(found) : Option.none()
  })
  const tellDeferred = Effect.fnUntraced(function* (seen: Observation) {
    const { excuse } = seen
    // An awaited person is reported already.
    if (watch.standby !== undefined || excuse === undefined || excuse.until === Infinity || !isStale(seen)) return
    yield* ref.dispatch({
      _tag: "ReportDeferred",
      watcher: me,
      message: excuse.because,
      until: Math.round(excuse.until)
    })
  })
  const tellTaken = Effect.gen(function* () {
    if (yield* Ref.get(taken)) return
    const receipt = yield* agent.handoffTaken(watch.sessionId, watch.launchId!)
    if (Option.isNone(receipt)) return
    const { at, context } = receipt.value
    yield* ref.dispatch({
      _tag: "ReportHandoffTaken",
      watcher: me,
      launchId: watch.launchId!,
      takenAt: Math.round(at),
      contextTokens: context?.tokens ?? null,
      contextWindow: context?.window ?? null
    })
    yield* Ref.set(taken, true)
  })

  /**
   * Reports a cap of the user's own that is used up, once the process is gone or given up. As long as it works, it
   * keeps to the cap by itself.
   */
  const tellCap = Effect.fnUntraced(function* (seen: Observation, exit: WatcherExit) {
    const state = yield* ref.state
    const { allowedSince, ceiling, sessions } = state
    const caps = capsOf(state, agent)
    if (caps.length === 0 || ceiling !== undefined || !(isOver(seen.process) || givesUp.has(exit._tag))) return
    const since = state.capsSince ?? allowedSince
    const used = capUse(yield* agent.spent(sessions, since), since, yield* Clock.currentTimeMillis)
    const cap = usedUp(caps, used)
    if (cap === undefined) return
    const { flag, kind, limit } = cap
    const amounts = { used: loggedAmount(kind, used[kind]), limit: loggedAmount(kind, limit) }
    yield* ref.dispatch({ _tag: "ReportCeiling", since: allowedSince, ceiling: kind, flag, ...amounts })
  })

  /** Reports each limit that is coming. */
  const tellForeseen = Effect.fnUntraced(function* (state: Watch, { now, signs }: Observation) {
    for (const foreseen of yield* limitsAhead(state, settings, signs.session))
      if (isComing(foreseen, now)) yield* ref.dispatch({ _tag: "ReportForeseen", foreseen })
  })

  /** The heartbeats of the tasks at the last poll. */
  const beats = yield* Ref.make<ReadonlyMap<string, HeartbeatSeen>>(new Map())
  /** Reports each task whose heartbeat is too old. */
  const tellSilentTasks = Effect.fnUntraced(function* ({ notBefore, now }: Observation) {
    const limit = Duration.toMillis(settings.taskStaleAfter)
    if (limit === 0) return
    const tasks = yield* Effect.orElseSucceed(comms.tasks, () => [])
    const before = yield* Ref.get(beats)
    const after = new Map(tasks.map((one) => [one.id, see(before.get(one.id), one.lastHeartbeat, now)]))
    yield* Ref.set(beats, after)
    for (const { id: task, lastHeartbeat: heartbeat, state } of tasks) {
      const age = heartbeatAge(after.get(task)!, now, notBefore)
      if (heartbeat === null || age === undefined || age <= limit || !mustBeat(state)) continue
      yield* ref.dispatch({ _tag: "ReportSilentTask", watcher: me, task, state, heartbeat, age })
    }
  })

  /**
   * Returns whether to look once more before anything is reported: an operator said a word since the look began, or
   * souffleur stood still after it. `first`: the time since then is only asked once, as a machine may be slow.
   */
  const lookOnce = Effect.fnUntraced(function* (due: number, first: boolean) {
    const before = yield* ref.state
    yield* tellTaken
    const seen = yield* observe(due, yield* Ref.get(taken))
    const ended = classify(watch, seen)
    // The hand-off may be taken since, and nothing is told after the end.
    if (Option.isSome(ended) && ended.value._tag === "Complete") yield* tellTaken
    yield* beat
    yield* tellPerson(seen)
    yield* tellDeferred(seen)
    if (!Option.exists(ended, ({ _tag }) => _tag === "Complete")) yield* tellLimits(ref)
    if (Option.isNone(ended)) yield* tellForeseen(before, seen)
    yield* tellSilentTasks(seen)
    const found = Option.isSome(ended) ? ended : yield* restingExit(seen)
    if (Option.isNone(found)) {
      yield* tellIdle(seen)
      return false
    }
    if (found.value._tag !== "Complete") yield* tellCap(seen, found.value)
    if (first && isInterrupted({ begun: seen.read, ended: yield* momentNow })) return true
    const after = yield* ref.dispatch({
      _tag: "ReportExit",
      watcher: me,
      exit: found.value,
      tasks: tasksOf(seen.comms),
      evidence: evidenceOf(watch, seen),
      seen: before.revision,
      ranUntil: seen.endedAt === undefined ? yield* ranUntil : Math.min(seen.endedAt, seen.read.wall),
      unseen: seen.unseen,
      quietUntil: yield* quietUntilNow(settings.quietHours),
      margin: yield* jittered(settings.limitMargin),
      pause: yield* jittered(settings.restartPause),
      ...(settings.until === null ? {} : { rounds: settings.rounds })
    })
    if (after.watcher?.watcher === me && after.stanceSince !== before.stanceSince) return true
    yield* Deferred.succeed(over, undefined)
    return false
  })
  const trace = yield* newTrace({ "souffleur.generation": watch.generation })
  const poll = Effect.fn(
    "Watcher.poll",
    trace
  )(function* (due: number) {
    let first = true
    while (yield* untraced(lookOnce(due, first))) first = false
  })

  const mirror = Effect.flatMap(beat, (mirrored) => (mirrored ? Effect.void : noteOutage))
  // A hand-off that was taken, and an agent at its prompt, are told before the first poll, which comes late.
  const beforePolls = <A, E, R>(look: Effect.Effect<A, E, R>) =>
    look.pipe(
      Effect.schedule(patrol(settings.watcherInterval, settings.watcherInterval)),
      Effect.timeoutOption(firstWaitMillis)
    )
  const beating = beforePolls(untraced(Effect.all([mirror, observeState, tellTaken], { discard: true })))
  const rest = Effect.gen(function* () {
    const seen = yield* untraced(glance)
    if (Option.isSome(yield* untraced(restingExit(seen)))) yield* poll(Math.max(firstWaitMillis, intervalMillis))
    else yield* tellIdle(seen)
  })
  const resting = watch.comms === null ? beforePolls(rest) : Effect.never
  const polls = yield* Ref.make(0)
  const patrolling = Ref.getAndUpdate(polls, (n) => n + 1).pipe(
    Effect.flatMap((n) => poll(n === 0 ? firstWaitMillis : intervalMillis)),
    Effect.schedule(patrol(settings.watcherInitialWait, settings.watcherInterval))
  )
  const probing =
    watch.conductor === undefined || watch.standby !== undefined || watch.wait !== undefined
      ? Effect.never
      : Effect.andThen(
          untraced(processes.untilOver(watch.conductor, probeInterval)),
          poll(Math.max(firstWaitMillis, intervalMillis))
        )

  /**
   * Polls as soon as the launch reports the session that it chose. A hand-over before that would export the
   * conversation before this one.
   */
  const named =
    watch.conductor === undefined || watch.kind === "command" || isSessionKnown(watch.sessionId)
      ? Effect.never
      : untraced(reportedSession(watch)).pipe(
          Effect.repeat({ until: Option.isSome, schedule: naming }),
          Effect.andThen(poll(Math.max(firstWaitMillis, intervalMillis)))
        )

  /** Polls once the agent should have begun its turn, so that a question before it is told within a minute. */
  const beginning = Effect.gen(function* () {
    const left = watch.launchedAt + beginMillis - (yield* Clock.currentTimeMillis)
    if (!isTypedTo(watch) || left <= 0) return
    yield* Effect.sleep(left)
    yield* poll(Math.max(firstWaitMillis, intervalMillis))
  })

  /** Polls as soon as a wait is over, not one poll later. */
  const waiting =
    watch.wait === undefined
      ? Effect.never
      : Effect.andThen(sleepUntil(watch.wait), poll(Math.max(firstWaitMillis, intervalMillis)))

  /** Polls soon where an agent lives on behind the launcher whose end led to the standby. */
  const standing =
    watch.standby === undefined
      ? Effect.never
      : Effect.delay(untraced(outlivingAgent(watch)), outlivesAfter).pipe(
          Effect.flatMap((agent) =>
            agent === undefined ? Effect.void : poll(Math.max(firstWaitMillis, intervalMillis))
          )
        )

  yield* ref.dispatch({ _tag: "WatcherReady", watcher: me })
  yield* Effect.raceAllFirst([
    Deferred.await(over),
    Effect.andThen(beating, Effect.never),
    Effect.andThen(resting, Effect.never),
    Effect.andThen(patrolling, Effect.never),
    Effect.andThen(probing, Effect.never),
    Effect.andThen(named, Effect.never),
    Effect.andThen(beginning, Effect.never),
    Effect.andThen(waiting, Effect.never),
    Effect.andThen(standing, Effect.never)
  ])
})
