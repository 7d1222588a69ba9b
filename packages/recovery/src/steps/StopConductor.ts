import {
  Agent,
  brokenOff,
  Comms,
  type CommsSnapshot,
  Launcher,
  momentNow,
  parseTime,
  Processes,
  Settings,
  stepNames,
  type TurnState,
  type Watch,
  untraced
} from "@souffleur/domain"
import { launchOutput, Stopped, StopFailed } from "@souffleur/process"
import { Clock, Duration, Effect, Equal, Option, Ref } from "effect"
import { unlessComplete } from "./Completion.ts"
import { unlessElsewhere } from "./Holder.ts"
import { FailedClosed } from "../Provider.ts"
import { again, Cycle, step, stillGranted } from "./Step.ts"
import { beatPoll } from "../RecoverySchedule.ts"
import { endConductor, isStopped } from "./EndConductor.ts"

/**
 * Fails with `FailedClosed` for a Conductor that was given up for its silence and has beaten since: it is healthy
 * (spec: behaviour#still-dead). A recovery that was broken off, or is retried, may come back to it. Its beats end the
 * standby.
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
  return yield* new FailedClosed({ stage: "stop", message: reason })
})

/** The failure of a stop is final in its cycle, and nothing is launched in it. */
const failedClosed = ({ message }: StopFailed) => Effect.fail(new FailedClosed({ stage: "stop", message }))

/** Returns whether a turn is at work: neither over, nor waiting for a person, nor ended by the service. */
const isAtWork = ({ _tag }: TurnState) => _tag === "Asked" || _tag === "Tool" || _tag === "Retrying"

/**
 * Fails with `FailedClosed` for a Conductor whose session file was the evidence, and has new records since. It is
 * alive, also when an operator retries. Its next records end the standby.
 */
const unlessMoving = Effect.fnUntraced(function* ({ conductor, launchId, recovery, sessionId }: Watch) {
  const judged =
    recovery !== undefined &&
    (recovery.purpose === "end" || ["hang", "untaken", "limit", "context", "unconfirmed"].includes(recovery.trigger))
  if (!judged || conductor === undefined) return
  const agent = yield* Agent
  const { stallAfter } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const signs = yield* agent.signs(sessionId, yield* launchOutput(launchId))
  const moves = Option.exists(
    signs,
    ({ turn, writtenAt }) =>
      turn !== undefined &&
      (turn.at > recovery.since ||
        // A subagent writes while the turn waits for it.
        (isAtWork(turn) &&
          (writtenAt > recovery.since || now - turn.at <= Duration.toMillis(stallAfter ?? agent.stall))))
  )
  if (!moves || (yield* (yield* Processes).condition(conductor)) !== "running") return
  return yield* new FailedClosed({ stage: "stop", message: "it is at work again, so it is not stopped" })
})

const heartbeatOf = ({ conductor }: CommsSnapshot) =>
  Option.match(conductor, { onNone: () => null, onSome: (row) => row.lastHeartbeat })

/**
 * Returns whether the heartbeat changed, whatever clock wrote it. When an operator retries later, a heartbeat that is
 * old again counts for nothing.
 */
const hasBeaten = ({ silent }: Watch, snapshot: CommsSnapshot, notBefore: number): boolean => {
  const heartbeat = heartbeatOf(snapshot)
  if (silent === undefined || heartbeat === null || heartbeat === silent.heartbeat) return false
  return !silent.retried || !Option.exists(parseTime(heartbeat), (at) => at < notBefore)
}

/**
 * Gives a Conductor one interval to beat again before an operator's retry stops it, while it runs. Comms may have been
 * out until just now, and its beats were lost with it.
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
  yield* Effect.repeat(untraced(look), {
    until: ({ heartbeat, over }) => over || heartbeat !== first.heartbeat,
    schedule: beatPoll
  }).pipe(Effect.timeoutOption(watcherInterval))
})

/** Most milliseconds of one set of checks. */
const maxCheckMillis = 5000
/** Most sets of checks when one took longer. */
const maxChecks = 3

/**
 * Proves in one set of checks that the Conductor may still be stopped, and by this recovery. If souffleur itself was
 * suspended meanwhile, the first signs are out of date, and it checks again. Fails with `FailedClosed`, `Completed` or
 * `Refused`.
 */
const stillDead = Effect.fnUntraced(function* (watch: Watch) {
  for (let check = 1; check <= maxChecks; check++) {
    const before = yield* momentNow
    yield* stillGranted(watch)
    yield* unlessMoving(watch)
    yield* unlessBeating(watch, yield* unlessComplete)
    yield* unlessElsewhere(watch)
    if (!brokenOff(before, yield* momentNow, maxCheckMillis)) return
  }
  return yield* new FailedClosed({
    stage: "stop",
    message: "souffleur keeps being suspended (sleep or load), so it can prove no death"
  })
})

/**
 * Stops the old Conductor and its tree: step 1 of a recovery. It checks the Conductor before the intent, and again
 * right before the first signal. The second check is there because souffleur may have been suspended in between. Fails
 * with `FailedClosed` when the Conductor is alive after all, or does not end. Fails with `Completed` when its work is
 * done.
 */
export const stopConductor = Effect.fn("stopConductor")(function* (watch: Watch) {
  const recorded = (yield* (yield* Cycle).watch.state).recovery?.steps[stepNames.stop]
  // After the stop, later steps come first: a launch may have run.
  if (recorded === undefined || recorded._tag === "Started") {
    yield* heardOut(watch)
    yield* stillDead(watch)
  }
  const signalled = yield* Ref.make(false)
  const granted = Effect.flatMap(Ref.get(signalled), (already) =>
    already ? stillGranted(watch) : Effect.andThen(stillDead(watch), Ref.set(signalled, true))
  ).pipe(Effect.provideService(Cycle, yield* Cycle))
  return yield* step(stepNames.stop, {
    outcome: Stopped,
    failure: StopFailed,
    act: () => endConductor(watch, granted),
    reconcile: () =>
      Effect.map(isStopped(watch), (gone) =>
        gone ? Option.some<Stopped>({ ended: "already gone", others: 0 }) : Option.none()
      )
  }).pipe(Effect.catchTag("StopFailed", failedClosed))
})

/**
 * Stops the Conductor, and a launch that was under way and has become an agent, each with its tree, by a person's word
 * (spec: behaviour#stop-by-a-person) or at a limit of the job. Neither needs a sign of a death. A launch that has not
 * run never does. Fails with `FailedClosed` where a process does not end, or is not known.
 */
export const stopAll = Effect.fn("stopAll")(function* (watch: Watch) {
  const { conductor, generation, undecided } = watch
  const launcher = yield* Launcher
  const running = Effect.gen(function* () {
    const ran = undecided === undefined ? Option.none() : yield* launcher.settle(undecided)
    const beside = Option.filter(ran, (process) => !Equal.equals(process, conductor))
    return [
      // Where nothing was ever launched nor confirmed, there is nothing to stop.
      ...(conductor === undefined && generation === 0 ? [] : [watch]),
      ...Option.toArray(Option.map(beside, (process) => ({ ...watch, conductor: process, launchId: undecided })))
    ]
  }).pipe(Effect.catchTag("LaunchFailed", ({ message }) => Effect.fail(new StopFailed({ message }))))
  const granted = stillGranted(watch).pipe(Effect.provideService(Cycle, yield* Cycle))
  return yield* step(stepNames.stop, {
    outcome: Stopped,
    failure: StopFailed,
    act: () =>
      Effect.flatMap(running, (all) => Effect.forEach(all, (one) => endConductor(one, granted))).pipe(
        Effect.map((ends) => ({
          ended: ends[0]?.ended ?? "already gone",
          others: ends.reduce((sum, { others }) => sum + others, Math.max(0, ends.length - 1))
        }))
      ),
    // What is gone is not signalled again, so the stop may be done once more.
    reconcile: again
  }).pipe(Effect.catchTag("StopFailed", failedClosed))
})
