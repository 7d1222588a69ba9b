import { type Decision, notNow, ok } from "@souffleur/eventlog"
import type { Run } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import { personRung } from "../run/RunFields.ts"
import type { RunCommand } from "../run/RunIntent.ts"
import { dueSteps, stepIn, stepOf, steps } from "./RunStep.ts"

type Of<T extends RunCommand["_tag"]> = Extract<RunCommand, { readonly _tag: T }>

/** Records the work tree that a task is about to get, before the act. */
export const treeChosen = (
  run: Run,
  { base, branch, folder, now: at, taskId }: Of<"ChooseTree">
): Decision<Event.RunEvent> =>
  stepIn(steps(run), "Start", taskId) === undefined
    ? notNow(`task ${taskId} is not next`)
    : ok(Event.TreeChosen.make({ at, taskId, folder, branch, base }))

/** Records that a work tree cannot be made ready: the run pauses as for a red gate, unless a person has allowed it. */
export const setupRefused = (run: Run, { head, now: at, refused }: Of<"RefuseSetup">): Decision<Event.RunEvent> => {
  if (stepIn(dueSteps(run), "Start") === undefined) return ok()
  return ok(
    Event.BaselineRefused.make({ at, head, ...refused }),
    Event.RunPaused.make({ at, reason: "red", files: [], message: `${refused.program} at ${head.slice(0, 12)}` })
  )
}

/** Returns the landing of a task where that is its next step, also of a run that a person has held or stopped since. */
const landingOf = (run: Run, taskId: string) => {
  const step = stepOf(run, taskId)
  return step?._tag === "Land" ? step : undefined
}
const none = (taskId: string) => notNow(`no work of task ${taskId} is to land`)

/** Records how approved work is to land, before the act. */
export const landingPlanned = (
  run: Run,
  { from, made, now: at, taskId, to }: Of<"PlanLanding">
): Decision<Event.RunEvent> =>
  stepIn(steps(run), "Land", taskId) === undefined
    ? none(taskId)
    : ok(Event.LandingPlanned.make({ at, taskId, from, to, made }))

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
export const cleared = (run: Run, { folder, kept, now: at, taskId }: Of<"ClearTree">): Decision<Event.RunEvent> =>
  run.trees.some((tree) => tree.folder === folder && tree.kept === null)
    ? ok(Event.TreeCleared.make({ at, taskId, folder, kept }))
    : notNow("no such work tree is to be removed")
