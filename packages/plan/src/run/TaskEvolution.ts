import { isSessionKnown } from "@souffleur/domain"
import { type Assignment, freshTask, isAtWork, type Run, type Task, taskOf } from "./Run.ts"
import { letGo } from "../tree/TreeEvolution.ts"
import type { Died, ImportedTask, RunEvent, TaskOutline, Work } from "./RunEvent.ts"
import { freshImplementerRung, refusalInWords, type RefusedWork, rejectionRung } from "./RunFields.ts"

/** The fields of a task that an event changes. */
export type TaskChange = { readonly [K in keyof Task]?: Task[K] }
/** The fields of a run that an event changes. */
export type RunChange = { readonly [K in keyof Run]?: Run[K] }

/** Returns the tasks of a run with a change in one of them. */
export const withTask = (run: Run, id: string | null, change: (task: Task) => TaskChange): RunChange => ({
  tasks: run.tasks.map((task) => (task.id === id ? { ...task, ...change(task) } : task))
})

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
    const { gateDigest, touches: _, ...task } = taskOf(run, outline.id) ?? freshTask(outline)
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
  const isGone = ({ dropped, id }: Task) => dropped && !isAtWork(run, id)
  const gone = run.tasks.filter(isGone)
  if (gone.length === 0) return run
  const tasks = run.tasks.filter((task) => !isGone(task))
  const trees = gone.reduce((all, task) => letGo(all, task, "the plan dropped its task"), run.trees)
  return { ...run, tasks, trees }
}

/** Keeps the order in which tasks were taken up: a later one waits for those before it. */
export const takenUp = (run: Run): Run => {
  const ids = run.tasks.flatMap(({ id, status }) => (status === "in_progress" ? [id] : []))
  const before = run.current.filter((id) => ids.includes(id))
  return { ...run, current: [...before, ...ids.filter((id) => !before.includes(id))] }
}

/**
 * Takes a task over from a state file, and the ladder continues where the file says. The implementer's session is
 * unknown, so a task in progress gets a fresh one.
 */
export const imported = (task: Task, found: ImportedTask): Task => ({
  ...task,
  status: found.status === "in_progress" ? "pending" : found.status,
  attempts: found.attempts,
  rejections: Math.min(found.feedback.length, rejectionRung(task) - 1),
  climbed: found.feedback.length < freshImplementerRung ? 0 : 1,
  feedback: found.feedback,
  minor: found.minor ?? [],
  work: found.work,
  startedAt: found.startedAt,
  completedAt: found.completedAt,
  escalation:
    found.status === "escalated"
      ? (found.escalation ?? { reason: "rejections", message: "escalated before this run" })
      : null
})

/** The ladder begins again, with a fresh implementer. */
const again = {
  escalation: null,
  rejections: 0,
  gateFailures: 0,
  failures: 0,
  reviewFailures: 0,
  implementer: null,
  nudge: null
}

/**
 * Returns what changes in a task by a person's answer: the ladder begins again, and all feedback is kept. `lost`: the
 * task's work is gone.
 */
const answered = (
  task: Task,
  event: Extract<RunEvent, { readonly _tag: "TaskAnswered" }>,
  lost: boolean
): TaskChange => {
  // Work of an earlier run, or work that was lost, starts over from what is there: its outcome is unknown.
  const freshStart =
    task.begun && !lost
      ? { status: "in_progress" as const }
      : { status: "pending" as const, work: freshTask(task).work, base: null, reviewed: null, completedAt: null }
  switch (event.answer) {
    case "skip":
      // A task that was to be done again is what it was before.
      if (task.earlier !== null)
        return {
          ...again,
          status: "completed",
          work: task.earlier,
          earlier: null,
          completedAt: event.at,
          implementation: null
        }
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

/** Returns what changes in a task by the beginning of one: a final review comes after each other task. */
const begunTask = (task: Task, event: Extract<RunEvent, { readonly _tag: "TaskStarted" }>): TaskChange => {
  const { at, base, review, taskId, untracked } = event
  const { attempts, guidance, minor, used } = task
  if (task.id !== taskId) return task.final === true ? { ...freshTask(task), attempts, guidance, minor, used } : {}
  return {
    status: "in_progress",
    begun: true,
    tree: task.tree && { ...task.tree, begun: true },
    base,
    untracked,
    startedAt: task.startedAt ?? at,
    ...(review === undefined
      ? {}
      : {
          implementation: { head: review.head, verified: false },
          work: { commits: review.commits, files: review.files, testFile: null }
        })
  }
}

/** Returns what changes in the tasks of a run by the beginning of one. */
export const begunTasks = (run: Run, event: Extract<RunEvent, { readonly _tag: "TaskStarted" }>): RunChange => ({
  tasks: run.tasks.map((task) => ({ ...task, ...begunTask(task, event) })),
  trees: run.tasks
    .filter(({ final, id }) => final === true && id !== event.taskId)
    .reduce((all, task) => letGo(all, task, "another task came before its review"), run.trees)
})

/** Returns what changes in a task by the minor findings of a review: they are kept beside its work. */
export const parked = (task: Task, { minor }: { readonly minor: ReadonlyArray<string> }): TaskChange => ({
  minor: [...task.minor, ...minor]
})

/** Returns what changes in a task whose reviewer rejected its work. */
export const rejectedWork = (
  task: Task,
  event: Extract<RunEvent, { readonly _tag: "ReviewRejected" }>
): TaskChange => ({
  ...parked(task, event),
  rejections: task.rejections + 1,
  gateFailures: 0,
  climbed: task.climbed + (task.rejections + 1 === freshImplementerRung ? 1 : 0),
  feedback: [...task.feedback, event.feedback],
  reviewed: task.implementation?.head ?? task.reviewed,
  implementation: null,
  implementer: task.rejections + 1 < freshImplementerRung ? task.implementer : null
})

/** Returns what changes in a run by a person's answer on a task. */
export const answeredRun = (run: Run, event: Extract<RunEvent, { readonly _tag: "TaskAnswered" }>): RunChange => {
  const { answer, taskId, text } = event
  const task = taskOf(run, taskId)
  // A word for a task that waits for one is about that, whatever else is wrong.
  const isStuck = task?.status === "escalated"
  // The task continues where git is now, with what there is.
  if (run.paused?.reason === "history" && answer !== "skip" && !isStuck) {
    const said = answer === "guidance" ? [text] : []
    return { branch: undefined, ...withTask(run, taskId, ({ guidance }) => ({ guidance: [...guidance, ...said] })) }
  }
  const isDropped = run.reverting?.taskId === taskId
  const change = task === undefined ? {} : answered(task, event, run.paused?.reason === "work lost" && !isStuck)
  // What was begun in its work tree goes on there, or stays there.
  const isLeft = task !== undefined && change.status !== "in_progress"
  return {
    ...withTask(run, taskId, () => ({ ...change, ...(isLeft ? { tree: null } : {}) })),
    trees: isLeft
      ? letGo(run.trees, task, answer === "skip" ? "its task was skipped" : "its task began again")
      : run.trees,
    ...(isDropped ? { reverting: null, paused: run.paused?.reason === "revert" ? null : run.paused } : {}),
    ...(run.phase === "completion"
      ? { phase: "implementation", implementedAt: null, summary: null, finishingRetried: false }
      : {})
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

/** Returns the work of a task that was done more than once. */
export const joinedWork = (earlier: Work | null, work: Work): Work => ({
  commits: [...new Set([...(earlier?.commits ?? []), ...work.commits])],
  files: [...new Set([...(earlier?.files ?? []), ...work.files])],
  testFile: work.testFile
})

/** Returns what changes in a complete task that is done again on top of what is there. */
export const redone = (task: Task, { text }: Extract<RunEvent, { readonly _tag: "TaskRedoAsked" }>): TaskChange => {
  const { feedback, made, work } = freshTask(task)
  return {
    ...again,
    status: "pending",
    skipped: false,
    feedback,
    work,
    made,
    earlier: task.work.commits.length === 0 ? null : task.work,
    guidance: text === "" ? task.guidance : [...task.guidance, text],
    implementation: null,
    lastFailure: null,
    lastHint: null,
    base: null,
    reviewed: null,
    completedAt: null
  }
}

/** Returns what changes in a task whose rejected commits were taken back. */
export const takenBack = ({ work }: Task, { reverting }: Run): TaskChange => {
  const commits = work.commits.filter((commit) => reverting?.commits.includes(commit) !== true)
  return { work: commits.length === 0 ? { commits, files: [], testFile: null } : { ...work, commits } }
}

/** Returns a session that an agent may resume; `null`: the agent has not reported it yet. */
export const knownSession = (sessionId: string) => (isSessionKnown(sessionId) ? sessionId : null)

/** Returns what the session of an assignment is told when it goes on. */
export const nudgeOf = ({ role, sessionId }: Assignment, message: string, died: Died | null) => ({
  role,
  sessionId,
  message,
  died
})

/**
 * Returns what changes in the task of an assignment that ended without a fault: it is no attempt. A session that was
 * never begun cannot be resumed.
 */
export const untried = (assignment: Assignment): TaskChange => {
  const { attempt, nudge, resumed, role, sessionId } = assignment
  if (nudge !== null) return { nudge: nudgeOf(assignment, nudge, assignment.died) }
  return role === "implementer"
    ? { attempts: Math.max(0, attempt - 1), implementer: resumed ? knownSession(sessionId) : null }
    : {}
}

/** Returns what changes in the task of an agent that a person stopped: its session goes on where it is. */
export const stopped = (assignment: Assignment): TaskChange =>
  isSessionKnown(assignment.sessionId) && assignment.nudge === null
    ? { nudge: nudgeOf(assignment, "a person had stopped the run, which goes on now", assignment.died) }
    : untried({ ...assignment, resumed: false })
