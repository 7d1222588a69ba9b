import { type Decision, notNow, ok } from "@souffleur/eventlog"
import { dueSteps, stepIn, steps } from "./RunStep.ts"
import type { Run } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import type { RunCommand } from "../run/RunIntent.ts"

const none = () => notNow("the run makes no branch now")

/** Records the branch that a run is about to make, before the act. */
export const branchChosen = (
  run: Run,
  { branch, from, now: at }: Extract<RunCommand, { readonly _tag: "ChooseBranch" }>
): Decision<Event.RunEvent> =>
  stepIn(steps(run), "Branch") !== undefined ? ok(Event.BranchChosen.make({ at, branch, from })) : none()

/** Records that the branch of a run is there, although a person may hold or stop the run meanwhile. */
export const branchReported = (
  run: Run,
  { base, branch, from, now: at, remote }: Extract<RunCommand, { readonly _tag: "ReportBranch" }>
): Decision<Event.RunEvent> =>
  stepIn(dueSteps(run), "Branch") !== undefined
    ? ok(Event.BranchBegun.make({ at, branch, from, base, remote }))
    : none()
