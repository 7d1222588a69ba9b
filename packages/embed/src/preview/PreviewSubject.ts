import {
  Agent,
  type AgentCommand,
  clamp,
  decide,
  evolve,
  agentBelow,
  holdingOf,
  initial,
  kindOf,
  Processes,
  type ResolvedSettings,
  Settings,
  type Target,
  type WatchIntent
} from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { chosenAgent } from "@souffleur/process"
import { refuseSession, refuseTarget } from "@souffleur/supervisor"
import { Clock, Effect, Layer, Option } from "effect"
import type { RunOptions, WatchOrder } from "../SouffleurOptions.ts"
import { jobIdOf, jobTermsOf } from "../jobs/JobTerms.ts"
import { findWatch, type NamedWatch, unfinished, watchById } from "../watching/FindWatch.ts"
import { firstWords, refuseBeside, refuseOther, refuseOtherJob } from "../watching/KnownWatch.ts"
import { firstOf, refuseOccupied } from "../watching/OpenCommand.ts"
import { opening, wouldGoOn } from "../world/ConfigTrust.ts"
import { Installation } from "../world/Installation.ts"
import {
  firstLaunchOf,
  jobLimitsOf,
  type LaunchOverrides,
  launchOverridesOf,
  settingsUnder,
  untilOf
} from "../world/LaunchOverrides.ts"
import { layerAgent } from "../world/AgentLayers.ts"
import { layerLaunches } from "../world/LaunchLayers.ts"
import { commsIn } from "../world/StoreLayers.ts"
import { terminalsOf } from "../world/World.ts"
import { type Foreseen, type NoPreview, preview } from "./Preview.ts"

/** The ports that only read. */
const layerReaders = (settings: ResolvedSettings, overrides?: LaunchOverrides) =>
  Layer.mergeAll(layerAgent(settings, overrides), HookFiles.layer(settings.stateDir), Layer.succeed(Settings, settings))

const programOf = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const { agent } = yield* Installation
  return yield* Effect.fromResult(agent.parseCommand(settings.agentCommand))
})

/** Returns the best terminal for launches. */
const terminalOf = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const [best] = yield* terminalsOf(settings, (yield* Installation).variables)
  return best
})

/** Returns the watch that an `Open` would make. */
const openedBy = Effect.fnUntraced(function* (open: Omit<Extract<WatchIntent, { readonly _tag: "Open" }>, "_tag">) {
  const now = yield* Clock.currentTimeMillis
  const decided = decide(initial, { _tag: "Open", ...open, now, by: { _tag: "Operator" } })
  return (yield* Effect.fromResult(decided)).reduce(evolve, initial)
})

/** Previews a watch that would be resumed. */
const previewKnown = Effect.fn("previewKnown")(function* (known: NamedWatch) {
  const { watch } = known
  const opened = yield* wouldGoOn(watch.project, watch.pin)
  const { settings } = opened
  const overrides: LaunchOverrides = yield* launchOverridesOf(settings, Option.some(known))
  const program = overrides.agent ?? (yield* programOf(settings))
  const processes = yield* Processes
  const { conductor } = watch
  const condition = conductor === undefined ? "running" : yield* processes.condition(conductor)
  const found = conductor === undefined || condition === "gone" ? Option.none() : yield* processes.find(conductor.pid)
  const foreseen: Foreseen = {
    opening: { ...opened, settings: settingsUnder(settings, overrides) },
    watch,
    goesOn: known,
    program,
    terminal: watch.headless ? "headless" : yield* terminalOf(settings),
    pty: watch.firstLaunch?.pty ?? false,
    starts: undefined,
    fresh: false,
    first: Option.map(yield* firstLaunchOf(settings, watch), ({ command }) => command),
    conductor: Option.getOrUndefined(found),
    doubt: condition === "gone" ? "its process is gone" : null
  }
  return yield* preview(foreseen).pipe(
    Effect.updateService(Agent, (agent) => chosenAgent(agent, watch.agent)),
    Effect.provide(layerReaders(settings, overrides))
  )
})

/**
 * Previews `run`: the folder's unfinished watch, else a new one. `pty`: a command gets a terminal of its own.
 * Fails with `CommandRefused` and `OpenedOtherwise` as `run` does.
 */
const previewRun = Effect.fn("previewRun")(function* (options: Omit<RunOptions, "guardian">) {
  const { command: words, environment = {}, force = false, input, project, terminal: pty = false } = options
  const named = yield* jobIdOf(options)
  const job = Option.isSome(named) ? yield* watchById(named.value) : Option.none()
  if (Option.isSome(job)) {
    yield* refuseOtherJob(job.value, { project, words })
    return yield* previewKnown(job.value)
  }
  const known = yield* unfinished({ project })
  if (Option.isSome(known)) {
    yield* refuseBeside(known.value, options)
    const { pin, project } = known.value.watch
    const { settings } = yield* wouldGoOn(project, pin)
    yield* refuseOther(known.value, words, (first) => Effect.provide(firstWords(first), layerLaunches(settings)))
    return yield* previewKnown(known.value)
  }
  const { agent, variables } = yield* Installation
  const found = yield* opening(project)
  const configured = yield* programOf(found.settings)
  const { literal, note } = yield* jobTermsOf(
    options,
    yield* Effect.fromResult(agent.takeApart(words, configured)),
    agent
  )
  const until = yield* untilOf(options, found.settings, Option.isSome(literal) ? "agent" : "command")
  const kind = Option.map(literal, ({ agentCommand }) => kindOf(agent, agentCommand.program, agentCommand.args))
  const limits = yield* jobLimitsOf(options.limits, Option.getOrUndefined(kind))
  const settings = settingsUnder(found.settings, until === undefined ? {} : { until })
  const opened = { ...found, settings }
  const program = Option.match(literal, { onNone: () => configured, onSome: ({ agentCommand }) => agentCommand })
  const terminal = yield* terminalOf(settings)
  const foreseen = Effect.gen(function* () {
    if (!force) yield* refuseOccupied(project)
    const first = yield* firstOf(words, literal, {
      agent,
      project,
      variables: { ...variables, ...environment },
      terminal,
      pty,
      ...(input === undefined ? {} : { input })
    })
    const { command, kind, requested, sessionId } = first
    const effective = clamp(requested, settings.maxExternalPermission)
    const watch = yield* openedBy({
      project,
      comms: null,
      pid: 0,
      sessionId,
      observe: false,
      pin: opened.pin,
      limits,
      note,
      run: { kind, launch: { launchId: "", digest: "", requested, effective } }
    })
    const fresh = Option.exists(literal, ({ session }) => session === undefined)
    const starts: AgentCommand = command
    return yield* preview({
      opening: opened,
      watch,
      goesOn: undefined,
      program,
      terminal,
      pty,
      starts,
      fresh,
      first: Option.some(starts),
      conductor: undefined,
      doubt: null
    })
  })
  return yield* Effect.provide(foreseen, layerReaders(settings, { agent: program, environment }))
})

/** A Conductor that runs already, and the way in which it would be watched. */
export interface WatchPreviewOrder {
  readonly project: string
  readonly target: Target
  /** `null`: solo. */
  readonly comms: string | null
  readonly observe: boolean
  readonly forced: boolean
}

/** Previews the first `watch` of a Conductor. Fails as `watch` does where no watch may have the process. */
const previewWatch = Effect.fn("previewWatch")(function* ({ target, ...order }: WatchPreviewOrder) {
  const opened = yield* opening(order.project)
  const { settings } = opened
  const program = yield* programOf(settings)
  const terminal = yield* terminalOf(settings)
  const foreseen = Effect.gen(function* () {
    const agent = yield* Agent
    const processes = yield* Processes
    yield* refuseTarget(target.pid)
    yield* refuseSession(target.sessionId)
    const { sessionId } = yield* Effect.catchTag(agent.sessionFile(target.sessionId), "SessionNotFound", (error) =>
      error.reason === "missing" ? Effect.succeed(target) : Effect.fail(error)
    )
    const named = Option.getOrUndefined(yield* processes.find(target.pid))
    const holding = named === undefined ? undefined : yield* holdingOf(named.identity, sessionId)
    const below =
      named === undefined || holding === undefined || order.forced
        ? undefined
        : yield* agentBelow(named.identity, holding)
    const found = below ?? named
    const doubt =
      found === undefined
        ? `no process ${target.pid} is running`
        : holding?._tag === "Another" && below === undefined && !order.forced
          ? holding.message
          : null
    const watch = yield* openedBy({
      ...order,
      pid: target.pid,
      sessionId,
      process: named?.identity ?? null,
      pin: opened.pin
    })
    return yield* preview({
      opening: opened,
      watch,
      goesOn: undefined,
      program,
      terminal,
      pty: false,
      starts: undefined,
      fresh: false,
      first: Option.none(),
      conductor: found,
      doubt
    })
  })
  return yield* Effect.provide(foreseen, layerReaders(settings, { agent: program }))
})

/** Previews one of the three, as `run`, `watch` and `resume` would do it. */
export const previewOf = Effect.fn("previewOf")(function* (order: WatchOrder) {
  if ("watch" in order) return yield* previewKnown(yield* findWatch(order.watch))
  if ("command" in order) return yield* previewRun(order)
  const { comms, force: forced = false, observe = false, pid, project, sessionId } = order
  const known = yield* unfinished({ sessionId })
  return Option.isSome(known)
    ? yield* previewKnown(known.value)
    : yield* previewWatch({
        project,
        target: { pid, sessionId },
        comms: comms === undefined ? yield* commsIn(project) : comms,
        observe,
        forced
      })
})

/** Nothing can be foreseen. `NoPreview`: these parts are not of a host. The others are as of `run` and `watch`. */
export type PreviewError = NoPreview | Effect.Error<ReturnType<typeof previewOf>>
