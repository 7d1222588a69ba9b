import { type Decision, notNow, ok } from "@souffleur/eventlog"
import { type Run, type Task, taskOf } from "../run/Run.ts"
import { stepIn, steps } from "./RunStep.ts"
import * as Event from "../run/RunEvent.ts"
import type { RunCommand, RunIntent } from "../run/RunIntent.ts"

/**
 * Takes over the tasks of a state file, whatever program wrote it. A person decides on tasks that git does not confirm.
 * The finishing step is not taken as done before its work is.
 */
const imported = (
  { finishing, from, tasks, unproven }: NonNullable<Extract<RunIntent, { readonly _tag: "Open" }>["progress"]>,
  known: (id: string) => boolean,
  at: number
): ReadonlyArray<Event.RunEvent> => {
  const doubted = unproven.filter(known)
  return [
    Event.ProgressImported.make({
      at,
      from,
      finishing: doubted.length === 0 ? finishing : null,
      tasks: tasks.filter(({ id }) => known(id))
    }),
    ...doubted.map((taskId) =>
      Event.TaskEscalated.make({
        at,
        taskId,
        reason: "unproven",
        message: "the state file says that it is complete, and HEAD lacks a commit of its work, or none is named"
      })
    )
  ]
}

const treeTerms = ({
  keepsGoing,
  parallel,
  worktrees
}: {
  readonly [K in keyof Event.TreeTerms]: Event.TreeTerms[K] | undefined
}): Event.TreeTerms => ({
  ...(worktrees === undefined ? {} : { worktrees }),
  ...(keepsGoing === undefined ? {} : { keepsGoing }),
  ...(parallel === undefined ? {} : { parallel })
})

/** Returns the events that open a run: the plan's tasks, and what was done of them before. */
export const opened = (
  {
    agents,
    branch = null,
    digest,
    done = [],
    finishingDigest = null,
    found,
    keepsGoing,
    parallel,
    pin,
    plan,
    progress,
    project,
    questions = false,
    tasks,
    workflowId,
    workTree = project,
    worktrees
  }: Extract<RunIntent, { readonly _tag: "Open" }>,
  at: number
): ReadonlyArray<Event.RunEvent> => {
  const known = (id: string) => tasks.some((task) => task.id === id)
  return [
    Event.RunOpened.make({
      at,
      workflowId,
      project,
      workTree,
      plan,
      digest,
      tasks,
      finishingDigest,
      branch,
      ...treeTerms({ keepsGoing, parallel, worktrees }),
      ...(pin === undefined ? {} : { pin }),
      ...(agents === undefined ? {} : { agents }),
      ...(questions ? { questions } : {})
    }),
    ...(found === null
      ? []
      : [Event.StateFileRebuilt.make({ at, found, from: progress === null ? "plan" : "backup" })]),
    ...(progress?.tasks ?? [])
      .filter(({ id }) => !known(id))
      .map(({ id }) => Event.UnknownTaskSkipped.make({ at, taskId: id.slice(0, 64) })),
    ...(progress === null ? [] : imported(progress, known, at)),
    // What a state file says of a task is newer, and names its commits.
    ...done
      .filter((taskId) => progress === null || progress.tasks.every(({ id }) => id !== taskId))
      .map((taskId) => Event.TaskDoneBefore.make({ at, taskId }))
  ]
}

/** Records the beginning of a task. A final review begins with its reviewer, where there is something to judge. */
export const startedTask = (
  run: Run,
  {
    base,
    branch = null,
    now: at,
    review,
    taskId,
    untracked = null
  }: Extract<RunCommand, { readonly _tag: "StartTask" }>
): Decision<Event.RunEvent> => {
  const step = stepIn(steps(run), "Start", taskId)
  if (step === undefined) return notNow(`task ${taskId} is not next`)
  const begun = { at, taskId, base, branch, untracked }
  if (step.task.final !== true) return ok(Event.TaskStarted.make(begun))
  return review === undefined || review.commits.length === 0 || review.files.length === 0
    ? ok(Event.TaskDoneBefore.make({ at, taskId, final: true }))
    : ok(Event.TaskStarted.make({ ...begun, review }))
}

/** Returns whether the plan describes a finished task differently now, and nobody was told yet. */
const isChanged = (task: Task | undefined, { digest }: Event.TaskOutline): boolean =>
  task?.status === "completed" &&
  !task.skipped &&
  !task.final &&
  digest !== undefined &&
  task.digest !== undefined &&
  digest !== task.digest &&
  digest !== task.doneAs

/** Takes another plan. A task that was begun and left the plan is skipped. A complete one stays. */
export const revised = (
  run: Run,
  {
    agents,
    branch = null,
    digest,
    done = [],
    finishingDigest,
    keepsGoing,
    parallel,
    tasks,
    worktrees
  }: Extract<RunIntent, { readonly _tag: "RevisePlan" }>,
  at: number
): Decision<Event.RunEvent> => {
  const gone = run.tasks.filter(({ id, status }) => status !== "completed" && !tasks.some((task) => task.id === id))
  const taken = {
    digest,
    tasks,
    finishingDigest,
    branch,
    ...treeTerms({ keepsGoing, parallel, worktrees }),
    ...(agents === undefined ? {} : { agents })
  }
  const changed = tasks.filter((task) => isChanged(taskOf(run, task.id), task)).map(({ id }) => id)
  return ok(
    Event.PlanRevised.make({ at, ...taken, changed, dropped: gone.map(({ id }) => id) }),
    ...gone
      .filter(({ status }) => status !== "pending")
      .map(({ id }) => Event.UnknownTaskSkipped.make({ at, taskId: id })),
    ...done
      .filter((taskId) => taskOf(run, taskId) === undefined)
      .map((taskId) => Event.TaskDoneBefore.make({ at, taskId }))
  )
}
