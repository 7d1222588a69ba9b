import { Predicate, Result, Runtime, Schema } from "effect"
import type { PlanAgents, TreeTerms } from "../run/RunFields.ts"
import { circlesOf } from "./Circles.ts"
import { finalReviewId, finalReviewOf } from "./FinalReview.ts"
import { BranchSource, type Finish, finishOf, FinishSource } from "./Finish.ts"
import { agentKeysAt, AgentsSource, chosenAgents, rolesBehindThemselves } from "./PlanAgents.ts"
import { gateOfPlan, programsOf, ProgramsSource } from "./PlanGates.ts"
import type { PlannedTask, ReferenceDoc } from "./PlannedTask.ts"
import { type PlanProblem, problemsIn } from "./PlanProblem.ts"

/** A plan that cannot be conducted, with all its problems. Each is a sentence that says where. */
export class PlanInvalid extends Schema.TaggedError<PlanInvalid>()("PlanInvalid", {
  path: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.path}: ${this.problems.join("; ")}`
  }
}

/** A plan without a problem. Its tasks are in the order of its file. */
export interface Plan extends TreeTerms {
  readonly workflowId: string
  readonly tasks: ReadonlyArray<PlannedTask>
  readonly finish: Finish
  /** The branch that its work gets, or `auto`; absent: the one that is checked out. */
  readonly branch?: string
  /** The agents that it chooses for roles; absent: none. */
  readonly agents?: PlanAgents
  /** True if a reviewer is asked what is unclear in it, before its first task. */
  readonly questions?: true
}

/**
 * Maximum bytes of a task's own text. A prompt is one argument, which Linux limits to 128 KiB, and feedback comes to
 * it.
 */
const maxTaskBytes = 32_000
/** Maximum of tasks, each of which is an agent's work and a reviewer's. */
const maxTasks = 1000
const Text = Schema.Trim.check(Schema.isNonEmpty())
const Id = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, {
    message: "must be 1 to 64 letters, digits, dots, dashes or underscores"
  })
)
const Doc = Schema.Union([Text, Schema.Struct({ path: Text, description: Text })])
const Docs = Schema.optional(Schema.Array(Doc))
/** Files from the project on. */
const Glob = Text.check(
  Schema.isPattern(/^(?![/~!]|(?:.*\/)?\.\.(?:\/|$))/u, { message: "must be a glob from the project on, without .." })
)
/** Most tasks that are at work at once. */
export const maxParallel = 16

const TaskFields = Schema.Struct({
  id: Id,
  title: Text,
  description: Schema.optional(Text),
  acceptance_criteria: Schema.Union([Text, Schema.NonEmptyArray(Text)]),
  reference_docs: Docs,
  depends_on: Schema.optional(Schema.Union([Id, Schema.Array(Id)])),
  touches: Schema.optional(Schema.Union([Glob, Schema.NonEmptyArray(Glob)])),
  verify: Schema.optional(ProgramsSource),
  done: Schema.optional(Schema.Boolean)
})
const PlanSource = Schema.Struct({
  workflow_id: Schema.optional(Id),
  constraints: Schema.optional(Schema.Union([Text, Schema.NonEmptyArray(Text)])),
  reference_docs: Docs,
  agents: Schema.optional(AgentsSource),
  setup: Schema.optional(ProgramsSource),
  verify: Schema.optional(ProgramsSource),
  final_review: Schema.optional(Schema.Boolean),
  questions: Schema.optional(Schema.Boolean),
  worktrees: Schema.optional(Schema.Boolean),
  parallel: Schema.optional(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: maxParallel }, { message: `must be a number from 1 to ${maxParallel}` })
    )
  ),
  on_escalation: Schema.optional(Schema.Literal("continue")),
  branch: Schema.optional(BranchSource),
  finish: Schema.optional(FinishSource),
  tasks: Schema.NonEmptyArray(TaskFields)
})
type PlanSource = typeof PlanSource.Type
type TaskSource = PlanSource["tasks"][number]

/** A key of a plan. */
export type PlanKey = keyof typeof PlanSource.fields
/** A key of a task in a plan. */
export type TaskKey = keyof typeof TaskFields.fields

/** The keys of a plan. */
export const planKeys: ReadonlyArray<string> = Object.keys(PlanSource.fields)
const decode = Schema.decodeUnknownResult(PlanSource, { errors: "all", onExcessProperty: "error" })

/** Returns the keys that a place of a plan may have. */
const keysAt = (place: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  if (place.includes("reference_docs")) return ["path", "description"]
  if (place[0] === "agents") return agentKeysAt(place.slice(1))
  if (place[0] === "finish") return ["prompt", "skill", "command"]
  return place[0] === "tasks" ? Object.keys(TaskFields.fields) : planKeys
}

/** Rows of comms that are no tasks of a plan (spec: behaviour#run-in-comms). */
const reserved = new Set(["task-00", "souffleur"])

/** A single id is a list of one. */
const dependenciesOf = ({ depends_on = [] }: TaskSource): ReadonlyArray<string> =>
  typeof depends_on === "string" ? [depends_on] : depends_on

/** Says what a plan needs for what comes beside a task, and what to write. */
export const needsTrees = "each task needs a work tree of its own: add worktrees: true to the plan"

const problemsOf = ({
  agents,
  branch,
  final_review,
  finish,
  on_escalation,
  parallel,
  setup,
  tasks,
  verify,
  worktrees
}: PlanSource): ReadonlyArray<PlanProblem> => {
  const ids = tasks.map(({ id }) => id)
  const at = (index: number, key: string, what: string): PlanProblem => ({ place: ["tasks", index, key], what })
  return [
    ...((finish === "merge" || finish === "pull-request") && branch === undefined
      ? [{ place: ["finish"], what: `${finish} needs a branch of the run's own: add branch: auto to the plan` }]
      : []),
    ...rolesBehindThemselves(agents).map((role) => ({
      place: ["agents", role, "fallback"],
      what: `it is the agent of the ${role} itself: name another one, or another model`
    })),
    ...(setup !== undefined &&
    worktrees !== true &&
    [verify, ...tasks.map((task) => task.verify)].every((one) => one === undefined)
      ? [{ place: ["setup"], what: "nothing is made ready by it: add verify for a gate, or worktrees: true" }]
      : []),
    ...(on_escalation !== undefined && worktrees !== true ? [{ place: ["on_escalation"], what: needsTrees }] : []),
    ...(parallel !== undefined && parallel > 1 && worktrees !== true
      ? [{ place: ["parallel"], what: needsTrees }]
      : []),
    ...tasks.flatMap((task, index) => [
      ...(reserved.has(task.id)
        ? [at(index, "id", `"${task.id}" has a meaning of its own in comms: choose another`)]
        : []),
      ...(final_review === true && task.id === finalReviewId
        ? [at(index, "id", `"${task.id}" is the id of the final review: choose another`)]
        : []),
      ...(ids.indexOf(task.id) < index
        ? [at(index, "id", `"${task.id}" is the id of tasks[${ids.indexOf(task.id)}] too: ids are unique`)]
        : []),
      ...dependenciesOf(task)
        .filter((other) => !ids.includes(other))
        .map((other) => at(index, "depends_on", `there is no task "${other}" in this plan`))
    ]),
    ...circlesOf(tasks.map((task) => ({ id: task.id, dependsOn: dependenciesOf(task) }))).map(
      ([first = "", ...others]) =>
        at(
          ids.indexOf(first),
          "depends_on",
          others.length === 0
            ? `${first} waits for itself: take that away`
            : `${[first, ...others].join(", ")} wait for one another: take one depends_on away`
        )
    )
  ]
}

const docsOf = (docs: PlanSource["reference_docs"]): ReadonlyArray<ReferenceDoc> =>
  (docs ?? []).map((doc) => (typeof doc === "string" ? { path: doc, description: "read it first" } : doc))

/** Returns one text of a list, as a prompt has it. */
const listed = (texts: string | ReadonlyArray<string>) =>
  typeof texts === "string" ? texts : texts.map((text) => `- ${text}`).join("\n")

const gateOf = (
  { verify: own }: Pick<TaskSource, "verify">,
  { setup, verify }: PlanSource
): Pick<PlannedTask, "gate" | "setup"> => {
  const [first, ...others] = [...programsOf(verify), ...programsOf(own)]
  if (first !== undefined) return { gate: { setup: programsOf(setup), verify: [first, ...others] } }
  return setup === undefined ? {} : { setup: programsOf(setup) }
}

const taskOf = (source: TaskSource, plan: PlanSource, described: ReadonlyMap<string, string>): PlannedTask => ({
  id: source.id,
  title: source.title,
  description: source.description ?? described.get(source.id) ?? source.title,
  acceptanceCriteria: listed(source.acceptance_criteria),
  ...(plan.constraints === undefined ? {} : { constraints: listed(plan.constraints) }),
  referenceDocs: [...docsOf(plan.reference_docs), ...docsOf(source.reference_docs)],
  dependsOn: dependenciesOf(source),
  ...(source.touches === undefined ? {} : { touches: [source.touches].flat() }),
  ...gateOf(source, plan),
  ...(source.done === true ? { done: true } : {})
})

/** Returns the order of tasks when each is approved: the plan's, each after its dependencies. */
export const orderOf = ({ tasks }: Plan): ReadonlyArray<PlannedTask> => {
  const order = new Map<string, PlannedTask>()
  for (;;) {
    const following = tasks.find(({ dependsOn, id }) => !order.has(id) && dependsOn.every((other) => order.has(other)))
    if (following === undefined) return [...order.values()]
    order.set(following.id, following)
  }
}

/** Returns the review of all tasks together, by the gates of all, where the plan asks for it. */
const finalOf = (tasks: Plan["tasks"], plan: PlanSource): Plan["tasks"] => {
  if (plan.final_review !== true) return []
  const gate = gateOfPlan({ tasks })
  return [{ ...taskOf(finalReviewOf(tasks), plan, new Map()), ...(gate === undefined ? {} : { gate }), final: true }]
}

const bytes = new TextEncoder()
const tooLong = (what: PlannedTask | Finish, place: PlanProblem["place"]): ReadonlyArray<PlanProblem> => {
  const size = bytes.encode(JSON.stringify(what)).length
  return size <= maxTaskBytes
    ? []
    : [{ place, what: `${size} bytes of text, more than ${maxTaskBytes}: move some into a file of its own` }]
}

/** A document that a source names, and where. The rest of the source need not be a plan. */
export interface NamedDoc {
  readonly place: PlanProblem["place"]
  readonly path: string
}
const isDocs = Schema.is(Schema.Array(Doc))
/** Lists the documents that a plan names, before the plan itself is judged. */
export const documentsIn = (source: unknown): ReadonlyArray<NamedDoc> => {
  const of = (part: unknown, place: PlanProblem["place"]): ReadonlyArray<NamedDoc> =>
    Predicate.hasProperty(part, "reference_docs") && isDocs(part.reference_docs)
      ? docsOf(part.reference_docs).map(({ path }) => ({ path, place: [...place, "reference_docs"] }))
      : []
  const tasks = Predicate.hasProperty(source, "tasks") && Array.isArray(source.tasks) ? source.tasks : []
  return [...of(source, []), ...tasks.flatMap((task: unknown, index) => of(task, ["tasks", index]))]
}

/**
 * Returns a plan from what its file holds, or all that is wrong with it. `described`: the text under each task's
 * heading in Markdown, for a task without a description. `name`: the workflow's, where the plan names none.
 */
export const planOf = (
  source: unknown,
  described: ReadonlyMap<string, string>,
  name: string
): Result.Result<Plan, ReadonlyArray<PlanProblem>> => {
  const decoded = decode(source)
  if (Result.isFailure(decoded)) return Result.fail(problemsIn(decoded.failure, keysAt))
  const plan = decoded.success
  if (plan.tasks.length > maxTasks)
    return Result.fail([{ place: ["tasks"], what: `${plan.tasks.length} tasks, more than ${maxTasks}` }])
  const tasks = plan.tasks.map((task) => taskOf(task, plan, described))
  const finish = finishOf(plan.finish)
  const long = [
    ...tasks.flatMap((task, index) => (task.done === true ? [] : tooLong(task, ["tasks", index]))),
    ...tooLong(finish, ["finish"])
  ]
  const problems = [...problemsOf(plan), ...long]
  if (problems.length > 0) return Result.fail(problems)
  const { branch, questions } = plan
  return Result.succeed({
    workflowId: plan.workflow_id ?? name,
    tasks: [...tasks, ...finalOf(tasks, plan)],
    finish,
    ...(branch === undefined ? {} : { branch }),
    ...(questions === true ? { questions } : {}),
    ...(plan.worktrees === true ? { worktrees: true } : {}),
    ...(plan.on_escalation === undefined ? {} : { keepsGoing: true }),
    ...(plan.parallel === undefined ? {} : { parallel: plan.parallel }),
    ...chosenAgents(plan.agents)
  })
}
