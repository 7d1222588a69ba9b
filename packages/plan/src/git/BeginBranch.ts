import { digestOf } from "@souffleur/domain"
import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { stepIn, steps } from "../decide/RunStep.ts"
import type { Run } from "../run/Run.ts"
import { branchName, isNamed, otherName } from "../tasks/Finish.ts"

/** How many names are tried where the plan leaves the name to souffleur. */
const maxNames = 100

/**
 * Returns the name that the branch of a run gets, and the commit that it has already, or why it gets none. A branch of
 * that name is the run's own where its log names it and it holds nothing that HEAD lacks.
 */
const nameOf = Effect.fnUntraced(function* ({ ownBranch, workflowId }: Run, wanted: string, head: string | null) {
  const { git } = yield* PlanContext
  const heads = yield* git.branches.heads
  const first = branchName(wanted, workflowId)
  let problem = ""
  for (let count = 1; count <= maxNames; count += 1) {
    const name = count === 1 ? first : otherName(wanted, workflowId, count)
    if (name === undefined) break
    const same = heads.find((one) => one.name === name)
    const beside = heads.find((one) => name.startsWith(`${one.name}/`) || one.name.startsWith(`${name}/`))
    if (beside !== undefined) problem = `git has no room for ${name} beside ${beside.name}: name another in the plan`
    else if (same === undefined) return { name, before: null }
    else if (ownBranch?.branch === name && head !== null && (yield* git.branches.isIn(same.commit, head)))
      return { name, before: same.commit }
    else problem = `there is a branch ${name} already: check it out, or name another in the plan`
  }
  return { problem }
})

/** Says why the branch that a run should have cannot be made; `undefined`: it can. */
export const branchProblem = Effect.fn("branchProblem")(function* (run: Run) {
  const { git } = yield* PlanContext
  const { branch: wanted } = run.agreed
  if (wanted === null || isNamed(wanted, (yield* git.status).branch)) return undefined
  const found = yield* nameOf(run, wanted, yield* git.head)
  return "problem" in found ? found.problem : undefined
})

/** Returns the digest of the address that the work of a plan may be pushed to; `null`: there is none, or it is not. */
const remoteOf = Effect.gen(function* () {
  const { git, plan } = yield* PlanContext
  const remote = plan.finish._tag === "PullRequest" ? yield* git.branches.remote : undefined
  return remote === undefined ? null : yield* digestOf(remote.url)
})

/**
 * Makes the branch of a run from HEAD, and checks it out (spec: behaviour#branch). The log has its name before git has
 * it, so that a conductor that was killed in between leaves no second one.
 */
export const beginBranch = Effect.fn("beginBranch")(function* (run: Run, wanted: string) {
  const { git, ref } = yield* PlanContext
  const { branch: at } = yield* git.status
  const base = yield* git.head
  const { ownBranch: chosen } = run
  const begun = Effect.fnUntraced(function* (branch: string, from: string | null) {
    return yield* ref.dispatch({ _tag: "ReportBranch", branch, from, base, remote: yield* remoteOf })
  })
  if (chosen !== null && chosen.branch === at) return yield* begun(at, chosen.from)
  // A person has made it, and says so by its name.
  if (isNamed(wanted, at)) return yield* begun(wanted, null)
  const found = yield* nameOf(run, wanted, base)
  if ("problem" in found)
    return yield* ref.dispatch({ _tag: "Pause", reason: "branch", files: [], message: found.problem })
  // No branch can be checked out by a name that is read as an option.
  const from = at === null || at.startsWith("-") ? null : at
  if (chosen?.branch !== found.name || chosen.from !== from)
    return yield* ref.dispatch({ _tag: "ChooseBranch", branch: found.name, from })
  yield* ref.granted((now) => stepIn(steps(now), "Branch") !== undefined)
  yield* git.branches.begin(found.name, base, found.before)
  return yield* begun(found.name, from)
})
