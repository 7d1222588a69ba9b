import {
  Agent,
  baselineOf,
  ceilingNow,
  claimedIfPossible,
  Claims,
  Comms,
  isOver,
  Launcher,
  LaunchFailed,
  lower,
  Processes,
  type ProcessIdentity,
  Settings,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { LaunchSlots, Refused } from "@souffleur/eventlog"
import { prepareLaunch } from "@souffleur/process"
import { endConductor } from "@souffleur/recovery"
import { Effect, Option, Schedule } from "effect"
import { Invalid, Undecided, type Validated } from "./Validation.ts"

/** An agent that waits for its first prompt has no session file yet: it is taken for one after this time. */
const sessionBegins = "15 seconds"

const failed = ({ message }: { readonly message: string }) => Effect.fail(new Invalid({ check: "launch", message }))

/**
 * Claims what was just started. Where another souffleur has it already, it is our own launch all the same, and the next
 * attempt would start a second one beside it: so it is ended first, and as long as it is not gone, this attempt is not
 * over.
 */
const claim = Effect.fnUntraced(function* (ref: WatchRef, watch: Watch, launchId: string, conductor: ProcessIdentity) {
  const granted = Effect.flatMap(ref.state, (now) =>
    now.phase === "Validating" && now.fence === watch.fence
      ? Effect.void
      : Effect.fail(new Refused({ reason: "not now", message: "this souffleur does not start the watch any more" }))
  )
  yield* Effect.catchTag(
    claimedIfPossible((yield* Claims).claim(conductor)),
    "AlreadyWatched",
    ({ problem: claimed }) =>
      ref.dispatch({ _tag: "EndProcess", what: "first launch", process: conductor, reason: claimed }).pipe(
        Effect.andThen(endConductor({ ...watch, conductor, launchId }, granted)),
        Effect.catchTag("StopFailed", ({ message }) =>
          Effect.fail(new Undecided({ message: `${claimed}; ${message}` }))
        ),
        Effect.andThen(Effect.fail(new Invalid({ check: "process", message: claimed })))
      )
  )
})

/**
 * The launch of this attempt: the first was written before the watch was opened; each later one is the same order under
 * an id of its own.
 */
const preparedFor = Effect.fnUntraced(function* (ref: WatchRef, { failures, firstLaunch }: Watch) {
  const launcher = yield* Launcher
  const first = firstLaunch!
  // Its permission is in its words, as the ceiling was when they were written.
  const ceiling = yield* ceilingNow(ref.dispatch)
  if (lower(first.effective, ceiling) !== first.effective)
    return yield* new LaunchFailed({
      message: `it was to be launched with ${first.effective}, and the ceiling is ${ceiling} by now`
    })
  const kept = yield* launcher.kept(first.launchId, first.digest)
  const idOf = (attempt: number) => `${ref.id}-g1-launch-${attempt}`
  const launchId = idOf(failures.length + 1)
  if (launchId !== first.launchId) {
    const { effective, requested, sessionId } = first
    yield* prepareLaunch({ ...kept, id: launchId, keep: true }, (digest) =>
      ref.dispatch({ _tag: "PrepareLaunch", cycle: 0, launchId, digest, sessionId, requested, effective })
    )
  }
  // Also what a souffleur that died here left behind: it holds an environment.
  yield* Effect.forEach(failures, (_, n) => launcher.forget(idOf(n + 1)))
  return { launchId, args: kept.command.args }
})

/**
 * Starts what `souffleur run` was given, and takes it for generation 1 (spec: behaviour#first-launch). The log had the
 * launch before anything ran, and its receipt decides who runs under it: after a crash this finds the process that was
 * started, or starts it, never twice. An agent that ends before its session began was never a Conductor: a failed
 * attempt. A command that has ended by now is the watcher's to see.
 */
export const firstLaunch = Effect.fn("firstLaunch")(function* (ref: WatchRef, watch: Watch) {
  const agent = yield* Agent
  const comms = yield* Comms
  const launcher = yield* Launcher
  const processes = yield* Processes
  const { launchSpacing } = yield* Settings
  const { args, launchId } = yield* Effect.catchTag(preparedFor(ref, watch), "LaunchFailed", failed)
  yield* (yield* LaunchSlots)(ref.id, launchSpacing)
  // Read before it runs: what it does in its first moment is progress.
  const baseline = baselineOf(yield* Effect.orDie(comms.snapshot))
  const conductor = yield* Effect.catchTag(launcher.launch(launchId), "LaunchFailed", failed)
  yield* claim(ref, watch, launchId, conductor)
  if (watch.kind === "command") return { conductor, sessionId: "", print: false, baseline } satisfies Validated

  const look = Effect.gen(function* () {
    // Asked before the file is looked for: it may have been written just before the end.
    const condition = yield* processes.condition(conductor)
    const began = Option.isSome(yield* Effect.option(agent.sessionFile(watch.sessionId)))
    return began ? "began" : isOver(condition) ? "ended" : undefined
  })
  const seen = yield* Effect.repeat(look, {
    until: (found) => found !== undefined,
    schedule: Schedule.spaced("250 millis")
  }).pipe(Effect.timeoutOption(sessionBegins))
  if (Option.contains(seen, "ended" as const)) {
    const where =
      launcher.terminal === "headless"
        ? `see ${launcher.outputPath(launchId)}`
        : "what it said was in its window, which closed with it: with LAUNCHER headless it is kept in a file"
    const message = `the agent ended before its session began: ${where}`
    return yield* new Invalid({ check: "session-file", message })
  }
  return { conductor, sessionId: watch.sessionId, print: agent.inPrintMode(args), baseline } satisfies Validated
})
