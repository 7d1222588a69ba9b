import {
  type Claims,
  type EventLog,
  type Hooks,
  parsePid,
  parseSessionId,
  type Pin,
  type Processes,
  type ResolvedSettings,
  Settings,
  type Target
} from "@souffleur/domain"
import type { Beats, Cursor, Offspring } from "@souffleur/eventlog"
import type { NamedRun, RunLog } from "@souffleur/plan"
import type { TrustedFiles } from "@souffleur/process"
import { command, commsPublisher, finish, release, allPublished } from "@souffleur/supervisor"
import { Context, Effect, type FileSystem, Layer, Option, type Path, Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { answerRun } from "./conducting/AnswerRun.ts"
import { conductPlan } from "./conducting/ConductPlan.ts"
import type { RunName } from "./conducting/FindRun.ts"
import { makeSouffleurLog } from "./MakeSouffleurLog.ts"
import { overviewOf, sessions, statusNow, statusOfRun } from "./LookNow.ts"
import type { PreviewOrder } from "./preview/PreviewSubject.ts"
import { remark, remarkWarnings } from "./Remark.ts"
import { takeRestored } from "./Restored.ts"
import type {
  ConductOptions,
  KeepOptions,
  ResumeOptions,
  RunAnswer,
  RunOptions,
  WatchOptions
} from "./SouffleurOptions.ts"
import { endedJobs, livingJobs } from "./jobs/JobList.ts"
import { logMetrics } from "./metrics/LogMetrics.ts"
import type { Period } from "./report/Report.ts"
import { report } from "./report/ReportLook.ts"
import { adoptProcess } from "./watching/AdoptProcess.ts"
import { findWatch, type NamedWatch, unfinished, unfinishedWatches, type WatchName } from "./watching/FindWatch.ts"
import { endedWatch, keepWatch } from "./watching/KeptWatch.ts"
import { goesOn } from "./watching/KnownWatch.ts"
import { oldestIn, openCommand, unlessEnded } from "./watching/OpenCommand.ts"
import { openWatch } from "./watching/OpenWatch.ts"
import { drainTimeout } from "./watching/Undelivered.ts"
import { Parts, type StartGuardian } from "./world/Parts.ts"
import { launchable } from "./world/AgentLayers.ts"
import type { LaunchOverrides } from "./world/World.ts"

/** The ports of {@link Souffleur.layer}. The others differ between projects, and {@link Parts} makes them. */
export type SouffleurNeeds =
  | Beats
  | ChildProcessSpawner.ChildProcessSpawner
  | Claims
  | Cursor
  | EventLog
  | FileSystem.FileSystem
  | Hooks
  | Offspring
  | Parts
  | Path.Path
  | Processes
  | RunLog
  | TrustedFiles

/** The parts of one watch. */
interface Opened {
  readonly settings: ResolvedSettings
  readonly overrides?: LaunchOverrides
  readonly comms: string | null
  readonly project: string
}

/** Builds the parts of a watch in this scope, with its roles. */
const partsOf = Effect.fnUntraced(function* ({ comms, overrides = {}, project, settings }: Opened) {
  const { layerRoles, layerWatch } = yield* Parts
  return yield* Layer.build(Layer.provideMerge(layerRoles, layerWatch({ settings, project, comms, overrides })))
})

/** Returns what starts the guardian that is asked for; `undefined`: none is. A refused one leaves no trace. */
const guardianIn = Effect.fnUntraced(function* ({ guardian }: KeepOptions) {
  return guardian === undefined ? undefined : yield* (yield* Parts).guardian(guardian)
})

const keep = Effect.fnUntraced(function* (
  id: string,
  order: { readonly comms: string | null; readonly from: number; readonly project: string },
  start: StartGuardian | undefined
) {
  yield* remarkWarnings(yield* Settings)
  return yield* keepWatch(id, start === undefined ? order : { ...order, guardian: start(id) })
})

/** Goes on with a watch. An ended watch tells comms the rest. */
const goOn = Effect.fnUntraced(function* <E, R>(
  known: NamedWatch,
  target: Option.Option<Target>,
  options: KeepOptions,
  takes: Effect.Effect<void, E, R>
) {
  const { goingOn } = yield* Parts
  const guardian = yield* guardianIn(options)
  const { id, watch } = known
  const { comms, project } = watch
  const context = yield* partsOf({ ...(yield* goingOn(known)), comms, project })
  const begins = Effect.gen(function* () {
    if (watch.phase === "Exited") {
      if (!(yield* allPublished(id, watch.revision))) yield* Effect.timeoutOption(commsPublisher(id), drainTimeout)
      return endedWatch(id, watch)
    }
    yield* goesOn(known, target)
    yield* takes
    return yield* keep(id, { comms, project, from: watch.revision }, guardian)
  })
  return yield* Effect.provideContext(begins, context)
})

const resume = Effect.fn("Souffleur.resume")(function* (name: WatchName, options: ResumeOptions = {}) {
  const known = yield* findWatch(name)
  const takes = takeRestored(known.id, options.restored, known.watch.project)
  return yield* goOn(known, Option.none(), options, takes)
})

/** Reports an agent that cannot be launched now, and not after the death of a Conductor. */
const needed = Effect.fnUntraced(function* (settings: ResolvedSettings) {
  const { agent } = yield* Parts
  yield* Effect.catchTag(launchable(settings), "AgentNotFound", (error) =>
    settings.agentCommand === agent.program
      ? remark("warning", `nothing could be launched: ${error.problem}`)
      : Effect.fail(error)
  )
})

const watch = Effect.fn("Souffleur.watch")(function* ({
  comms: named,
  force = false,
  observe = false,
  project,
  ...options
}: WatchOptions) {
  const { opening } = yield* Parts
  const target = {
    pid: yield* Effect.fromResult(parsePid(String(options.pid))),
    sessionId: yield* Effect.fromResult(parseSessionId(options.sessionId))
  }
  const known = yield* unfinished({ sessionId: target.sessionId })
  if (Option.isSome(known)) return yield* goOn(known.value, Option.some(target), options, Effect.void)
  const guardian = yield* guardianIn(options)
  const { pin, settings } = yield* opening(project)
  const comms = yield* (yield* Parts).comms(project, named)
  const begins = Effect.gen(function* () {
    if (!observe) yield* needed(settings)
    const id = yield* openWatch(target, { project, comms, pin, observe, forced: force, detaching: false })
    return yield* keep(id, { project, comms, from: 0 }, guardian)
  })
  return yield* Effect.provideContext(begins, yield* partsOf({ settings, project, comms }))
})

/**
 * Starts a command where no watch of the folder goes on. `undefined`: another start was first, and its watch goes on.
 */
const begin = Effect.fnUntraced(function* (
  { command: words, project, terminal = false, ...options }: RunOptions,
  { pin, settings }: { readonly pin: Pin; readonly settings: ResolvedSettings }
) {
  const { agent, variables } = yield* Parts
  const guardian = yield* guardianIn(options)
  const own = yield* Effect.fromResult(agent.parseCommand(settings.agentCommand))
  const literal = yield* Effect.fromResult(agent.takeApart(words, own))
  const overrides = Option.match(literal, {
    onNone: (): LaunchOverrides => ({}),
    onSome: ({ agentCommand }): LaunchOverrides => ({ agent: agentCommand })
  })
  const begins = Effect.gen(function* () {
    const id = yield* openCommand(words, literal, { pin, project, agent, variables, pty: terminal })
    const before = oldestIn(yield* unfinishedWatches, project)
    if (before === undefined || before.id === id) return yield* keep(id, { project, comms: null, from: 0 }, guardian)
    // The second of two simultaneous starts has started nothing yet.
    yield* release(id)
    return undefined
  })
  return yield* Effect.provideContext(begins, yield* partsOf({ settings, overrides, comms: null, project }))
})

const run = Effect.fn("Souffleur.run")(function* (options: RunOptions) {
  const { opening } = yield* Parts
  const attempt = Effect.gen(function* () {
    const known = yield* unfinished({ project: options.project })
    return Option.isSome(known)
      ? Option.getOrUndefined(yield* unlessEnded(goOn(known.value, Option.none(), options, Effect.void)))
      : yield* begin(options, yield* opening(options.project))
  })
  for (;;) {
    const watch = yield* attempt
    if (watch !== undefined) return watch
  }
})

/** Does an act of an operator, with the launches of the watch's project. */
const settling = Effect.fnUntraced(function* <A, E, R>(
  name: WatchName,
  act: (known: NamedWatch, settings: ResolvedSettings) => Effect.Effect<A, E, R>
) {
  const { layerLaunches, settings } = yield* Parts
  const known = yield* findWatch(name)
  const found = yield* settings(known.watch.project)
  return yield* Effect.provide(act(known, found), layerLaunches(found))
})

const adopt = Effect.fn("Souffleur.adopt")(function* (
  name: WatchName,
  { force = false, ...target }: Target & { readonly force?: boolean }
) {
  const { settings } = yield* Parts
  const { id, watch } = yield* findWatch(name)
  const { comms, project } = watch
  const context = yield* partsOf({ settings: yield* settings(project), comms, project })
  return yield* Effect.provideContext(adoptProcess(id, watch, { ...target, force }), context)
}, Effect.scoped)

/** Makes the methods of the service, closed over the ports in the context. */
export const makeSouffleur = Effect.gen(function* () {
  // The scope of the layer is left out: a watch belongs to the scope of its caller.
  const context = Context.omit(Scope.Scope)(yield* Effect.context<SouffleurNeeds | Scope.Scope>())
  const here = Effect.provideContext(context)
  return {
    ...(yield* makeSouffleurLog),
    watch: (options: WatchOptions) => here(watch(options)),
    run: (options: RunOptions) => here(run(options)),
    resume: (name: WatchName, options?: ResumeOptions) => here(resume(name, options)),
    conduct: (options: ConductOptions) => here(conductPlan(options)),
    answer: (name: RunName, answer: RunAnswer) => here(answerRun(name, answer)),
    jobs: here(livingJobs),
    endedJobs: (...of: Parameters<typeof endedJobs>) => here(endedJobs(...of)),
    report: (period: Period) => here(report(period)),
    metrics: here(logMetrics),
    sessions: (project: string) => here(sessions(project)),
    preview: (order: PreviewOrder) => here(Parts.use(({ preview }) => preview(order))),
    overview: (project: string) => here(overviewOf(project)),
    status: (named: NamedWatch) => here(statusNow(named)),
    runStatus: (named: NamedRun) => here(statusOfRun(named)),
    retry: (name: WatchName, { ceiling: permission }: { readonly ceiling?: Pin["ceiling"] } = {}) =>
      here(
        settling(name, ({ id }, { maxDollars, maxTime, maxTokens }) =>
          command(id, {
            _tag: "Retry",
            ceilings: [maxTime, maxTokens, maxDollars].some((one) => one !== null),
            permission
          })
        )
      ),
    adopt: (name: WatchName, target: Target & { readonly force?: boolean }) => here(adopt(name, target)),
    hold: (name: WatchName) => here(settling(name, ({ id }) => command(id, { _tag: "Hold" }))),
    go: (name: WatchName, { byAgent = false }: { readonly byAgent?: boolean } = {}) =>
      here(settling(name, ({ id }) => command(id, { _tag: "Go", byAgent }))),
    release: (name: WatchName) => here(settling(name, ({ id }) => release(id))),
    done: (name: WatchName, { by }: { readonly by: "agent" | "operator" } = { by: "operator" }) =>
      here(settling(name, ({ id }) => finish(id, by)))
  }
})
