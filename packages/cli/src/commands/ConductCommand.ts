import {
  projectRun,
  completionSummary,
  conduct,
  PlanContext,
  conductOn,
  excludeOwn,
  gitOf,
  invocation,
  isOver,
  launchWords,
  type LoadedPlan,
  loadPlan,
  loadRun,
  openRun,
  outcry,
  ownFiles,
  ownRun,
  type Run,
  publishRun,
  RunLog,
  runOfPlan,
  streamOf
} from "@souffleur/plan"
import {
  Agent,
  ceilingNow,
  Comms,
  CommsLink,
  digestOf,
  Launcher,
  leastPermission,
  Permission,
  type Pin,
  Processes,
  Settings
} from "@souffleur/domain"
import { boundOutputs } from "@souffleur/node"
import { attendedHere } from "@souffleur/supervisor"
import { Console, Effect, Fiber, FileSystem, Option, Path, Ref, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { agentKind } from "../agent/Kind.ts"
import {
  finishingOf,
  goingOn,
  launchable,
  layerComms,
  layerCommsLink,
  layerConductor,
  layerStore,
  logProblem,
  oncePossible,
  opening,
  runIdOf,
  runJsonLine,
  runNeeds,
  settingsOf,
  watchedElsewhere,
  withProgress
} from "@souffleur/embed/internal"
import { runLine } from "../explain/RunLine.ts"
import { dryRun } from "../world/DryRun.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { layerNoticeChannels } from "../world/NoticeWiring.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint, printLines } from "../Printing.ts"
import { conductAnswerCommand } from "./ConductAnswerCommand.ts"
import { conductLogCommand, conductWhyCommand } from "./ConductLogCommand.ts"
import { conductStatusCommand } from "./ConductStatusCommand.ts"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** The time that a conductor which ends waits for a comms that is out. */
const drainTimeout = "10 seconds"

/** Opens the comms of the project, where its file exists. */
const linkOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) return Option.none()
  return Option.some({
    link: yield* Effect.provide(CommsLink, layerCommsLink(file)),
    comms: yield* Effect.provide(Comms, layerComms(file))
  })
})

/** Prints every event after the last printed one, up to the end of this ownership. */
const narrate = Effect.fn("Conduct.narrate")(function* (id: string, told: Ref.Ref<number>, asJson: boolean) {
  const log = yield* RunLog
  const { colour } = yield* Environment
  const brush = paint(colour)
  const from = yield* Ref.get(told)
  yield* withProgress(log.changes(streamOf(id), 0)).pipe(
    Stream.filter(({ recorded }) => recorded.revision > from),
    Stream.tap(({ progress, recorded }) =>
      Console.log(asJson ? runJsonLine(recorded) : runLine(recorded, brush, progress))
    ),
    Stream.tap(({ recorded }) => Ref.set(told, recorded.revision)),
    Stream.takeUntil(({ recorded }) => recorded.event._tag === "RunLeft"),
    Stream.runDrain
  )
})

/** Tells the agent that works on, because the end of the conductor does not end it. */
const leftAtWork = Effect.fnUntraced(function* (id: string) {
  const run = yield* loadRun(id)
  const pid = run.assignment?.launch?.process.pid
  if (pid !== undefined && Option.isSome(yield* (yield* Processes).find(pid)))
    yield* Console.error(
      `its ${run.assignment?.role}, pid ${pid}, works on; it is gone on with by: ${invocation(run, (yield* Environment).cwd)}`
    )
})

const tellNeeds = Effect.fnUntraced(function* (id: string, run: Run, then: string) {
  const { outputPath } = yield* Launcher
  yield* printLines(`${runNeeds(id, run, outputPath).join("\n  ")}; ${then}`, Console.error)
})

/** Tells a person the end of the run, and returns the exit code (spec: command-line#exit-codes). */
const ended = Effect.fnUntraced(function* (id: string, run: Run, asJson: boolean) {
  if (!isOver(run)) {
    yield* tellNeeds(id, run, "then conduct the plan again")
    return 1
  }
  if (!asJson) yield* printLines(`\n${completionSummary(run)}`)
  return 0
})

interface ConductOptions {
  readonly project: string
  readonly statePath: string
  readonly requested: Permission
  readonly wait: boolean
  readonly asJson: boolean
  readonly pin: Pin
  readonly known: string | undefined
}

const conductPlan = Effect.fn("conductPlan")(function* (
  loaded: LoadedPlan,
  { asJson, known, pin, project, requested, statePath, wait }: ConductOptions
) {
  const settings = yield* Settings
  const path = yield* Path.Path
  const agent = yield* Agent
  yield* launchable(settings)
  const commsFile = path.join(project, "comms.db")
  const linked = yield* linkOf(commsFile)
  const finishing = yield* finishingOf(loaded)
  const finishingDigest =
    loaded.plan.finish._tag === "Command" ? yield* digestOf(JSON.stringify(loaded.plan.finish.command)) : null
  const audience = { project, comms: Option.map(linked, ({ comms }) => comms) }
  const own = yield* ownFiles(statePath, [loaded.path, commsFile])
  const begins = Effect.gen(function* () {
    const git = yield* gitOf(project, own)
    const opened = yield* openRun(loaded, {
      project,
      statePath,
      git,
      newId: runIdOf(project, loaded.path),
      pin,
      finishingDigest
    })
    return { ...opened, git }
  })
  const { from, git, id } = yield* wait && known !== undefined ? oncePossible(known, audience, begins) : begins
  yield* Console.error(from === 0 ? `run ${id}, agents by ${agent.name}` : `run ${id} goes on from revision ${from}`)
  const excluded = yield* excludeOwn(git.root, statePath, Option.isSome(linked) ? [commsFile] : [])
  yield* Effect.forEach(excluded, (one) => Console.error(one))
  yield* Effect.forEach(settings.warnings, (warning) => Console.error(`warning: ${settings.source}: ${warning}`))
  const link = Option.map(linked, (one) => one.link)
  const board = projectRun(id, from, link, yield* watchedElsewhere(commsFile))
  const projection = yield* Effect.forkScoped(attendedHere("projection", board))
  const telling = yield* Effect.forkScoped(attendedHere("publisher", publishRun(id, from, audience)))
  const told = yield* Ref.make(from)
  const narrator = yield* Effect.forkScoped(attendedHere("narrator", narrate(id, told, asJson)))
  yield* Effect.forkScoped(
    attendedHere("bound of launches", boundOutputs(path.join(settings.stateDir, "launches"), `run-${id}-`))
  )
  yield* Effect.scoped(
    Effect.gen(function* () {
      const ref = yield* ownRun(id)
      yield* ceilingNow(ref.dispatch)
      const waiting = (run: Run) => tellNeeds(id, run, "it waits for that")
      yield* Effect.provideService(wait ? conductOn(waiting) : conduct(), PlanContext, {
        ref,
        plan: loaded.plan,
        git,
        words: yield* launchWords,
        statePath,
        requested,
        commitSetting: agentKind.commitSetting,
        finishing,
        finishingDigest
      })
    })
  ).pipe(
    Effect.onInterrupt(() => Effect.ignore(leftAtWork(id))),
    Effect.tapCause((cause) => {
      const why = logProblem(cause)
      return why === undefined ? Effect.void : outcry(id, audience, why)
    })
  )
  yield* Fiber.join(narrator)
  yield* Effect.timeoutOption(Fiber.awaitAll([projection, telling]), drainTimeout)
  return yield* ended(id, yield* loadRun(id), asJson)
}, Effect.scoped)

const limit = (name: string, what: string) => Flag.String(name).pipe(Flag.withDescription(what), Flag.optional)

export const conductCommand = Command.make(
  "conduct",
  {
    plan: Argument.String("plan").pipe(Argument.withDescription("The plan: YAML, or Markdown with front matter")),
    projectDir,
    state: Flag.String("state").pipe(
      Flag.withDescription("The state file (default: state.json in the project)"),
      Flag.optional
    ),
    permission: Flag.Literals("permission", Permission.literals).pipe(
      Flag.withDescription("What agents may do, at most MAX_EXTERNAL_PERMISSION"),
      Flag.withDefault(leastPermission)
    ),
    implementerTimeout: limit("implementer-timeout", "How long an implementer may take, such as 60 minutes"),
    reviewerTimeout: limit("reviewer-timeout", "How long a reviewer may take, such as 30 minutes"),
    wait: Flag.Boolean("wait").pipe(
      Flag.withDescription(
        "Stay where a person is needed, and go on when that is answered (the default under souffleur run)"
      ),
      Flag.optional
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Print the order and the prompts; do nothing"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fnUntraced(function* (flags) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { cwd, variables } = yield* Environment
    const project = yield* Project
    const limits = {
      implementerTimeout: Option.getOrUndefined(flags.implementerTimeout),
      reviewerTimeout: Option.getOrUndefined(flags.reviewerTimeout)
    }
    const found = yield* settingsOf(project, limits)
    const named = path.resolve(cwd, flags.plan)
    // A plan is the same by any path to its file.
    const loaded = yield* loadPlan(yield* Effect.orElseSucceed(fs.realPath(named), () => named), project)
    if (flags.dryRun) return yield* dryRun(loaded, flags.json)
    const statePath = Option.match(flags.state, {
      onNone: () => path.join(project, "state.json"),
      onSome: (file) => path.resolve(cwd, file)
    })
    if (!(yield* Effect.orElseSucceed(fs.exists(path.dirname(statePath)), () => false)))
      return yield* new BadUsage({ message: `--state: there is no folder ${path.dirname(statePath)}` })
    if (statePath === loaded.path) return yield* new BadUsage({ message: "--state: the state file cannot be the plan" })
    const wait = Option.getOrElse(flags.wait, () => (variables["SOUFFLEUR_LAUNCH_ID"] ?? "") !== "")
    const known = Option.getOrUndefined(yield* Effect.provide(runOfPlan(project, loaded.path), layerStore(found)))
    const { pin, settings } =
      known === undefined
        ? yield* opening(project, limits)
        : { pin: known.run.pin, settings: yield* goingOn(project, known.run.pin, limits) }
    const options = {
      project,
      statePath,
      pin,
      wait,
      requested: flags.permission,
      asJson: flags.json,
      known: known?.id
    }
    const code = yield* Effect.provide(conductPlan(loaded, options), [
      layerConductor(settings, project),
      layerStore(settings),
      layerNoticeChannels(settings)
    ])
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(
  withProject,
  Command.withExamples([
    { command: "souffleur conduct plan.yaml", description: "Conduct a plan; after a stop, go on with it" },
    { command: 'souffleur conduct answer task-002 "use the other library"', description: "Answer an escalation" }
  ]),
  Command.withSubcommands([conductStatusCommand, conductLogCommand, conductWhyCommand, conductAnswerCommand])
)
