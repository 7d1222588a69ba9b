import { Event, EventLog, leastPin, makeWatchRef, type Permission, type WatchEvent } from "@souffleur/domain"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { baseline, conductor, evidence, owner } from "../../domain/test/Given.ts"
import { Cycle } from "../src/steps/Step.ts"

const at = 0
const relaunchedBy = (provider: string, sessionId: string): ReadonlyArray<WatchEvent> => [
  Event.RecoveryStarted.make({ at, cycle: 0, purpose: "relaunch", trigger: "pid" }),
  Event.ConductorRelaunched.make({
    at,
    cycle: 0,
    generation: 2,
    provider,
    launchId: "w-g2-c0-6-launch-1",
    conductor,
    sessionId,
    awaiting: false,
    print: true,
    exportPath: null,
    ...baseline
  }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" })
]

/** The first launch of a run. */
export const firstLaunch = Event.LaunchPrepared.make({
  at,
  cycle: 0,
  launchId: "w-g1-launch-1",
  digest: "digest of w-g1-launch-1",
  sessionId: "",
  requested: "acceptEdits",
  effective: "acceptEdits"
})

/** The event that ended the Conductor, by the trigger of its recovery. */
const ended = ({
  ran = at,
  retries = 1,
  tasks = 2,
  trigger = "pid"
}: Parameters<typeof recovering>[0] & {}): WatchEvent => {
  const seen = { at: ran, watcher: 1, retries, evidence, taskCount: tasks, taskFingerprint: `${tasks} tasks` }
  switch (trigger) {
    case "handoff":
      return Event.ContextRecoveryRequested.make(seen)
    case "turn-ended":
      return Event.TurnEnded.make(seen)
    case "context":
      return Event.ContextExhausted.make(seen)
    case "handover":
      return Event.AgentChosen.make({ at, from: "claude", agent: "claude" })
    case "stop":
      return Event.StopAsked.make({ at, reason: null })
    case "ceiling":
      return Event.CeilingReached.make({ at, watcher: 1, ceiling: "tokens", used: 1, limit: 1, then: "stop" })
    case "limit":
      return Event.WaitEnded.make({ at, watcher: 1, how: "over" })
    case "exit":
    case "left-running":
    case "refused":
    case "only-answered":
    case "unconfirmed":
      return Event.EndedEarly.make({ ...seen, reason: trigger, leftRunning: 0 })
    default:
      return Event.ConductorDied.make({ ...seen, reason: trigger })
  }
}

/** A watch in its first recovery cycle, under fence 1. */
export const recovering = (
  change: {
    readonly comms?: string | null
    readonly purpose?: Event.Purpose
    /** As it was when the watch was opened. */
    readonly ceiling?: Permission
    readonly trigger?: (typeof Event.RecoveryStarted.Type)["trigger"]
    /** Deaths without progress, this one included. */
    readonly retries?: number
    /** Generation 2 runs, launched by it. */
    readonly provider?: string
    /** In this session. */
    readonly successor?: string
    readonly project?: string
    /** A person has named the Conductor against the evidence. */
    readonly forced?: boolean
    /** Of an agent that souffleur itself has started, and what its command asked for. */
    readonly launched?: Permission
    /** How long the Conductor ran, in ms. */
    readonly ran?: number
    /** The tasks, or the results of tools, that were counted at its end. */
    readonly tasks?: number
    /** Of a plain command, which souffleur itself has started. */
    readonly command?: boolean
  } = {}
): ReadonlyArray<WatchEvent> => [
  Event.WatchOpened.make({
    at,
    project: change.project ?? "/p",
    comms: change.comms === undefined ? "/p/comms.db" : change.comms,
    pid: 4711,
    sessionId: change.command === true ? "" : "s1",
    observe: false,
    forced: change.forced === true,
    kind: change.command === true ? "command" : "agent",
    pin: { ...leastPin, ceiling: change.ceiling ?? "acceptEdits" }
  }),
  ...(change.command === true ? [firstLaunch] : []),
  ...(change.launched === undefined
    ? []
    : [{ ...firstLaunch, requested: change.launched, effective: change.launched }]),
  Event.OwnerTook.make({ at, fence: 1, owner }),
  Event.ConductorConfirmed.make({
    at,
    conductor,
    sessionId: change.command === true ? "" : "s1",
    print: false,
    ...baseline,
    taskCount: Math.min(baseline.taskCount, change.tasks ?? Infinity)
  }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at }),
  ...(change.provider === undefined ? [] : relaunchedBy(change.provider, change.successor ?? "s1")),
  ended(change),
  Event.RecoveryStarted.make({ at, cycle: 1, purpose: change.purpose ?? "relaunch", trigger: change.trigger ?? "pid" })
]

/** A log that can make a souffleur vanish: its fiber stops for ever, right before or right after an append. */
export const crashingLog = Effect.fnUntraced(function* (history: ReadonlyArray<WatchEvent>) {
  const log = Context.get(yield* Layer.build(EventLog.layerMemory), EventLog)
  yield* log.append("w", 0, history)
  const plan = { in: Infinity, when: "after" as "before" | "after", crashed: yield* Deferred.make<void>() }
  const crash = Effect.suspend(() => Effect.andThen(Deferred.succeed(plan.crashed, undefined), Effect.never))
  const fragile = EventLog.of({
    ...log,
    append: Effect.fnUntraced(function* (stream, expected, events) {
      const now = events.length > 0 && --plan.in === 0
      if (now && plan.when === "before") return yield* crash
      const revision = yield* log.append(stream, expected, events)
      return now ? yield* crash : revision
    })
  })
  const ref = (fence = 1) => Effect.provideService(makeWatchRef("w", { _tag: "Owner", fence }), EventLog, fragile)
  return {
    /** The view of another process of souffleur: nothing is remembered. */
    ref,
    operator: yield* Effect.provideService(makeWatchRef("w", { _tag: "Operator" }), EventLog, log),
    cycle: Effect.map(ref(), (watch) => Cycle.of({ number: 1, watch })),
    events: Effect.map(log.read("w", history.length), (all) => all.map(({ event }) => event)),
    tags: Effect.map(log.read("w", history.length), (all) => all.map(({ event }) => event._tag)),
    /**
     * Runs until that append, and abandons it there without interruption or finalizer, as after SIGKILL. `false`: it
     * ended before.
     */
    abandonAt: Effect.fnUntraced(function* <A, E, R>(
      append: number,
      when: "before" | "after",
      run: Effect.Effect<A, E, R>
    ) {
      Object.assign(plan, { in: append, when, crashed: yield* Deferred.make<void>() })
      const fiber = yield* Effect.forkDetach(run)
      const crashed = yield* Effect.raceFirst(
        Effect.as(Deferred.await(plan.crashed), true),
        Effect.as(Fiber.await(fiber), false)
      )
      plan.in = Infinity
      return crashed
    })
  }
})
