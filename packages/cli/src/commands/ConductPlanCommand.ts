import { plain } from "@souffleur/domain"
import { type PlanOrder, Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerHost, layerSouffleur, settingsOf } from "@souffleur/embed/internal"
import { askTracker, loadPlan, planText, type Plan, trustLines, type Understood } from "@souffleur/plan"
import { Console, Effect, Layer, Option, Path } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { printLines } from "../Printing.ts"
import { Environment } from "../world/CommandEnvironment.ts"
import { projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/** Prints a plan, with what was understood as comments. */
const printPlan = Effect.fnUntraced(function* (
  from: string,
  { plan, understood: { form, leftOut } }: { readonly plan: Plan; readonly understood: Understood }
) {
  const read = `${plain(from)}${form === null ? "" : `, ${plain(form)}`}`
  const comments = [`Read from ${read}.`, ...leftOut.map((what) => `Left out: ${plain(what)}`)]
  yield* printLines([...comments.map((line) => `# ${line}`), yield* planText(plan)].join("\n").trimEnd())
})

/** Takes a person's word for programs that they have read. */
const trustIn = Effect.fnUntraced(function* (order: PlanOrder, programs: ReadonlyArray<string>) {
  const settings = yield* settingsOf(order.project)
  yield* Effect.andThen(
    personOnly("conduct plan --trust"),
    Souffleur.use((souffleur) => souffleur.trustPlan(order, programs))
  ).pipe(Effect.provide(Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
  yield* Console.error(programs.length === 0 ? "it has no programs to trust" : "its programs are trusted from now on")
})

/** Prints what a plan is understood as, in the form of souffleur's own (spec: command-line#plans). */
export const conductPlanCommand = Command.make(
  "plan",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("A plan, in its own form or in that of another tool"),
      Argument.optional
    ),
    projectDir,
    each: Flag.Boolean("each").pipe(
      Flag.withDescription("A task a line of spec-kit's phases, and not a phase"),
      Flag.withDefault(false)
    ),
    trust: Flag.Boolean("trust").pipe(
      Flag.withDescription("Trust the programs by which it judges its work, as they are printed"),
      Flag.withDefault(false)
    ),
    tag: Flag.String("tag").pipe(Flag.withDescription("The list of task-master that is meant"), Flag.optional),
    fromBeads: Flag.Boolean("from-beads").pipe(
      Flag.withDescription("The open issues that bd lists in the folder"),
      Flag.withDefault(false)
    ),
    fromGithub: Flag.String("from-github").pipe(
      Flag.withDescription("The open issues with this label that gh lists in the folder"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ each, file, fromBeads, fromGithub, tag, trust }) {
    const path = yield* Path.Path
    const { cwd, variables } = yield* Environment
    const project = yield* Project
    const label = Option.getOrUndefined(fromGithub)
    const tracker = label !== undefined ? ({ name: "github", label } as const) : ({ name: "beads" } as const)
    if (label?.trim() === "") return yield* new BadUsage({ message: "--from-github needs the label of the issues" })
    const sources = [Option.isSome(file), fromBeads, label !== undefined].filter((given) => given)
    if (sources.length !== 1)
      return yield* new BadUsage({ message: "name one source: a file, --from-beads, or --from-github LABEL" })
    if (Option.isNone(file) && (each || Option.isSome(tag) || trust))
      return yield* new BadUsage({ message: "--each, --tag and --trust are for a file" })
    if (Option.isNone(file)) return yield* printPlan(tracker.name, yield* askTracker(tracker, project, variables))
    const choice = { each, tag: Option.getOrUndefined(tag) }
    const at = path.resolve(cwd, file.value)
    const loaded = yield* loadPlan(at, project, choice)
    yield* printPlan(file.value, loaded)
    if (trust) yield* trustIn({ project, plan: at }, trustLines(loaded.plan))
  })
).pipe(
  Command.provide(layerHost),
  withProject,
  Command.withDescription("Print a plan as souffleur understands it, as YAML"),
  Command.withExamples([
    {
      command: "souffleur conduct plan specs/001-notes/tasks.md --each > plan.yaml",
      description: "Make each line of spec-kit's phases a task"
    },
    {
      command: "souffleur conduct plan --from-github agent-ready > plan.yaml",
      description: "Make a plan of issues, to be read before it is conducted"
    }
  ])
)
