import { freshTask, type Run, type Task, taskOf } from "./Run.ts"
import type { ImportedTask, RunEvent, TaskOutline } from "./RunEvent.ts"
import { refusalInWords, type RefusedWork } from "./RunFields.ts"
import { freshImplementerRung, personRung } from "./Rungs.ts"

/** The fields of a task that an event changes. */
export type TaskChange = { readonly [K in keyof Task]?: Task[K] }

/**
 * Returns the tasks in the plan's order. Complete tasks that left the plan stay, before the others. So does a task with
 * an agent at work, until that has ended.
 */
export const revised = (run: Run, outlines: ReadonlyArray<TaskOutline>): ReadonlyArray<Task> => [
  ...run.tasks
    .filter(({ id }) => !outlines.some((outline) => outline.id === id))
    .map((task) => ({ ...task, dropped: task.status !== "completed" })),
  // What is asked for may be other work since.
  ...outlines.map((outline) => {
    const { gateDigest, ...task } = taskOf(run, outline.id) ?? freshTask(outline)
    const { implementation } = task
    const isVerified = implementation?.verified === true && gateDigest === outline.gateDigest
    return {
      ...task,
      ...outline,
      implementation: implementation === null ? null : { ...implementation, verified: isVerified },
      nudge: null,
      dropped: false
    }
  })
]

/** Forgets the tasks that were dropped and have no agent at work. */
export const swept = (run: Run): Run => {
  const tasks = run.tasks.filter(({ dropped, id }) => !dropped || run.assignment?.taskId === id)
  return tasks.length === run.tasks.length
    ? run
    : { ...run, tasks, current: taskOf({ ...run, tasks }, run.current)?.id ?? null }
}

/**
 * Takes a task over from a state file, and the ladder continues where the file says. The implementer's session is
 * unknown, so a task in progress gets a fresh one.
 */
export const imported = (task: Task, found: ImportedTask): Task => ({
  ...task,
  status: found.status === "in_progress" ? "pending" : found.status,
  attempts: found.attempts,
  rejections: Math.min(found.feedback.length, personRung - 1),
  climbed: found.feedback.length < freshImplementerRung ? 0 : 1,
  feedback: found.feedback,
  work: found.work,
  startedAt: found.startedAt,
  completedAt: found.completedAt,
  escalation:
    found.status === "escalated"
      ? (found.escalation ?? { reason: "rejections", message: "escalated before this run" })
      : null
})

/**
 * Returns what changes in a task by a person's answer: the ladder begins again, and all feedback is kept. `lost`: the
 * task's work is gone.
 */
export const answered = (
  task: Task,
  event: Extract<RunEvent, { readonly _tag: "TaskAnswered" }>,
  lost: boolean
): TaskChange => {
  const again = {
    escalation: null,
    rejections: 0,
    gateFailures: 0,
    failures: 0,
    reviewFailures: 0,
    implementer: null,
    nudge: null
  }
  // Work of an earlier run, or work that was lost, starts over from what is there: its outcome is unknown.
  const freshStart =
    task.begun && !lost
      ? { status: "in_progress" as const }
      : { status: "pending" as const, work: freshTask(task).work, base: null, reviewed: null, completedAt: null }
  switch (event.answer) {
    case "skip":
      return { ...again, status: "completed", skipped: true, completedAt: event.at, implementation: null }
    case "retry":
      // After failed reviews the implementation still waits for a reviewer.
      return {
        ...again,
        ...freshStart,
        implementation: task.escalation?.reason === "reviewer failures" ? task.implementation : null
      }
    case "guidance":
      return { ...again, ...freshStart, implementation: null, guidance: [...task.guidance, event.text] }
  }
}

/** Returns what changes in a task whose gate took its work. */
export const verifiedWork = ({ implementation }: Task): TaskChange => ({
  implementation: implementation === null ? null : { ...implementation, verified: true }
})

/** Returns what changes in a task whose gate refused its work: the session of its implementer goes on. */
export const refusedWork = (task: Task, refused: RefusedWork): TaskChange => {
  const message = refusalInWords(refused)
  const { implementer: sessionId } = task
  return {
    gateFailures: task.gateFailures + 1,
    implementation: null,
    lastFailure: message,
    nudge: sessionId === null ? null : { role: "implementer", sessionId, message, died: null }
  }
}
