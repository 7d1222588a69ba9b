import { type Decision, notNow, ok } from "@souffleur/eventlog"
import type { Run } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import { personRung } from "../run/RunFields.ts"
import type { RunCommand } from "../run/RunIntent.ts"
import { due, next } from "./RunStep.ts"

type Of<T extends RunCommand["_tag"]> = Extract<RunCommand, { readonly _tag: T }>

/** Records the work tree that a task is about to get, before the act. */
export const treeChosen = (
  run: Run,
  { base, branch, folder, now: at, taskId }: Of<"ChooseTree">
): Decision<Event.RunEvent> => {
  const step = next(run)
  return step._tag === "Start" && step.task.id === taskId
    ? ok(Event.TreeChosen.make({ at, taskId, folder, branch, base }))
    : notNow(`task ${taskId} is not next`)
}

/** Records that a work tree cannot be made ready: the run pauses as for a red gate, unless a person has allowed it. */
export const setupRefused = (run: Run, { head, now: at, refused }: Of<"RefuseSetup">): Decision<Event.RunEvent> => {
  if (due(run)._tag !== "Start") return ok()
  return ok(
    Event.BaselineRefused.make({ at, head, ...refused }),
    Event.RunPaused.make({ at, reason: "red", files: [], message: `${refused.program} at ${head.slice(0, 12)}` })
  )
}

/** Returns the landing of a task where that is the next step, also of a run that a person has held or stopped since. */
const landingOf = (run: Run, taskId: string) => {
  const step = due(run)
  return step._tag === "Land" && step.task.id === taskId ? step : undefined
}
const none = (taskId: string) => notNow(`no work of task ${taskId} is to land`)

/** Records how approved work is to land, before the act. */
export const landingPlanned = (
  run: Run,
  { from, made, now: at, taskId, to }: Of<"PlanLanding">
): Decision<Event.RunEvent> =>
  next(run)._tag === "Land" && landingOf(run, taskId) !== undefined
    ? ok(Event.LandingPlanned.make({ at, taskId, from, to, made }))
    : none(taskId)

/** Records that approved work does not land. The third time it is a person's, as a refusal of the gate. */
export const landingRefused = (
  run: Run,
  { message, now: at, onto, taskId }: Of<"RefuseLanding">
): Decision<Event.RunEvent> => {
  const step = landingOf(run, taskId)
  if (step === undefined) return none(taskId)
  const count = step.task.gateFailures + 1
  return ok(
    Event.LandingRefused.make({ at, taskId, onto, message }),
    ...(count < personRung
      ? []
      : [
          Event.TaskEscalated.make({
            at,
            taskId,
            reason: "landing",
            message: `it did not land ${count} times: ${message.split("\n", 1)[0]}`
          })
        ])
  )
}

/** Records that approved work has landed: its task is complete. */
export const landed = (run: Run, { made, now: at, taskId }: Of<"ReportLanding">): Decision<Event.RunEvent> => {
  const step = landingOf(run, taskId)
  if (step === undefined) return none(taskId)
  const { work } = step.task
  return ok(Event.TaskCompleted.make({ at, taskId, ...work, commits: [...work.commits, ...made] }))
}

/** Records that a work tree is removed, or why it stays. */
export const cleared = (run: Run, { folder, kept, now: at, taskId }: Of<"ClearTree">): Decision<Event.RunEvent> => {
  const step = due(run)
  return step._tag === "Clear" && step.tree.folder === folder
    ? ok(Event.TreeCleared.make({ at, taskId, folder, kept }))
    : notNow("no such work tree is to be removed")
}
