import { Predicate, Result, Schema } from "effect"
import { problemsIn } from "../tasks/PlanProblem.ts"
import { asDescribed, type PlanReading, type ReadTask } from "./PlanReading.ts"

const Id = Schema.Union([Schema.String, Schema.Number])
const Ids = Schema.optional(Schema.NullOr(Schema.Array(Id)))
const Words = Schema.optional(Schema.NullOr(Schema.String))

const Subtask = Schema.Struct({
  id: Id,
  title: Schema.String,
  status: Words,
  description: Words,
  details: Words,
  testStrategy: Words,
  dependencies: Ids
})
/** A task of task-master, of which the rest is not asked. */
const MasterTask = Schema.Struct({
  ...Subtask.fields,
  acceptanceCriteria: Words,
  subtasks: Schema.optional(Schema.NullOr(Schema.Array(Subtask)))
})
const MasterTasks = Schema.Struct({ tasks: Schema.NonEmptyArray(MasterTask) })
type MasterTasks = typeof MasterTasks.Type
const decodeMaster = Schema.decodeUnknownResult(MasterTasks, { errors: "all" })

/** An issue of beads, as `bd list --json` prints it. */
const Bead = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  status: Schema.String,
  issue_type: Words,
  description: Words,
  design: Words,
  acceptance_criteria: Words,
  dependencies: Schema.optional(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({ issue_id: Schema.optional(Schema.String), depends_on_id: Schema.String, type: Schema.String })
      )
    )
  )
})
const Beads = Schema.Array(Bead)
type Beads = typeof Beads.Type
const decodeBeads = Schema.decodeUnknownResult(Beads, { errors: "all" })

const texts = (...parts: ReadonlyArray<string | null | undefined>) =>
  parts.flatMap((part) => (part ?? "").trim() || []).join("\n\n")
const criteriaOf = (...said: ReadonlyArray<string | null | undefined>) => {
  const found = said.flatMap((one) => (one ?? "").trim() || [])
  return found.length === 0 ? asDescribed : found
}

/** Makes tasks wait for tasks that are there alone, and says which others some were to wait for. */
const among = (tasks: ReadonlyArray<ReadTask>) => {
  const ids = new Set(tasks.map(({ id }) => id))
  const absent: Array<string> = []
  const known = tasks.map(({ depends_on = [], ...task }): ReadTask => {
    const others = [...new Set(depends_on)].filter((other) => other !== task.id)
    const waits = others.filter((other) => ids.has(other))
    for (const other of others)
      if (!ids.has(other)) absent.push(`${other}, for which ${task.id} waits: it is no task here`)
    return waits.length === 0 ? task : { ...task, depends_on: waits }
  })
  return { tasks: known, absent }
}

const isDone = (status: string | null | undefined) => status === "done" || status === "completed" || status === "closed"
/** The states of task-master in which nobody is to work on a task. */
const isPutOff = (status: string | null | undefined) => ["cancelled", "deferred", "review"].includes(status ?? "")
const done = (status: string | null | undefined) => (isDone(status) ? ({ done: true } as const) : {})

const masterReading = (tag: string | undefined, { tasks }: MasterTasks): PlanReading => {
  const ours = tasks.filter(({ status }) => !isPutOff(status))
  const read = ours.map((task): ReadTask => {
    const id = String(task.id)
    const subtasks = (task.subtasks ?? []).filter(({ status }) => !isPutOff(status))
    const steps = subtasks.map((step) => `- ${texts(step.title, step.description, step.details)}`)
    // A subtask is part of the task whose number comes first. Its own numbers are those of its neighbours.
    const waits = [
      ...(task.dependencies ?? []),
      ...subtasks.flatMap(({ dependencies }) => (dependencies ?? []).filter((other) => String(other).includes(".")))
    ]
    return {
      id,
      title: task.title,
      description: texts(task.description, task.details, steps.join("\n")) || task.title,
      acceptance_criteria: criteriaOf(
        task.acceptanceCriteria,
        task.testStrategy,
        ...subtasks.map(({ testStrategy }) => testStrategy)
      ),
      depends_on: waits.map((other) => String(other).split(".")[0]!),
      ...done(task.status)
    }
  })
  const { absent, tasks: known } = among(read)
  return {
    form: `a task each task of task-master${tag === undefined ? "" : `, tag ${tag}`}`,
    ...(tag === undefined ? {} : { takes: "tag" as const }),
    source: { ...(tag === undefined ? {} : { workflow_id: tag }), tasks: known },
    lines: [],
    leftOut: [
      ...tasks.flatMap(({ id, status, title }) =>
        isPutOff(status) ? [`${id} ${title}: its status is ${status}`] : []
      ),
      ...absent
    ]
  }
}

/** The kinds and the states of issues that are work to do, or done. */
const workTypes = new Set(["task", "bug", "feature", "chore"])
const workStates = new Set(["open", "in_progress", "blocked", "closed"])
/** The kinds of dependencies by which an issue waits for another. */
const waiting = new Set(["blocks", "conditional-blocks", "waits-for"])

const beadsReading = (all: Beads): PlanReading => {
  const typeOf = ({ issue_type }: Beads[number]) => issue_type ?? "task"
  const isWork = (one: Beads[number]) => workTypes.has(typeOf(one)) && workStates.has(one.status)
  const childrenOf = (epic: string): ReadonlyArray<string> =>
    all.flatMap(({ dependencies, id }) =>
      (dependencies ?? []).some((one) => one.type === "parent-child" && one.depends_on_id === epic) ? [id] : []
    )
  const epics = new Set(all.filter((one) => typeOf(one) === "epic").map(({ id }) => id))
  const read = all.filter(isWork).map((one): ReadTask => ({
    id: one.id,
    title: one.title,
    description: texts(one.description, one.design) || one.title,
    acceptance_criteria: criteriaOf(one.acceptance_criteria),
    // An epic is done with its children.
    depends_on: (one.dependencies ?? [])
      .filter(({ type }) => waiting.has(type))
      .flatMap(({ depends_on_id: other }) => (epics.has(other) ? childrenOf(other) : [other])),
    ...done(one.status)
  }))
  const { absent, tasks } = among(read)
  const why = (one: Beads[number]) =>
    workTypes.has(typeOf(one)) ? `its status is ${one.status}` : `it is of the kind ${typeOf(one)}`
  return {
    form: "a task each issue of beads",
    source: { tasks },
    lines: [],
    leftOut: [...all.flatMap((one) => (isWork(one) ? [] : [`${one.id} ${one.title}: ${why(one)}`])), ...absent]
  }
}

const refusal = (what: string, error: Schema.SchemaError) => {
  const [problem] = problemsIn(error, () => [])
  const place =
    problem?.place.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("") ?? ""
  return `${what}${place}: ${problem?.what ?? "it cannot be read"}`
}

/** Reads what `bd list --json` printed, in an envelope or not. `undefined`: it is no list. Fails with a sentence. */
export const readBeads = (json: unknown): Result.Result<PlanReading, string> | undefined => {
  const list = Predicate.hasProperty(json, "data") ? json.data : json
  if (!Array.isArray(list)) return undefined
  const decoded = decodeBeads(list)
  if (Result.isFailure(decoded)) return Result.fail(refusal("the list of issues", decoded.failure))
  return decoded.success.length === 0 ? Result.fail("it names no issue") : Result.succeed(beadsReading(decoded.success))
}

const isList = (value: unknown): value is { readonly tasks: ReadonlyArray<unknown> } =>
  Predicate.hasProperty(value, "tasks") && Array.isArray(value.tasks)
const marks = ["status", "dependencies", "subtasks", "testStrategy", "details"]
const isMaster = (value: unknown) =>
  isList(value) && value.tasks.some((task) => marks.some((mark) => Predicate.hasProperty(task, mark)))

/** Reads a list of task-master. Fails with a sentence. */
const readMaster = (tag: string | undefined, list: unknown): Result.Result<PlanReading, string> =>
  Result.mapBoth(decodeMaster(list), {
    onFailure: (error) => refusal(tag === undefined ? "the tasks" : `the tag ${tag}`, error),
    onSuccess: (tasks) => masterReading(tag, tasks)
  })

/**
 * Reads JSON of task-master: the list of a tag, `master` without one, or the only list. `undefined`: it is no JSON of
 * task-master. Fails with a sentence.
 */
export const readTaskMaster = (
  json: unknown,
  tag: string | undefined
): Result.Result<PlanReading, string> | undefined => {
  if (isMaster(json)) return readMaster(undefined, json)
  const lists = Predicate.isObject(json) ? Object.entries(json).filter(([, list]) => isList(list)) : []
  // A list of souffleur's own, or an empty one, has no mark of task-master.
  if (lists.length === 0 || isList(json)) return undefined
  const names = lists.map(([name]) => name)
  const wanted = tag ?? (names.includes("master") ? "master" : names.length === 1 ? names[0] : undefined)
  const found = lists.find(([name]) => name === wanted)
  return found === undefined
    ? Result.fail(
        `it has ${wanted === undefined ? "several lists" : `no list of the tag ${wanted}`}: name one of ${names.join(", ")} by --tag of souffleur conduct plan`
      )
    : readMaster(found[0], found[1])
}
