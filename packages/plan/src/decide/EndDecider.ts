import { type Decision, notNow, ok } from "@souffleur/eventlog"
import { dueSteps, stepIn, steps } from "./RunStep.ts"
import type { Run } from "../run/Run.ts"
import * as Event from "../run/RunEvent.ts"
import type { RunCommand } from "../run/RunIntent.ts"

/** Returns the commits that a reviewer approved, of each task. */
export const approvedCommits = ({ tasks }: Run): ReadonlySet<string> =>
  new Set(
    tasks.flatMap(({ earlier, skipped, status, work }) => [
      ...(earlier?.commits ?? []),
      ...(status === "completed" && !skipped ? work.commits : [])
    ])
  )

/** Records that every task is complete. A run whose HEAD lacks a commit of one of them pauses. */
export const verified = (
  run: Run,
  { commits, files, missing, now: at }: Extract<RunCommand, { readonly _tag: "Verify" }>
): Decision<Event.RunEvent> => {
  if (stepIn(steps(run), "Verify") === undefined || !run.tasks.every(({ status }) => status === "completed"))
    return notNow("not every task is complete")
  const tasks = run.tasks.filter(({ final }) => !final)
  const skipped = tasks.filter(({ skipped }) => skipped).length
  const lost = run.tasks.filter(
    ({ skipped, work }) => !skipped && work.commits.some((commit) => missing.includes(commit))
  )
  if (lost.length > 0) {
    const message = `${lost.map(({ id }) => id).join(", ")}: HEAD lacks ${missing.slice(0, 50).join(", ")}`
    return ok(Event.RunPaused.make({ at, reason: "work lost", files: [], message }))
  }
  const completed = tasks.length - skipped
  return ok(Event.RunVerified.make({ at, completed, skipped, commits, files, missing, dropped: run.dropped }))
}

/** Records the outcome of the finishing step. What souffleur has done outside counts beside a hold or a stop. */
export const finished = (
  run: Run,
  { delivered, finishing, message, now: at }: Extract<RunCommand, { readonly _tag: "Finish" }>
): Decision<Event.RunEvent> =>
  stepIn(delivered === undefined ? steps(run) : dueSteps(run), "Finish") !== undefined
    ? ok(Event.RunFinished.make({ at, finishing, message, delivered: delivered ?? null }))
    : notNow("the run is not in its completion")
