import { Bounds, iso } from "@souffleur/domain"
import { Result, Schema } from "effect"
import type { Run, Task } from "./Run.ts"
import { boundedFeedback } from "./Verdict.ts"
import type { ImportedTask } from "./RunEvent.ts"

/** `state.json` in the seed's shape: a projection of the log, for people and other programs (spec §6). */
const Time = Schema.String
const Texts = Schema.Array(Schema.String)
const FeedbackItem = Schema.Struct({
  attempt: Bounds.Count,
  summary: Schema.String,
  issues: Texts,
  suggestions: Schema.optional(Texts)
})
const StateTask = Schema.Struct({
  id: Schema.String,
  title: Schema.optional(Schema.String),
  status: Schema.Literals(["pending", "in_progress", "completed", "escalated"]),
  attempts: Schema.optional(Bounds.Count),
  implementer_commits: Schema.optional(Texts),
  files_changed: Schema.optional(Texts),
  test_file: Schema.optional(Schema.String),
  feedback: Schema.optional(Schema.Array(FeedbackItem)),
  /** A person said that it is to be left out; the seed has no status for it. */
  skipped: Schema.optional(Schema.Boolean),
  started_at: Schema.optional(Time),
  completed_at: Schema.optional(Time)
})
export const StateJson = Schema.Struct({
  workflow_id: Schema.String,
  phase: Schema.Literals(["planning", "implementation", "completion"]),
  current_task: Schema.NullOr(Schema.String),
  tasks: Schema.Array(StateTask),
  created_at: Time,
  updated_at: Time,
  implementation_completed_at: Schema.optional(Time),
  /** What came of the seed's phase 4, which it has no field for. */
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
  ...(task.skipped ? { skipped: true } : {}),
  ...(task.startedAt === null ? {} : { started_at: iso(task.startedAt) }),
  ...(task.completedAt === null ? {} : { completed_at: iso(task.completedAt) })
})

/** The run as the seed's file. */
export const stateJson = (run: Run): StateJson => ({
  workflow_id: run.workflowId,
  phase: run.phase === "completion" || run.phase === "finished" ? "completion" : "implementation",
  current_task: run.current,
  tasks: run.tasks.map(taskJson),
  created_at: iso(run.openedAt),
  updated_at: iso(run.lastEventAt),
  ...(run.implementedAt === null ? {} : { implementation_completed_at: iso(run.implementedAt) }),
  ...(run.finishing === "not begun" ? {} : { finishing: run.finishing }),
  ...(run.finishingFailure === null ? {} : { finishing_failure: run.finishingFailure })
})

export const stateText = (run: Run): string => `${JSON.stringify(stateJson(run), undefined, 2)}\n`

const decode = Schema.decodeUnknownResult(StateJson)

/** What stands in a file that is to be a state file: JSON of another shape is somebody else's. */
export const readState = (text: string): Result.Result<StateJson, "corrupt" | "foreign"> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail("corrupt")
  }
  return Result.mapError(decode(json), () => "foreign" as const)
}

const epoch = (time: string | undefined): number | null => Bounds.time(time === undefined ? undefined : Date.parse(time)) ?? null

/** The progress that a state file of the seed's own kind tells of. */
export const progressOf = ({ tasks }: StateJson): ReadonlyArray<ImportedTask> =>
  tasks.map((task) => ({
    id: task.id,
    status: task.status,
    attempts: task.attempts ?? 0,
    feedback: (task.feedback ?? []).map((item) => ({
      attempt: item.attempt,
      ...boundedFeedback({ ...item, suggestions: item.suggestions ?? [] })
    })),
    work: { commits: task.implementer_commits ?? [], files: task.files_changed ?? [], testFile: task.test_file ?? null },
    startedAt: epoch(task.started_at),
    completedAt: epoch(task.completed_at)
  }))
