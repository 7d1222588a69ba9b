import { Option, Schema } from "effect"
import { asDescribed, type PlanReading, type ReadTask } from "./PlanReading.ts"

const Id = Schema.Union([Schema.String, Schema.Number])
const Words = Schema.optional(Schema.NullOr(Schema.String))

/** A task of task-master, of which the rest is not asked. */
const MasterTask = Schema.Struct({
  id: Id,
  title: Schema.String,
  status: Words,
  description: Words,
  details: Words,
  testStrategy: Words,
  dependencies: Schema.optional(Schema.NullOr(Schema.Array(Id))),
  subtasks: Schema.optional(
    Schema.Array(Schema.Struct({ id: Id, title: Schema.String, status: Words, description: Words, details: Words }))
  )
})
const MasterTasks = Schema.Struct({ tasks: Schema.NonEmptyArray(MasterTask) })
const isMaster = Schema.is(MasterTasks)
const decodeTags = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

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
    Schema.NullOr(Schema.Array(Schema.Struct({ depends_on_id: Schema.String, type: Schema.String })))
  )
})
const Beads = Schema.NonEmptyArray(Bead)
const decodeBeads = Schema.decodeUnknownOption(Schema.Union([Beads, Schema.Struct({ data: Beads })]))

const texts = (...parts: ReadonlyArray<string | null | undefined>) =>
  parts.flatMap((part) => (part ?? "").trim() || []).join("\n\n")
const criteria = (said: string | null | undefined) => ((said ?? "").trim() === "" ? asDescribed : [said!.trim()])

/** Makes tasks wait only for tasks that are there. */
const among = (tasks: ReadonlyArray<ReadTask>): ReadonlyArray<ReadTask> =>
  tasks.map(({ depends_on = [], ...task }) => {
    const waits = depends_on.filter((other) => other !== task.id && tasks.some(({ id }) => id === other))
    return waits.length === 0 ? task : { ...task, depends_on: [...new Set(waits)] }
  })

const unasked = new Set(["cancelled", "deferred"])

const masterReading = (tag: string | undefined, { tasks }: typeof MasterTasks.Type): PlanReading => {
  const ours = tasks.filter(({ status }) => !unasked.has(status ?? ""))
  const read = ours.map(
    ({ dependencies, description, details, id, status, subtasks = [], testStrategy, title }): ReadTask => {
      const steps = subtasks.map(
        (step) => `- ${step.title}${step.status === "done" ? " (done)" : ""}: ${texts(step.description, step.details)}`
      )
      return {
        id: String(id),
        title,
        description: texts(description, details, steps.join("\n")) || title,
        acceptance_criteria: criteria(testStrategy),
        // A subtask is part of the task whose number comes first.
        depends_on: (dependencies ?? []).map((other) => String(other).split(".")[0]!),
        ...(status === "done" ? { done: true } : {})
      }
    }
  )
  return {
    form: `a task each task of task-master${tag === undefined ? "" : `, tag ${tag}`}`,
    source: { ...(tag === undefined ? {} : { workflow_id: tag }), tasks: among(read) },
    lines: [],
    leftOut: tasks.flatMap(({ id, status, title }) =>
      unasked.has(status ?? "") ? [`${id} ${title}: its status is ${status}`] : []
    )
  }
}

const beadsReading = (all: typeof Beads.Type): PlanReading => {
  const ours = all.filter(({ issue_type, status }) => issue_type !== "epic" && !unasked.has(status))
  const tasks = ours.map(({ acceptance_criteria, dependencies, description, design, id, status, title }): ReadTask => ({
    id,
    title,
    description: texts(description, design) || title,
    acceptance_criteria: criteria(acceptance_criteria),
    depends_on: (dependencies ?? []).flatMap((one) => (one.type === "blocks" ? [one.depends_on_id] : [])),
    ...(status === "closed" ? { done: true } : {})
  }))
  return {
    form: "a task each issue of beads",
    source: { tasks: among(tasks) },
    lines: [],
    leftOut: all.flatMap((one) =>
      ours.includes(one)
        ? []
        : [`${one.id} ${one.title}: ${one.issue_type === "epic" ? "it is an epic" : `its status is ${one.status}`}`]
    )
  }
}

/**
 * Reads JSON of task-master or of beads; `undefined`: it is of neither. `tag`: that of task-master's list. Without it
 * its list is `master`, or the only one. A text: why no list can be chosen.
 */
export const jsonReading = (json: unknown, tag: string | undefined): PlanReading | string | undefined => {
  const beads = Option.getOrUndefined(decodeBeads(json))
  if (beads !== undefined) return beadsReading("data" in beads ? beads.data : beads)
  if (isMaster(json)) return masterReading(undefined, json)
  const lists = Object.entries(Option.getOrElse(decodeTags(json), () => ({})))
  const tags = lists.flatMap(([name, list]) => (isMaster(list) ? [{ name, list }] : []))
  if (tags.length === 0) return undefined
  const wanted = tag ?? (tags.length === 1 ? tags[0]!.name : "master")
  const found = tags.find(({ name }) => name === wanted)
  if (found !== undefined) return masterReading(found.name, found.list)
  const names = tags.map(({ name }) => name).join(", ")
  return `it has no list of the tag ${wanted}: name one of ${names} by --tag of souffleur conduct plan`
}
