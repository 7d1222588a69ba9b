import { Words } from "@souffleur/domain"
import { Effect } from "effect"
import { approvedCommits } from "../decide/EndDecider.ts"
import type { Head } from "../git/GitBranches.ts"
import { PlanContext } from "../PlanContext.ts"
import type { Run } from "../run/Run.ts"

/** Work that may be brought from a run's own branch elsewhere. */
export interface ReadyWork {
  readonly branch: string
  readonly commit: string
  /** The branch that it was begun from. */
  readonly into: Head
}

/** Commits that are named. */
const maxNamed = 10

/**
 * Returns the work of a run at the end of its own branch, or why it stays there. Each commit on it was approved, unless
 * a person had it taken back, or has the step tried again.
 */
export const approvedWork = Effect.fn("approvedWork")(function* (run: Run) {
  const { finishingRetried, ownBranch } = run
  const { git } = yield* PlanContext
  const problem = (what: string) => ({ problem: what })
  if (ownBranch?.begun !== true) return problem("the run has no branch of its own")
  const { base, branch } = ownBranch
  const status = yield* git.status
  const commit = yield* git.head
  if (status.branch !== branch || commit === null) return problem(`${branch} is not checked out any more: check it out`)
  if (status.changed.length > 0) return problem(`not committed: ${status.changed.slice(0, maxNamed).join(", ")}`)
  const approved = new Set([...run.takenBack, ...approvedCommits(run)])
  const others = (yield* git.since(base)).commits.filter((one) => !approved.has(one))
  if (others.length > 0 && !finishingRetried) {
    const named = others.slice(0, maxNamed).map((one) => one.slice(0, 12))
    return problem(
      `no reviewer approved ${Words.many(others.length, "commit")} of ${branch}: ${named.join(", ")}: read that, and --retry takes it along`
    )
  }
  return { branch, commit }
})

/** Returns the work of a run and the branch that it may be merged into, or why not. */
export const readyWork = Effect.fn("readyWork")(function* (run: Run) {
  const { git } = yield* PlanContext
  const work = yield* approvedWork(run)
  if ("problem" in work) return work
  const { base = null, from = null } = run.ownBranch ?? {}
  const into = (yield* git.branches.heads).find(({ name }) => name === from)
  const problem =
    into === undefined
      ? `${from} is not there any more`
      : into.workTree !== ""
        ? `${from} is checked out in ${into.workTree}`
        : base !== null && !(yield* git.branches.isIn(base, into.commit))
          ? `${from} lacks the commit that ${work.branch} was begun from`
          : undefined
  return into === undefined || problem !== undefined
    ? { problem: `${problem}: merge ${work.branch} by hand, or put that right` }
    : ({ ...work, into } satisfies ReadyWork)
})
