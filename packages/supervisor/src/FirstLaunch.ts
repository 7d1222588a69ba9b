import {
  Agent,
  baselineOf,
  ceilingNow,
  claimedIfPossible,
  Claims,
  clamp,
  Comms,
  endedWell,
  isOver,
  isSessionKnown,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  lower,
  Processes,
  type ProcessIdentity,
  Settings,
  Terminal,
  unknownSession,
  type Watch,
  type WatchRef,
  untraced
} from "@souffleur/domain"
import { LaunchSlots, Refused } from "@souffleur/eventlog"
import { agentCommand, noteFolders, prepareLaunch, reportedSession, tellingOutput } from "@souffleur/process"
import { endConductor, isStopped } from "@souffleur/recovery"
import { Effect, Option, Result, Schedule } from "effect"
import { Invalid, Undecided, type Validated } from "./Validation.ts"

/** An agent without a session file counts as started after this time: it may wait for its first prompt. */
const sessionTimeout = "15 seconds"

const failed = ({ message }: { readonly message: string }) => Effect.fail(new Invalid({ check: "launch", message }))

/**
 * Ends a launch with all that it started, before the next attempt starts a second one. The log has it first. While a
 * process does not end, this attempt is not over (`Undecided`).
 */
const end = Effect.fnUntraced(function* (
  ref: WatchRef,
  launched: Watch & { readonly conductor: ProcessIdentity },
  why: string
) {
  const granted = Effect.flatMap(ref.state, (now) =>
    now.phase === "Validating" && now.fence === launched.fence
      ? Effect.void
      : Effect.fail(new Refused({ reason: "not now", message: "this souffleur no longer starts the watch" }))
  )
  yield* ref.dispatch({ _tag: "EndProcess", what: "first launch", process: launched.conductor, message: why })
  yield* Effect.catchTag(endConductor(launched, granted), "StopFailed", ({ message }) =>
    Effect.fail(new Undecided({ message: `${why}; ${message}` }))
  )
})

/** Claims the process of this launch. If another souffleur claimed it, this ends the process. */
const claim = Effect.fnUntraced(function* (ref: WatchRef, launched: Watch & { readonly conductor: ProcessIdentity }) {
  yield* Effect.catchTag(
    claimedIfPossible((yield* Claims).claim(launched.conductor)),
    "AlreadyWatched",
    ({ problem: claimed }) =>
      Effect.andThen(end(ref, launched, claimed), Effect.fail(new Invalid({ check: "process", message: claimed })))
  )
})

/**
 * Prepares the launch of this attempt. The first launch file was written before the watch was opened. Each later launch
 * is the same order under its own id.
 */
const preparedFor = Effect.fnUntraced(function* (ref: WatchRef, { failures, firstLaunch }: Watch) {
  const launcher = yield* Launcher
  const first = firstLaunch!
  // The command line holds the permission of the time when it was written.
  const ceiling = yield* ceilingNow(ref.dispatch)
  if (lower(first.effective, ceiling) !== first.effective)
    return yield* new LaunchFailed({
      message: `the launch needs ${first.effective}, but the ceiling is now ${ceiling}`
    })
  const kept = yield* launcher.kept(first.launchId, first.digest)
  const [launchId, ...inPlace] = idsOf(first, failures.length + 1)
  // A souffleur that died here left launch files too, and each holds an environment.
  const forgotten = Effect.forEach(
    failures.flatMap((_, n) => idsOf(first, n + 1)),
    (id) => launcher.forget(id)
  )
  if (launchId === first.launchId || inPlace.includes(first.launchId))
    return yield* Effect.as(forgotten, { ...kept, id: first.launchId })
  const order = { ...kept, id: launchId }
  yield* prepare(ref, first, order)
  yield* forgotten
  return order
})

type First = Exclude<Watch["firstLaunch"], undefined>

/** Returns the ids of an attempt's launches: the first, and one for each terminal that is tried after it. */
const idsOf = ({ launchId }: First, attempt: number): readonly [string, ...ReadonlyArray<string>] => {
  const first = `${launchId.slice(0, launchId.lastIndexOf("-launch-"))}-launch-${attempt}`
  return [first, ...Terminal.literals.map((one) => `${first}-${one}`)]
}

/** Says where the session of an agent was looked for, and what to do where the agent keeps it elsewhere. */
const notFoundIn = Effect.fnUntraced(function* (sessionId: string) {
  const found = yield* Effect.result((yield* Agent).sessionFile(sessionId))
  const where = Result.isFailure(found) ? `${found.failure.message}; ` : ""
  return `${where}if its program sets another folder for its sessions, set that variable for souffleur too; `
})

/** Writes another launch of the command, and records it. */
const prepare = (ref: WatchRef, { effective, requested, sessionId, turnBefore }: First, order: LaunchOrder) =>
  prepareLaunch({ ...order, keep: true }, (digest) =>
    ref.dispatch({
      _tag: "PrepareLaunch",
      cycle: 0,
      launchId: order.id,
      digest,
      sessionId,
      requested,
      effective,
      turnBefore
    })
  )

/** Returns the command of an agent for a launch without a window. Fails with `LaunchFailed` where it has no prompt. */
const windowless = Effect.fnUntraced(function* (
  project: string,
  { effective, requested, sessionId }: First,
  prompt: string
) {
  if (prompt === "")
    return yield* new LaunchFailed({ message: "it has no prompt, and without a window no one can type one" })
  const began = yield* Effect.option((yield* Agent).sessionFile(sessionId))
  const session = { _tag: Option.isSome(began) ? ("Resume" as const) : ("Fresh" as const), sessionId }
  return yield* agentCommand({ session, permission: clamp(requested, effective), prompt, print: true, folder: project })
})

/**
 * Launches a prepared order. If its terminal opens no window, another launch takes its place in the next terminal
 * (spec: behaviour#no-window). Returns the order that ran. Fails with `LaunchFailed`.
 */
const launchedOf = Effect.fnUntraced(function* (ref: WatchRef, watch: Watch, prepared: LaunchOrder) {
  const launcher = yield* Launcher
  const { terminals } = launcher
  const [base] = idsOf(watch.firstLaunch!, watch.failures.length + 1)
  for (let order = prepared; ;) {
    const ran = yield* launcher.launch(order.id).pipe(
      Effect.map((conductor) => ({ conductor, order })),
      Effect.catchIf(
        ({ noWindow }) => noWindow === true,
        ({ message }) => Effect.succeed(message)
      )
    )
    if (typeof ran === "object") return ran
    const { command, id: launchId, place: terminal = terminals[0], prompt = "" } = order
    const instead = terminals[terminals.indexOf(terminal) + 1]
    if (instead === undefined)
      return yield* new LaunchFailed({ message: `${ran}; with SOUFFLEUR_LAUNCHER=headless it needs no window` })
    const first = watch.firstLaunch!
    const next =
      watch.kind === "agent" && instead === "headless" ? yield* windowless(watch.project, first, prompt) : command
    order = { ...order, id: `${base}-${instead}`, place: instead, command: next }
    yield* ref.dispatch({ _tag: "RefuseWindow", cycle: 0, launchId, terminal, instead, message: ran })
    yield* prepare(ref, first, order)
    yield* launcher.forget(launchId)
  }
})

/**
 * Starts the command of `souffleur run` as generation 1 (spec: behaviour#first-launch). The log has the launch before
 * anything runs, and its receipt decides which process runs under it. After a crash this finds the started process, or
 * starts it, never twice.
 *
 * Fails with `Invalid` when the launch fails, or when an agent ends before its session began. Fails with `Undecided`
 * when a process of another claim does not end. The watcher reports a command that has ended already.
 */
export const firstLaunch = Effect.fn("firstLaunch")(function* (ref: WatchRef, watch: Watch) {
  const agent = yield* Agent
  const comms = yield* Comms
  const launcher = yield* Launcher
  const processes = yield* Processes
  const { launchSpacing } = yield* Settings
  const prepared = yield* Effect.catchTag(preparedFor(ref, watch), "LaunchFailed", failed)
  yield* (yield* LaunchSlots)(ref.id, launchSpacing, "once")
  // Read before the launch, so that its first acts count as progress.
  const baseline = baselineOf(yield* Effect.orDie(comms.snapshot))
  const { conductor, order } = yield* Effect.catchTag(launchedOf(ref, watch, prepared), "LaunchFailed", failed)
  const launchId = order.id
  const launched = { ...watch, conductor, launchId }
  yield* claim(ref, launched)
  if (watch.kind === "command")
    return { conductor, sessionId: unknownSession, began: false, print: false, baseline } satisfies Validated

  const lookForSession = Effect.gen(function* () {
    // Asked before the file is looked for: the agent may have written the file just before its end.
    const condition = yield* processes.condition(conductor)
    yield* noteFolders(ref, conductor)
    const named = isSessionKnown(watch.sessionId)
      ? Option.some(watch.sessionId)
      : yield* reportedSession({ ...(yield* ref.state), conductor, launchId })
    const began = Option.isSome(named) && Option.isSome(yield* Effect.option(agent.sessionFile(named.value)))
    return began ? { sessionId: named.value } : isOver(condition) ? "ended" : undefined
  })
  const seen = yield* Effect.repeat(untraced(lookForSession), {
    until: (found) => found !== undefined,
    schedule: Schedule.spaced("250 millis")
  }).pipe(Effect.timeoutOption(sessionTimeout))
  if (Option.contains(seen, "ended" as const)) {
    const where = (yield* launcher.inWindow(launchId))
      ? "its output closed with its window: set LAUNCHER to headless to keep it in a file"
      : `see ${yield* tellingOutput(launchId)}`
    const ending = Option.getOrUndefined(yield* launcher.endOf(launchId))?.end
    const code =
      ending === undefined
        ? ""
        : ` ${ending._tag === "Exited" ? `with exit code ${ending.code}` : `by ${ending.signal}`}`
    // It may have done its work, and kept its session elsewhere.
    const well = endedWell(ending)
    const looked = well ? yield* notFoundIn(watch.sessionId) : ""
    const message = `the agent ended${code} before its session began: ${looked}${where}`
    // An agent may outlive its launcher, and would work beside the next attempt's agent.
    if (!(yield* isStopped(launched))) yield* end(ref, launched, message)
    return yield* new Invalid({ check: "session-file", message, ...(well ? { final: true } : {}) })
  }
  const found = Option.getOrUndefined(seen)
  const began = typeof found === "object"
  return {
    conductor,
    sessionId: began ? found.sessionId : watch.sessionId,
    began,
    print: agent.inPrintMode(order.command.args),
    baseline
  } satisfies Validated
})
