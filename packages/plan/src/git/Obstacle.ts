import { Effect } from "effect"
import { treeInWords } from "../decide/Pause.ts"
import { PlanContext } from "../PlanContext.ts"
import type { Run } from "../run/Run.ts"
import type { GitStatus } from "./Git.ts"

/**
 * Returns what a person must put right in git before work continues (spec: behaviour#git). `dirty`: uncommitted changes
 * count too. `undefined`: nothing is wrong.
 */
export const obstacle = ({ changed, conflicts }: GitStatus, dirty: boolean) => {
  if (conflicts.length > 0) return { reason: "conflict" as const, files: conflicts.slice(0, 50) }
  return dirty && changed.length > 0 ? { reason: "dirty" as const, files: changed.slice(0, 50) } : undefined
}

/**
 * Returns why the run cannot continue from git's current state; `undefined`: it can. No agent works on another branch
 * than the newest task began on, or during a rebase, or over approved work that is gone. A task's base commit counts as
 * approved, because it holds earlier work and a person's commits.
 */
export const astray = Effect.fn("astray")(function* (run: Run, { branch }: GitStatus) {
  const { git, plan, tree } = yield* PlanContext
  const history = (message: string) => ({ reason: "history" as const, files: [], message })
  const doing = yield* git.underWay
  if (doing !== null) return history(`${doing} is in progress${treeInWords(tree?.folder ?? "")}`)
  const named = (name: string | null) => (name === null ? "no branch" : `branch ${name}`)
  const wanted = run.branch === undefined ? undefined : (tree?.branch ?? run.branch)
  const elsewhere = wanted !== undefined && branch !== wanted
  const there = history(
    tree === undefined
      ? `it is on ${named(branch)}, and the newest task began on ${named(wanted ?? null)}`
      : `the work tree ${tree.folder} is on ${named(branch)}, and its task on ${named(tree.branch)}`
  )
  // A conductor may have been killed between a merge and its log.
  const merges = plan.finish._tag === "Merge" && run.phase === "completion" && branch === run.ownBranch?.from
  if (elsewhere && !merges) return there
  // What landed since a work tree was made is none of its own.
  const kept = run.tasks.flatMap(({ base, id, skipped, status, work }) => {
    if (tree !== undefined) return id === tree.taskId ? [{ id, commits: [tree.base] }] : []
    if (skipped) return []
    return status === "completed"
      ? [{ id, commits: work.commits }]
      : status === "in_progress" && base !== null
        ? [{ id, commits: [base] }]
        : []
  })
  const missing = yield* git.missing(kept.flatMap(({ commits }) => commits))
  const lost = kept.filter(({ commits }) => commits.some((commit) => missing.includes(commit)))
  if (lost.length === 0) return undefined
  if (elsewhere) return there
  const message = `${lost.map(({ id }) => id).join(", ")}: HEAD lacks ${missing.slice(0, 50).join(", ")}`
  return { reason: "work lost" as const, files: [], message }
})

/**
 * Runs `then`, or pauses the run where git is in the way. `dirty`: uncommitted changes are in the way too. `run`: its
 * branch and its approved work are checked as well.
 */
export const withoutObstacle = Effect.fn("withoutObstacle")(function* <E, R>(
  dirty: boolean,
  then: Effect.Effect<Run, E, R>,
  run?: Run
) {
  const { git, ref, tree } = yield* PlanContext
  const status = yield* git.status
  const found =
    obstacle(status, false) ?? (run === undefined ? undefined : yield* astray(run, status)) ?? obstacle(status, dirty)
  return found === undefined
    ? yield* then
    : yield* ref.dispatch({ _tag: "Pause", message: tree?.folder ?? "", ...found })
})
