import { Count } from "@souffleur/eventlog"
import { epochOf, Bounds, iso } from "@souffleur/domain"
import { Effect, Predicate, Result, Schema } from "effect"
import { stuck } from "../decide/RunStep.ts"
import type { Run, Task } from "../run/Run.ts"
import { boundedFeedback, boundedFindings } from "../agent/Verdict.ts"
import { EscalationReason, type ImportedTask } from "../run/RunFields.ts"

/** `state.json`: a projection of the log, for people and other programs (spec: behaviour#state-file). */
const Time = Schema.String
const Texts = Schema.Array(Schema.String)
const FeedbackItem = Schema.Struct({
  attempt: Count,
  summary: Schema.String,
  issues: Texts,
  suggestions: Schema.optional(Texts)
})
const StateTask = Schema.Struct({
  id: Schema.String,
  title: Schema.optional(Schema.String),
  status: Schema.Literals(["pending", "in_progress", "completed", "escalated"]),
  attempts: Schema.optional(Count),
  implementer_commits: Schema.optional(Texts),
  files_changed: Schema.optional(Texts),
  test_file: Schema.optional(Schema.String),
  feedback: Schema.optional(Schema.Array(FeedbackItem)),
  /** The findings of its reviews that hold nothing up. */
  minor: Schema.optional(Texts),
  /** True if a person said that it is to be left out. No status says it. */
  skipped: Schema.optional(Schema.Boolean),
  /** Whether a program took the work of a completed task. */
  verified: Schema.optional(Schema.Boolean),
  /** Why it needs a person, for a later run of the workflow whose log does not say it. */
  escalation_cause: Schema.optional(Schema.String),
  escalation_reason: Schema.optional(Schema.String),
  started_at: Schema.optional(Time),
  completed_at: Schema.optional(Time)
})
/** The state file of a plan (spec: behaviour#state-file). */
export const StateJson = Schema.Struct({
  workflow_id: Schema.String,
  phase: Schema.Literals(["planning", "implementation", "completion"]),
  current_task: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The tasks at work, where there are several. */
  current_tasks: Schema.optional(Texts),
  tasks: Schema.Array(StateTask),
  // A workflow in its planning may have neither.
  created_at: Time.pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
  updated_at: Time.pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
  implementation_completed_at: Schema.optional(Time),
  /** The outcome of the finishing step (spec: behaviour#finishing-step). */
  finishing: Schema.optional(Schema.Literals(["begun", "none", "done", "failed", "skipped"])),
  finishing_failure: Schema.optional(Schema.String)
})
export type StateJson = typeof StateJson.Type

const taskJson = (task: Task): typeof StateTask.Type => ({
  id: task.id,
  title: task.title,
  status: task.status,
  attempts: task.attempts,
  ...(task.status === "completed"
    ? {
        implementer_commits: task.work.commits,
        files_changed: task.work.files,
        ...(task.work.testFile === null ? {} : { test_file: task.work.testFile })
      }
    : {}),
  ...(task.status === "in_progress" || task.feedback.length > 0 ? { feedback: task.feedback } : {}),
  ...(task.minor.length === 0 ? {} : { minor: task.minor }),
  ...(task.skipped ? { skipped: true } : task.status === "completed" ? { verified: task.verified } : {}),
  ...(task.escalation === null
    ? {}
    : { escalation_cause: task.escalation.reason, escalation_reason: task.escalation.message }),
  ...(task.startedAt === null ? {} : { started_at: iso(task.startedAt) }),
  ...(task.completedAt === null ? {} : { completed_at: iso(task.completedAt) })
})

/** Returns the run as `state.json`. */
export const stateJson = (run: Run): StateJson => ({
  workflow_id: run.workflowId,
  phase: run.phase === "completion" || run.phase === "finished" ? "completion" : "implementation",
  current_task: run.current[0] ?? stuck(run).find(({ begun }) => begun)?.id ?? null,
  ...(run.current.length > 1 ? { current_tasks: run.current } : {}),
  tasks: run.tasks.map(taskJson),
  created_at: iso(run.openedAt),
  updated_at: iso(run.lastEventAt),
  ...(run.implementedAt === null ? {} : { implementation_completed_at: iso(run.implementedAt) }),
  ...(run.finishing === "not begun" ? {} : { finishing: run.finishing }),
  ...(run.finishingFailure === null ? {} : { finishing_failure: run.finishingFailure })
})

/** Returns the fields with names that the format does not have: other programs' own. */
const unknown = (found: unknown, fields: object): object =>
  typeof found === "object" && found !== null
    ? Object.fromEntries(Object.entries(found).filter(([name]) => !Object.hasOwn(fields, name)))
    : {}

const tasksOf = (found: object): ReadonlyArray<unknown> =>
  "tasks" in found && Array.isArray(found.tasks) ? found.tasks : []

/**
 * Returns the text of the run's `state.json`. `before`: the text that it replaces, whose unknown fields are carried
 * through.
 */
export const stateText = (run: Run, before?: string): string => {
  const json = stateJson(run)
  const found: object = before === undefined ? {} : JSON.parse(before)
  const byId = new Map(tasksOf(found).flatMap((task) => (Predicate.hasProperty(task, "id") ? [[task.id, task]] : [])))
  const tasks = json.tasks.map((task) => ({ ...task, ...unknown(byId.get(task.id), StateTask.fields) }))
  return `${JSON.stringify({ ...json, tasks, ...unknown(found, StateJson.fields) }, undefined, 2)}\n`
}

const decode = Schema.decodeUnknownResult(StateJson)

/** Returns whether a text is empty, or a piece of a file of this format, whose first key is the workflow's. */
const isSpoiled = (text: string) =>
  text.includes('"workflow_id"') || '{"workflow_id"'.startsWith(text.replaceAll(/[\s\0]/gu, ""))

/**
 * Reads a state file. Fails with `corrupt` for an empty file or a piece of one, and with `foreign` for anything else.
 * `ours`: a state file is known to have been there, so any text that is no JSON is a spoiled one.
 */
export const readState = (text: string, ours = false): Result.Result<StateJson, "corrupt" | "foreign"> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail(ours || isSpoiled(text) ? "corrupt" : "foreign")
  }
  return Result.mapError(decode(json), () => "foreign" as const)
}

const isReason = Schema.is(EscalationReason)
const epoch = (time: string | undefined): number | null =>
  Bounds.time(time === undefined ? undefined : epochOf(time)) ?? null

/** Returns why a task needs a person, where the file says it in souffleur's own words. */
const escalationOf = ({ escalation_cause: reason, escalation_reason: message, status }: typeof StateTask.Type) =>
  status === "escalated" && isReason(reason) && message !== undefined
    ? { escalation: { reason, message: boundedFeedback({ summary: message, issues: [], suggestions: [] }).summary } }
    : {}

/** Returns the progress that a state file tells of. */
export const progressOf = ({ tasks }: StateJson): ReadonlyArray<ImportedTask> =>
  tasks.map((task) => ({
    id: task.id,
    status: task.status,
    attempts: task.attempts ?? 0,
    feedback: (task.feedback ?? []).map((item) => ({
      attempt: item.attempt,
      ...boundedFeedback({ ...item, suggestions: item.suggestions ?? [] })
    })),
    ...(task.minor === undefined ? {} : { minor: boundedFindings(task.minor) }),
    work: {
      commits: task.implementer_commits ?? [],
      files: task.files_changed ?? [],
      testFile: task.test_file ?? null
    },
    ...escalationOf(task),
    startedAt: epoch(task.started_at),
    completedAt: epoch(task.completed_at)
  }))
