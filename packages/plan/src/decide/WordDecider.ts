import { isWaitOver } from "@souffleur/domain"
import { type Decision, no, notNow, ok } from "@souffleur/eventlog"
import { approvedCommits } from "./EndDecider.ts"
import { stepIn, steps } from "./RunStep.ts"
import { isRunOver, type Run, type Task, taskOf } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import type { RunCommand } from "../run/RunIntent.ts"
import { pauseInWords } from "./Pause.ts"

const unknownTask = (taskId: string) =>
  no("never", `there is no task ${JSON.stringify(taskId.slice(0, 64))} in this run`)

/** Says why no answer is awaited, and what to do in its place. */
const unawaited = ({ paused }: Run, { id, status }: Task): string =>
  paused === null
    ? `task ${id} is ${status.replace("_", " ")}: only an escalated task waits for an answer`
    : `no answer is needed on task ${id}: the run is paused: ${pauseInWords(paused)}, then conduct the plan again`

/** Returns the commits of a task that a person may have taken back: those of its implementers that nobody approved. */
const revertible = (run: Run, { made, work }: Task): ReadonlyArray<string> => {
  const approved = approvedCommits(run)
  return work.commits.filter((commit) => made.includes(commit) && !approved.has(commit))
}

/** Decides on a person's answer on a task. */
export const answered = (
  run: Run,
  { answer, now: at, revert = false, taskId, text }: Extract<RunCommand, { readonly _tag: "Answer" }>
): Decision<Event.RunEvent> => {
  const task = taskOf(run, taskId)
  if (task === undefined) return unknownTask(taskId)
  const reason = run.paused?.reason
  // A pause for lost work awaits an answer on the tasks whose work is lost, or that began from it.
  const lost = reason === "work lost" && (task.status === "completed" || task.status === "in_progress")
  // Commits that cannot be taken back stay, by the same word without that.
  const stays = run.reverting?.taskId === taskId && answer === "skip" && !revert
  const waits = task.status === "escalated" || lost || stays || reason === "history"
  if (!waits) return notNow(unawaited(run, task))
  const said = Event.TaskAnswered.make({ at, taskId, answer, text })
  if (!revert) return ok(said)
  if (task.tree !== null)
    return notNow(`HEAD has no commit of task ${taskId}, which has a branch of its own: skip it without that`)
  const commits = task.status === "escalated" && answer === "skip" ? revertible(run, task) : []
  return commits.length === 0
    ? notNow(`task ${taskId} has no rejected commit of its implementers to take back: skip it without that`)
    : ok(said, Event.RevertAsked.make({ at, taskId, commits }))
}

/** Ends a wait that is over, or by a person's word a hold, a stop and any wait. */
export const waitEnded = (
  { away, held, stop, wait }: Run,
  { by, now: at, renewed = false }: Extract<RunCommand, { readonly _tag: "EndWait" }>
): Decision<Event.RunEvent> => {
  const why = by._tag === "Operator" ? "operator" : renewed ? "login" : "time"
  const isEnded = wait !== null && (why !== "time" || isWaitOver(wait, at))
  const ended = [
    ...(held !== null && why === "operator" ? [Event.RunHoldEnded.make({ at })] : []),
    ...(stop !== null && why === "operator" ? [Event.RunStopEnded.make({ at })] : []),
    ...(isEnded || (why === "operator" && Object.keys(away).length > 0)
      ? [Event.LimitWaitEnded.make({ at, by: why })]
      : [])
  ]
  return ended.length === 0 ? notNow("no wait is over") : ok(...ended)
}

/** Holds a run that is not over. */
export const held = (run: Run, at: number): Decision<Event.RunEvent> =>
  isRunOver(run) ? notNow("the run is over") : run.held === null ? ok(Event.RunHeld.make({ at })) : ok()

/** Stops a run that is not over. A word that asks for no more than the one before changes nothing. */
export const stopped = (
  run: Run,
  { atOnce, now: at, reason }: Extract<RunCommand, { readonly _tag: "Stop" }>
): Decision<Event.RunEvent> => {
  if (isRunOver(run)) return notNow("the run is over")
  return run.stop !== null && (run.stop.now || !atOnce)
    ? ok()
    : ok(Event.RunStopAsked.make({ at, now: atOnce, reason: reason ?? null }))
}

/** Has a complete task done again. */
export const redone = (
  run: Run,
  { now: at, taskId, text }: Extract<RunCommand, { readonly _tag: "Redo" }>
): Decision<Event.RunEvent> => {
  const task = taskOf(run, taskId)
  if (task === undefined) return unknownTask(taskId)
  if (run.reverting?.taskId === taskId) return notNow(`the commits of task ${taskId} are being taken back`)
  return task.status === "completed"
    ? ok(Event.TaskRedoAsked.make({ at, taskId, text }))
    : notNow(`task ${taskId} is ${task.status.replace("_", " ")}: only a complete task is done again`)
}

type RevertCommand = Extract<RunCommand, { readonly _tag: "PlanRevert" | "ReportRevert" | "RefuseRevert" }>

/** Records how far the commits of a skipped task are taken back. */
export const revertMoved = (run: Run, command: RevertCommand): Decision<Event.RunEvent> => {
  const { now: at } = command
  const step = stepIn(steps(run), "Revert")
  if (step === undefined) return notNow("no commit is to be taken back")
  const { taskId, to } = step.reverting
  switch (command._tag) {
    case "PlanRevert":
      return ok(Event.RevertPlanned.make({ at, taskId, from: command.from, to: command.to, made: command.made }))
    case "ReportRevert":
      return command.head === to
        ? ok(Event.WorkReverted.make({ at, taskId, to }))
        : notNow("HEAD is not the commit that was planned")
    case "RefuseRevert": {
      const { head, message } = command
      return ok(
        Event.RevertRefused.make({ at, taskId, head, message }),
        Event.RunPaused.make({ at, reason: "revert", files: [], message })
      )
    }
  }
}
