import { digestOf } from "@souffleur/domain"
import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { stepIn, steps } from "../decide/RunStep.ts"
import type { Run } from "../run/Run.ts"
import { approvedWork } from "./ReadyWork.ts"
import { PullRequestPort } from "./PullRequestPort.ts"
import { pullRequestText } from "./PullRequestText.ts"

/**
 * Pushes the branch of a run and opens a pull request for it (spec: behaviour#pull-request). The address must be that
 * which the run began with, since agents can write it.
 */
export const proposeWork = Effect.fn("proposeWork")(function* (run: Run) {
  const { git, plan, ref } = yield* PlanContext
  const failed = (message: string) => ref.dispatch({ _tag: "Finish", finishing: "failed", message })
  const work = yield* approvedWork(run)
  if ("problem" in work) return yield* failed(work.problem)
  const remote = yield* git.branches.remote
  if (remote === undefined) return yield* failed("git has no remote origin with one address, and no other one alone")
  if ((yield* digestOf(remote.url)) !== run.ownBranch?.remote && !run.finishingRetried)
    return yield* failed(
      `the address of ${remote.name} is not what it was when the run began: see git remote -v, and --retry takes it`
    )
  yield* ref.granted((now) => stepIn(steps(now), "Finish") !== undefined)
  const port = yield* PullRequestPort
  const proposed = yield* port.propose({
    ...work,
    ...pullRequestText(run, plan),
    id: ref.id,
    onto: run.ownBranch?.from ?? null,
    remote
  })
  return "problem" in proposed
    ? yield* failed(proposed.problem)
    : yield* ref.dispatch({ _tag: "Finish", finishing: "done", message: "", delivered: proposed })
})
