import { invocation, isRunOver, type Run, taskOf } from "@souffleur/plan"
import { Processes, Settings, Words } from "@souffleur/domain"
import { isGone } from "@souffleur/process"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type PlanAnswer, Souffleur } from "@souffleur/embed"
import { layerAgentFiles, layerSouffleur } from "@souffleur/embed/internal"
import { Environment } from "../world/CommandEnvironment.ts"
import { BadUsage } from "../Failure.ts"
import { personOnly } from "../person/PersonOnly.ts"
import { orProgramsTrusted } from "../person/TrustQuestion.ts"
import { namedIn, projectDir } from "./Options.ts"
import { Project, withSettings } from "./ProjectCommand.ts"

/** The run that a command is about; absent: the newest of the folder. */
export const runName = Flag.String("run").pipe(
  Flag.withDescription("A run's id (default: this folder's newest)"),
  Flag.optional
)

interface Given {
  readonly task: Option.Option<string>
  readonly text: Option.Option<string>
  readonly retry: boolean
  readonly skip: boolean
  readonly redo: boolean
  readonly revert: boolean
  readonly finishing: boolean
  readonly plan: boolean
  readonly allow: boolean
  readonly allowRed: boolean
}

/** Returns the complete tasks that depend on one, directly or not, in the plan's order. A final review is none. */
const dependentsOf = ({ tasks }: Run, id: string): ReadonlyArray<string> => {
  const found = new Set([id])
  for (let size = 0; size !== found.size;) {
    size = found.size
    for (const task of tasks) if (task.dependsOn.some((other) => found.has(other))) found.add(task.id)
  }
  return tasks
    .filter((task) => task.id !== id && !task.final && task.status === "completed" && found.has(task.id))
    .map(({ id }) => id)
}

/** Reads one answer to one task, to the finishing step or to the plan. Fails with `BadUsage` for any other number. */
const wordOf = Effect.fnUntraced(function* ({
  allow,
  allowRed,
  finishing,
  plan,
  redo,
  retry,
  revert,
  skip,
  task,
  text
}: Given) {
  const guidance = Option.getOrElse(text, () => "").trim()
  const answer = skip ? ("skip" as const) : ("retry" as const)
  const [alone, ...others] = [
    ...(plan ? [["plan", { plan: "as it is" }] as const] : []),
    ...(allow ? [["allow", { allow: "as much again" }] as const] : []),
    ...(allowRed ? [["allow-red", { allow: "red" }] as const] : [])
  ]
  if (alone !== undefined) {
    const [flag, said] = alone
    if (others.length > 0 || finishing || redo || retry || skip || Option.isSome(task))
      return yield* new BadUsage({ message: `--${flag} is an answer of its own: nothing else goes with it` })
    return said satisfies PlanAnswer
  }
  if (revert && (!skip || finishing))
    return yield* new BadUsage({ message: "--revert goes with --skip of a task alone" })
  if (finishing) {
    if (Option.isSome(task) || redo || retry === skip)
      return yield* new BadUsage({ message: "--finishing takes --retry or --skip as its answer" })
    return { finishing: answer } satisfies PlanAnswer
  }
  if (Option.isNone(task))
    return yield* new BadUsage({
      message: "name the task that is escalated, or --finishing, --plan, --allow or --allow-red"
    })
  if (redo) {
    if (retry || skip) return yield* new BadUsage({ message: "--redo goes with words for its implementer alone" })
    return { redo: task.value, ...(guidance === "" ? {} : { guidance }) } satisfies PlanAnswer
  }
  const given = [guidance !== "", retry, skip].filter((one) => one).length
  if (given !== 1) return yield* new BadUsage({ message: 'answer with one of: "what to do", --retry, --skip' })
  const answered: PlanAnswer = revert ? { task: task.value, answer: "skip", revert } : { task: task.value, answer }
  return guidance === "" ? answered : ({ task: task.value, guidance } satisfies PlanAnswer)
})

/** Answers an escalated task, a failed finishing step, a changed plan, or a ceiling (spec: command-line#plans). */
export const conductAnswerCommand = Command.make(
  "answer",
  {
    task: Argument.String("task").pipe(Argument.withDescription("The task that is escalated"), Argument.optional),
    text: Argument.String("text").pipe(
      Argument.withDescription("Guidance for its next implementer"),
      Argument.optional
    ),
    retry: Flag.Boolean("retry").pipe(Flag.withDescription("Try it again as it is"), Flag.withDefault(false)),
    skip: Flag.Boolean("skip").pipe(
      Flag.withDescription("Leave it out; those that depend on it go on"),
      Flag.withDefault(false)
    ),
    revert: Flag.Boolean("revert").pipe(
      Flag.withDescription("With --skip: take its rejected commits back"),
      Flag.withDefault(false)
    ),
    redo: Flag.Boolean("redo").pipe(
      Flag.withDescription("Do a complete task again, on top of what is there"),
      Flag.withDefault(false)
    ),
    finishing: Flag.Boolean("finishing").pipe(
      Flag.withDescription("In place of a task: the finishing step that failed, by --retry or --skip"),
      Flag.withDefault(false)
    ),
    plan: Flag.Boolean("plan").pipe(
      Flag.withDescription("In place of a task: take the plan, which has changed, as it is now"),
      Flag.withDefault(false)
    ),
    allowRed: Flag.Boolean("allow-red").pipe(
      Flag.withDescription("In place of a task: begin from a commit that the gate refuses"),
      Flag.withDefault(false)
    ),
    allow: Flag.Boolean("allow").pipe(
      Flag.withDescription("In place of a task: allow the run as much again as its ceilings of use"),
      Flag.withDefault(false)
    ),
    run: runName,
    projectDir
  },
  Effect.fnUntraced(function* ({ run, ...flags }) {
    const word = yield* wordOf(flags)
    const project = yield* Project
    const settings = yield* Settings
    yield* Effect.gen(function* () {
      // The answer goes to the reviewer of a task, or has souffleur itself run a command that an agent can write.
      yield* personOnly("conduct answer")
      const souffleur = yield* Souffleur
      const { id, run: before } = yield* souffleur.findPlan(namedIn(project, run))
      const after = yield* orProgramsTrusted(before, souffleur.answer(id, word))
      const processes = yield* Processes
      const waits = after.owner !== null && !(yield* isGone(processes, after.owner.process))
      const how = isRunOver(after)
        ? "it is over"
        : waits
          ? "its conductor goes on"
          : `it goes on with: ${invocation(after, (yield* Environment).cwd)}`
      const skipped = flags.skip
      const what = "task" in word ? `task ${word.task}` : "its finishing step"
      const reverts = after.reverting?.commits.length ?? 0
      const left = skipped && "task" in word ? (taskOf(after, word.task)?.work.commits.length ?? 0) : 0
      const others =
        flags.revert && "task" in word ? (taskOf(before, word.task)?.work.commits.length ?? 0) - reverts : 0
      const kept =
        "revert" in word
          ? `; ${Words.many(reverts, "commit")} of its implementers ${reverts === 1 ? "is" : "are"} taken back next${others === 0 ? "" : `, ${Words.many(others, "other")} since it began ${others === 1 ? "stays" : "stay"}`}`
          : left === 0
            ? ""
            : `; ${left === 1 ? "its commit stays" : `its ${left} commits stay`} in HEAD, and later tasks build upon that: git revert takes it back`
      const dependents = "redo" in word ? dependentsOf(after, word.redo) : []
      const stay =
        dependents.length === 0
          ? ""
          : `; what builds on it stays as it is: ${dependents.join(", ")} (--redo of each does that again too)`
      const dropped = after.dropped.length === 0 ? "" : `, without ${after.dropped.join(", ")}`
      yield* Console.error(
        "allow" in word
          ? `run ${id} ${word.allow === "red" ? "begins though its gate is red" : "is allowed as much again"}; ${how}`
          : "plan" in word
            ? `run ${id}: its plan is taken as it is now${dropped}; ${how}`
            : "redo" in word
              ? `run ${id}: task ${word.redo} is done again${stay}; ${how}`
              : `run ${id}: ${what} ${skipped ? "is skipped" : "is tried again"}${kept}; ${how}`
      )
    }).pipe(Effect.provide(Layer.provideMerge(layerAgentFiles(settings), layerSouffleur(settings))))
  })
).pipe(
  withSettings,
  Command.withDescription(
    "Answer an escalation, a failed finishing step, a changed plan, a ceiling, or a red gate; have a task done again"
  )
)
