import {
  completionSummary,
  invocation,
  isRunOver,
  maxParallel,
  type Run,
  treesThatStay,
  workPlace
} from "@souffleur/plan"
import { nextTimeOfDay, Permission, plain, Processes, Settings, type Zone } from "@souffleur/domain"
import { type NotReady, type RoleUnfit, type PlanBroken, type RunningPlan, Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur, layerSouffleurReading, runJsonLine } from "@souffleur/embed/internal"
import { type Duration, Console, Effect, Layer, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { unseenSaid } from "../explain/NextStep.ts"
import { makePlanScreen } from "../conducting/PlanScreen.ts"
import { runLine } from "../conducting/RunLine.ts"
import { printChecks } from "../preview/CheckTable.ts"
import { printPlanPreview } from "../preview/PlanPreviewText.ts"
import { Environment, WorksUnread } from "../world/CommandEnvironment.ts"
import { BadUsage, Ended } from "../Failure.ts"
import { paint, printLines } from "../Printing.ts"
import { personOnly, signOfAgent } from "../person/PersonOnly.ts"
import { askingForRules } from "../person/RulesAsked.ts"
import { orProgramsTrusted, orTrusted } from "../person/TrustQuestion.ts"
import { drainNarrator } from "../watching/WatchSession.ts"
import { conductAnswerCommand } from "./ConductAnswerCommand.ts"
import { conductLogCommand, conductWhyCommand } from "./ConductLogCommand.ts"
import { conductPlanCommand } from "./ConductPlanCommand.ts"
import { conductStatusCommand } from "./ConductStatusCommand.ts"
import { json, projectDir, utcFlag, verbose, zoneOf } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

/** Tells each agent that works on, because the end of the conductor does not end it. */
const leftAtWork = Effect.fnUntraced(function* (run: Run) {
  const { find } = yield* Processes
  for (const { launch, role } of run.assignments)
    if (launch !== null && Option.isSome(yield* find(launch.process.pid)))
      yield* Console.error(
        `its ${role}, pid ${launch.process.pid}, works on; it is gone on with by: ${invocation(run, (yield* Environment).cwd)}`
      )
})

const tellNeeds = (needs: ReadonlyArray<string>, then: string) => printLines(`${needs.join("\n  ")}; ${then}`, "error")

/** How a run is told. On a terminal it has a screen of its own, unless each event is asked for. */
interface Telling {
  readonly asJson: boolean
  readonly verbose: boolean
  readonly zone: Zone
}

/** Prints a run to its end, and returns the exit code (spec: command-line#exit-codes). */
const printRun = Effect.fnUntraced(function* (run: RunningPlan<PlanBroken>, { asJson, verbose, zone }: Telling) {
  const { colour, columns } = yield* Environment
  const brush = paint(colour)
  const last = yield* Effect.scoped(
    Effect.gen(function* () {
      const screen = asJson || verbose || columns === undefined ? undefined : yield* makePlanScreen(run, zone)
      const narrator = yield* Effect.forkScoped(
        run.narrate((recorded, progress, before) =>
          screen === undefined
            ? Console.log(asJson ? runJsonLine(recorded) : runLine(recorded, brush, progress, zone))
            : screen.tell(recorded, before)
        )
      )
      const ended = yield* run.awaitEnd
      yield* drainNarrator(`souffleur conduct log --run ${run.id}`, narrator)
      return ended
    })
  ).pipe(Effect.onInterrupt(() => Effect.ignore(Effect.flatMap(run.state, leftAtWork))))
  if (last.stop !== null && !isRunOver(last)) {
    const then = invocation(last, (yield* Environment).cwd)
    yield* printLines(`a person stopped the run; a person goes on with it by: ${then}`, "error")
    return 1
  }
  if (!isRunOver(last)) {
    yield* tellNeeds(run.needs(last), "then conduct the plan again")
    return 1
  }
  const minor = last.tasks.flatMap(({ id, minor }) => minor.map((finding) => `- ${id}: ${finding}`))
  const findings = minor.length === 0 ? "" : `\n\n### Minor Findings\n${minor.join("\n")}`
  const place = workPlace(last)
  const work = place === undefined ? "" : `\n\nThe work: ${place}`
  const stay = treesThatStay(last).map((tree) => `- ${plain(tree)}`)
  const trees = stay.length === 0 ? "" : `\n\n### Work Trees That Stay\n${stay.join("\n")}`
  if (!asJson) yield* printLines(`\n${completionSummary(last)}${findings}${trees}${work}`)
  return last.dropped.length === 0 ? 0 : 1
})

/** Reads the time of a deadline, which may be the `last` one of its run. Fails with `BadUsage`. */
const deadlineOf = Effect.fnUntraced(function* (text: string, last?: number) {
  const at = yield* nextTimeOfDay(text, last)
  return at ?? (yield* new BadUsage({ message: `--deadline ${plain(text, 40)} is no time of the day: write 07:00` }))
})

/** Returns the deadline of the run that goes on; `undefined`: it has none, or another one begins. */
const deadlineBefore = Effect.fnUntraced(function* ({
  plan,
  project
}: {
  readonly plan: string
  readonly project: string
}) {
  const known = yield* Souffleur.use(({ findPlan }) => Effect.option(findPlan({ project })))
  const run = Option.getOrUndefined(known)?.run
  return run !== undefined && run.plan === plan && !isRunOver(run) ? run.chosen?.deadline : undefined
})

/** Names a role as it was typed. A role without a flag has the agent of the settings. */
const unfit =
  (agents: Readonly<Record<"implementer" | "reviewer", string | undefined>>) =>
  ({ planned = false, problem, role }: RoleUnfit) => {
    const typed = role === "finisher" ? undefined : agents[role]
    const settled = `AGENT_COMMAND, for the ${role === "finisher" ? "finishing step" : role}`
    const named = planned ? `agents.${role} of the plan` : typed === undefined ? settled : `--${role} ${typed}`
    const other = role === "finisher" ? " (a plan with finish: none has no such step)" : ""
    return new BadUsage({ message: `${named}: ${problem}${other}` })
  }

/** Tells what a run lacks, each with what mends it. */
const notReady = Effect.fnUntraced(function* ({ plan, problems }: NotReady) {
  yield* Console.error(`${plain(plan, 500)} is not begun:`)
  yield* printChecks(
    problems.map((one) => ({ ...one, standing: "not ok" as const })),
    "error"
  )
  return 2
})

/** Takes the count of tasks that are at work at once. Fails with `BadUsage` where it is none. */
const parallelOf = (count: number) =>
  count >= 1 && count <= maxParallel
    ? Effect.succeed(count)
    : new BadUsage({ message: `--parallel ${count}: a number from 1 to ${maxParallel} is needed` })

const optional = (name: string, what: string) => Flag.String(name).pipe(Flag.withDescription(what), Flag.optional)

/** Conducts a plan, or resumes its run. Ends with 1 if a person is needed (spec: command-line#plans). */
export const conductCommand = Command.make(
  "conduct",
  {
    plan: Argument.String("plan").pipe(
      Argument.withDescription("The plan, as YAML, Markdown or JSON"),
      Argument.optional
    ),
    projectDir,
    state: Flag.String("state").pipe(
      Flag.withDescription("The state file (default: state.json in the project)"),
      Flag.optional
    ),
    permission: Flag.Literals("permission", Permission.literals).pipe(
      Flag.withDescription("The permission of agents, at most MAX_EXTERNAL_PERMISSION"),
      Flag.optional
    ),
    implementerTimeout: optional("implementer-timeout", "How long an implementer may take, such as 60 minutes"),
    reviewerTimeout: optional("reviewer-timeout", "How long a reviewer may take, such as 30 minutes"),
    implementer: optional("implementer", "Another agent that implements, such as pi"),
    reviewer: optional("reviewer", "Another agent that reviews"),
    deadline: optional("deadline", "Begin no further task from then on, such as 07:00"),
    questions: Flag.Boolean("questions").pipe(
      Flag.withDescription("What the plan says of questions about it; --no-questions: nobody asks any"),
      Flag.withDefault(true)
    ),
    keepGoing: Flag.Boolean("keep-going").pipe(
      Flag.withDescription("A task that waits for you does not stop the others (needs worktrees: true in the plan)"),
      Flag.withDefault(false)
    ),
    parallel: Flag.Int("parallel").pipe(
      Flag.withDescription("How many tasks are at work at once, 1 to 16 (needs worktrees: true in the plan)"),
      Flag.optional
    ),
    wait: Flag.Boolean("wait").pipe(
      Flag.withDescription(
        "Stay where a person is needed, and go on when that is answered (the default under souffleur run)"
      ),
      Flag.optional
    ),
    moved: Flag.Boolean("moved").pipe(
      Flag.withDescription("The machine or the container of its last conductor is gone"),
      Flag.withDefault(false)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Print the order and the prompts; do nothing"),
      Flag.withDefault(false)
    ),
    verbose,
    utc: utcFlag,
    json
  },
  Effect.fnUntraced(function* (flags) {
    if (Option.isNone(flags.plan))
      return yield* new BadUsage({
        message: 'name a plan, as in "souffleur conduct plan.yaml"; "souffleur init --plan" writes a new one'
      })
    const path = yield* Path.Path
    const { cwd, variables } = yield* Environment
    const settings = yield* Settings
    const agents = {
      implementer: Option.getOrUndefined(flags.implementer),
      reviewer: Option.getOrUndefined(flags.reviewer)
    }
    const project = yield* Project
    const deadline = Option.isNone(flags.deadline) ? undefined : yield* deadlineOf(flags.deadline.value)
    const isWatched = (variables["SOUFFLEUR_LAUNCH_ID"] ?? "") !== ""
    const order = {
      project,
      plan: path.resolve(cwd, flags.plan.value),
      // Their reader refuses what is no duration.
      limits: {
        implementerTimeout: Option.getOrUndefined(flags.implementerTimeout) as Duration.Input | undefined,
        reviewerTimeout: Option.getOrUndefined(flags.reviewerTimeout) as Duration.Input | undefined
      },
      agents,
      questions: flags.questions,
      ...(flags.keepGoing ? { keepsGoing: true as const } : {}),
      ...(Option.isSome(flags.parallel) ? { parallel: yield* parallelOf(flags.parallel.value) } : {}),
      ...(Option.isSome(flags.permission) ? { permission: flags.permission.value } : {}),
      ...(Option.isSome(flags.state) ? { state: path.resolve(cwd, flags.state.value) } : {})
    }
    const code = yield* Effect.gen(function* () {
      const souffleur = yield* Souffleur
      if (flags.moved) yield* Effect.provide(personOnly("souffleur conduct --moved"), layerAgentFiles(settings))
      if (flags.dryRun) {
        yield* printPlanPreview(yield* souffleur.previewPlan(order), flags.json)
        return 0
      }
      const wait = Option.getOrElse(flags.wait, () => isWatched)
      // A watch types the same words again, perhaps after that time.
      const until =
        isWatched && Option.isSome(flags.deadline)
          ? yield* deadlineOf(flags.deadline.value, yield* deadlineBefore(order))
          : deadline
      yield* yield* WorksUnread
      // An agent, and a watch, let a run be that a person stopped.
      const restored = (yield* signOfAgent) !== undefined
      const waiting = (needs: ReadonlyArray<string>) => tellNeeds(needs, "it waits for that")
      const run = yield* orTrusted(
        order.project,
        orProgramsTrusted(
          order,
          askingForRules(
            !restored,
            souffleur.conduct({
              ...order,
              ...(until === undefined ? {} : { deadline: until }),
              ...(wait ? { waiting } : {}),
              moved: flags.moved,
              restored,
              attended: !restored && (yield* Environment).interactive
            })
          )
        )
      )
      const ended = yield* printRun(run, { asJson: flags.json, verbose: flags.verbose, zone: yield* zoneOf(flags) })
      // A watch would take another end for a death, and what was dropped for work that another start brings back.
      return wait && Option.isNone(flags.wait) ? 0 : ended
    }).pipe(
      Effect.catchTag("RoleUnfit", unfit(agents)),
      Effect.catchTag("NotReady", notReady),
      Effect.catchTag("AlreadyWatched", (refused) => unseenSaid(refused, "if it surely is gone, say --moved as well")),
      Effect.catchTag("StateMisplaced", ({ problem }) => new BadUsage({ message: `--state: ${problem}` })),
      Effect.scoped,
      Effect.provide(
        Layer.provideMerge(
          layerAgentFiles(settings),
          flags.dryRun ? layerSouffleurReading(settings) : layerSouffleur(settings)
        )
      )
    )
    if (code !== 0) return yield* new Ended({ code })
  })
).pipe(
  withSettings,
  Command.withExamples([
    { command: "souffleur conduct plan.yaml", description: "Conduct a plan; after a stop, go on with it" },
    { command: 'souffleur conduct answer task-002 "use the other library"', description: "Answer an escalation" }
  ]),
  Command.withSubcommands([
    conductPlanCommand,
    conductStatusCommand,
    conductLogCommand,
    conductWhyCommand,
    conductAnswerCommand
  ])
)
