import {
  Agent,
  AlreadyWatched,
  formatCap,
  formatLimits,
  type JobId,
  kindOf,
  Launcher,
  parsePid,
  parseSessionId,
  type Pin,
  type ResolvedSettings,
  Settings,
  type Until,
  type Variables,
  type Watch
} from "@souffleur/domain"
import { Refused } from "@souffleur/eventlog"
import { chosenAgent, resolveProgram } from "@souffleur/process"
import { refuseOwned, release } from "@souffleur/supervisor"
import { Effect, Layer, Option } from "effect"
import { jobIdOf, jobTermsOf } from "../jobs/JobTerms.ts"
import type { Keeper } from "../keeping/Keeper.ts"
import { remark } from "../Remark.ts"
import type { RunOptions, WatchOptions } from "../SouffleurOptions.ts"
import { launchable } from "../world/AgentLayers.ts"
import { jobLimitsOf, type LaunchOverrides, untilOf } from "../world/LaunchOverrides.ts"
import { withoutMarks } from "../keeping/MarkedVariables.ts"
import { builtApart, spansOf } from "../trace/OwnSpans.ts"
import { Parts } from "../world/Parts.ts"
import { withinSession } from "../trust/CallingSession.ts"
import { type NamedWatch, unfinished, unfinishedWatches, watchById } from "./FindWatch.ts"
import { lostWindow } from "../window/LostWindow.ts"
import {
  firstWords,
  goesOn,
  oldestIn,
  refuseBeside,
  refuseChange,
  refuseOther,
  refuseOtherJob,
  unlessEnded
} from "./KnownWatch.ts"
import { openCommand } from "./OpenCommand.ts"
import { openWatch } from "./OpenWatch.ts"

/** The parts of one watch. */
interface Opened {
  readonly settings: ResolvedSettings
  readonly overrides?: LaunchOverrides
  readonly comms: string | null
  readonly project: string
}

/** Builds the parts of a watch in this scope, with its roles. */
export const partsOf = Effect.fnUntraced(function* ({ comms, overrides = {}, project, settings }: Opened) {
  const { layerRoles, layerWatch } = yield* Parts
  return yield* builtApart(Layer.provideMerge(layerRoles, layerWatch({ settings, project, comms, overrides })))
})

/** Reports an agent that cannot be launched now, and not after the death of a Conductor. */
const needed = Effect.gen(function* () {
  const { agent } = yield* Parts
  const settings = yield* Settings
  yield* Effect.catchTag(launchable(settings), "AgentNotFound", (error) =>
    settings.agentCommand === agent.program
      ? remark("warning", `nothing could be launched: ${error.problem}`)
      : Effect.fail(error)
  )
})

/** Says which caps of the user's own count over all launches (spec: behaviour#caps-of-the-user). */
const capped = Effect.gen(function* () {
  const { caps = [] } = yield* Agent
  if (caps.length > 0) yield* remark("info", `over all its launches it gets at most ${caps.map(formatCap).join(", ")}`)
})

/** Reports a program that is to say whether the work is done, and is not there yet. The agent may be to write it. */
const checkable = ({ words: [program] }: Until, of: { readonly project: string; readonly variables: Variables }) =>
  Effect.catchTag(resolveProgram(program, of.variables["PATH"] ?? "", of.project), "AgentNotFound", ({ problem }) =>
    remark("warning", `until it can be run, --until says nothing of the work: ${problem}`)
  )

/** Reports that a Conductor has a window which its successor would not have. */
const windowed = Effect.fnUntraced(function* (conductor: Parameters<typeof lostWindow>[0]) {
  const { variables } = yield* Parts
  const [terminal] = (yield* Launcher).terminals
  const found = yield* lostWindow(conductor, { settings: yield* Settings, terminal, variables })
  if (Option.isSome(found)) yield* remark("warning", `${found.value.lost}; ${found.value.todo}`)
})

/** The same of a watch that is resumed, unless a person asked for launches without a window. */
const windowedOf = ({ conductor, headless, sessionId }: Watch) =>
  conductor === undefined || headless ? Effect.void : windowed({ pid: conductor.pid, sessionId })

const goOnTo = Effect.fnUntraced(function* <A, E, R, E2, R2, E3, R3>(
  known: NamedWatch,
  checked: Effect.Effect<void, E3, R3>,
  keeper: Keeper<A, E, R, E2, R2>
) {
  const { goingOn } = yield* Parts
  const { id, watch } = known
  const { comms, project } = watch
  const context = yield* partsOf({ ...(yield* goingOn(known)), comms, project })
  const begins = Effect.gen(function* () {
    if (watch.phase === "Exited") return yield* keeper.ended(known)
    // The agent that the watch began with may be gone since a hand-over, and a stop needs none.
    if (watch.kind === "agent" && !watch.observe && watch.recovery?.purpose !== "stop")
      yield* Effect.updateService(Effect.andThen(Effect.andThen(needed, windowedOf(watch)), capped), Agent, (agent) =>
        chosenAgent(agent, watch.agent)
      )
    yield* checked
    return yield* keeper.take({ id, comms, project, from: watch.revision })
  })
  return yield* Effect.provideContext(begins, context)
})

/** Resumes a watch, by its keeper. `checked` refuses what was asked for and does not fit that watch. */
export const goOn = <A, E, R, E2, R2, E3, R3>(
  known: NamedWatch,
  checked: Effect.Effect<void, E3, R3>,
  keeper: Keeper<A, E, R, E2, R2>
) => goOnTo(known, checked, keeper).pipe(spansOf({ project: known.watch.project, watch: known.id }))

const watching = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  { comms: named, force = false, observe = false, pid, project, sessionId }: WatchOptions,
  keeper: Keeper<A, E, R, E2, R2>
) {
  const parts = yield* Parts
  const target = {
    pid: yield* Effect.fromResult(parsePid(String(pid))),
    sessionId: yield* Effect.fromResult(parseSessionId(sessionId))
  }
  const known = yield* unfinished({ sessionId: target.sessionId })
  if (Option.isSome(known)) {
    yield* refuseChange(known.value, { comms: named, force })
    return yield* goOn(known.value, goesOn(known.value, target), keeper)
  }
  const { pin, settings } = yield* withinSession(yield* parts.opening(project))
  const comms = yield* parts.comms(project, named)
  const begins = Effect.gen(function* () {
    if (!observe) yield* Effect.andThen(Effect.andThen(needed, windowed(target)), capped)
    const { detaching } = keeper
    const id = yield* openWatch(target, { project, comms, pin, observe, forced: force, detaching })
    return yield* keeper.take({ id, project, comms, from: 0 })
  })
  return yield* Effect.provideContext(begins, yield* partsOf({ settings, project, comms }))
})

/** Watches a Conductor that runs already, or resumes the unfinished watch of its session. */
export const beginWatch = <A, E, R, E2, R2>(options: WatchOptions, keeper: Keeper<A, E, R, E2, R2>) =>
  watching(options, keeper).pipe(spansOf({ project: options.project }))

/**
 * Starts a command unless a watch of the folder is to be resumed. `undefined`: another start was first, and its watch
 * is resumed.
 */
const start = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  options: RunOptions & { readonly named: Option.Option<JobId> },
  { pin, settings }: { readonly pin: Pin; readonly settings: ResolvedSettings },
  keeper: Keeper<A, E, R, E2, R2>
) {
  const { command: words, environment = {}, force = false, input, named, project, terminal = false } = options
  const { agent, variables: own } = yield* Parts
  const configured = yield* Effect.fromResult(agent.parseCommand(settings.agentCommand))
  const { literal, note } = yield* jobTermsOf(
    options,
    yield* Effect.fromResult(agent.takeApart(words, configured)),
    agent
  )
  const until = yield* untilOf(options, settings, Option.isSome(literal) ? "agent" : "command")
  const kind = Option.map(literal, ({ agentCommand }) => kindOf(agent, agentCommand.program, agentCommand.args))
  const limits = yield* jobLimitsOf(options.limits, Option.getOrUndefined(kind))
  const overrides = Option.match(literal, {
    onNone: (): LaunchOverrides => ({}),
    onSome: ({ agentCommand }): LaunchOverrides => ({
      agent: agentCommand,
      environment,
      ...(until === undefined ? {} : { until })
    })
  })
  // A detached command outlives the agent whose tool this may be.
  const variables = { ...(keeper.detaching ? withoutMarks(agent, own) : own), ...environment }
  const begins = Effect.gen(function* () {
    const id = yield* openCommand(words, literal, {
      pin,
      limits,
      note,
      named,
      project,
      agent,
      force,
      variables,
      pty: terminal,
      ...(input === undefined ? {} : { input }),
      ...(until === undefined ? {} : { until })
    })
    const before = oldestIn(yield* unfinishedWatches, project)
    if (Option.isSome(literal)) yield* capped
    if (limits !== null) yield* remark("info", `it may use ${formatLimits(limits)}`)
    if (until !== undefined) yield* checkable(until, { project, variables })
    if (before === undefined || before.id === id) return yield* keeper.take({ id, project, comms: null, from: 0 })
    // The second of two simultaneous starts has started nothing yet.
    yield* release(id)
    return undefined
  })
  return yield* Effect.provideContext(begins, yield* partsOf({ settings, overrides, comms: null, project }))
})

/**
 * Resumes the watch that has the caller's id, or answers with its end. `None`: it ended since it was found. Fails with
 * `OpenedOtherwise` where it is another job.
 */
const sameJob = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  known: NamedWatch,
  { command: words, project }: RunOptions,
  keeper: Keeper<A, E, R, E2, R2>
) {
  yield* refuseOtherJob(known, { project, words })
  if (known.watch.phase === "Exited") return Option.some(yield* goOn(known, Effect.void, keeper))
  yield* refuseOwned(known.id, known.watch)
  return yield* unlessEnded(goOn(known, Effect.void, keeper))
})

/** Resumes a watch whose command is asked for again, and says so. */
const inPlace = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  known: NamedWatch,
  { command: words, id: asked, limits, until }: RunOptions,
  keeper: Keeper<A, E, R, E2, R2>
) {
  const { id, watch } = known
  // It is not resumed here while another souffleur has it.
  yield* Effect.catchTag(refuseOwned(id, watch), "AlreadyWatched", (refusal) =>
    Effect.fail(
      new AlreadyWatched({
        ...refusal,
        problem: `${refusal.problem}, and a folder begins nothing beside its unfinished watch: another one does, such as a git worktree`
      })
    )
  )
  const told = remark(
    "info",
    `watch ${id} of this folder is not finished: it goes on, and nothing else is started ("souffleur release ${id}" ends it)`
  )
  const kept = until === undefined ? Effect.void : remark("warning", "what --until says is as the watch began with it")
  const limited =
    watch.limits !== null
      ? remark("info", `it may use ${formatLimits(watch.limits)}, as when its watch began`)
      : limits === undefined
        ? Effect.void
        : remark("warning", "it has no limits: its watch began without any")
  yield* refuseBeside(known, { id: asked })
  const all = Effect.all([refuseOther(known, words, firstWords), told, kept, limited], { discard: true })
  return yield* goOn(known, all, keeper)
})

/** The refusal of an id that a watch has already. */
const isTaken = (error: unknown): error is Refused => error instanceof Refused && error.reason === "exists"

const running = Effect.fnUntraced(function* <A, E, R, E2, R2>(options: RunOptions, keeper: Keeper<A, E, R, E2, R2>) {
  const { opening } = yield* Parts
  const { project } = options
  const named = yield* jobIdOf(options)
  const attempt = Effect.gen(function* () {
    const job = Option.isSome(named) ? yield* watchById(named.value) : Option.none()
    if (Option.isSome(job)) return Option.getOrUndefined(yield* sameJob(job.value, options, keeper))
    const known = yield* unfinished({ project })
    if (Option.isNone(known))
      return yield* start({ ...options, named }, yield* withinSession(yield* opening(project)), keeper).pipe(
        // Another start under the same id was first.
        Effect.catchIf(isTaken, () => Effect.undefined)
      )
    // A watch that ended meanwhile refuses no command.
    const begun = Effect.catchTag(inPlace(known.value, options, keeper), "OpenedOtherwise", (refusal) =>
      Effect.flatMap(unfinished({ project }), (now) => {
        const goesOn = Option.isSome(now) && now.value.id === known.value.id
        return Effect.fail(
          goesOn ? refusal : new Refused({ reason: "ended", message: `watch ${known.value.id} has ended` })
        )
      })
    )
    return Option.getOrUndefined(yield* unlessEnded(begun))
  })
  for (;;) {
    const begun = yield* attempt
    if (begun !== undefined) return begun
  }
})

/** Starts a command, or resumes the unfinished watch of its folder. */
export const beginRun = <A, E, R, E2, R2>(options: RunOptions, keeper: Keeper<A, E, R, E2, R2>) =>
  running(options, keeper).pipe(spansOf({ project: options.project }))
