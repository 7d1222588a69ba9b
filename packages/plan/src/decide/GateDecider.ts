import { type Decision, notNow, ok } from "@souffleur/eventlog"
import { dueSteps, stepIn, stepOf } from "./RunStep.ts"
import type { Run } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import { personRung } from "../run/RunFields.ts"
import type { RunCommand } from "../run/RunIntent.ts"

/** Records what a gate says of work; nothing where that work is not there any more. */
export const judgedWork = (
  run: Run,
  { head, now: at, programs, refused, taskId }: Extract<RunCommand, { readonly _tag: "ReportGate" }>
): Decision<Event.RunEvent> => {
  const step = stepOf(run, taskId)
  if (step?._tag !== "Gate" || step.head !== head) return ok()
  if (refused === null) return ok(Event.WorkVerified.make({ at, taskId, head, programs }))
  const count = step.task.gateFailures + 1
  return ok(
    Event.WorkRefused.make({ at, taskId, head, ...refused }),
    ...(count < personRung
      ? []
      : [
          Event.TaskEscalated.make({
            at,
            taskId,
            reason: "gate",
            message: `refused ${count} times by \`${refused.program}\``
          })
        ])
  )
}

/** Records what the gates say of the commit that the first agent begins from. A red one pauses the run. */
export const judgedBaseline = (
  run: Run,
  { head, now: at, refused }: Extract<RunCommand, { readonly _tag: "ReportBaseline" }>
): Decision<Event.RunEvent> => {
  // A person may have allowed it meanwhile.
  if (stepIn(dueSteps(run), "Baseline") === undefined) return ok()
  if (head === null || refused === null) return ok(Event.BaselineVerified.make({ at, head }))
  return ok(
    Event.BaselineRefused.make({ at, head, ...refused }),
    Event.RunPaused.make({ at, reason: "red", files: [], message: `${refused.program} at ${head.slice(0, 12)}` })
  )
}

/** Lets the first agent begin from a red commit, by a person's word. */
export const redAllowed = (
  run: Run,
  { now: at }: Extract<RunCommand, { readonly _tag: "AllowRed" }>
): Decision<Event.RunEvent> =>
  (run.tasks.some(({ begun }) => begun) && run.baseline?.red !== true) || run.baseline?.red === false
    ? notNow("no red commit keeps this run from its first task")
    : ok(Event.RedAllowed.make({ at }), ...(run.paused?.reason === "red" ? [Event.RunResumed.make({ at })] : []))
