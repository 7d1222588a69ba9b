import { Effect } from "effect"
import { GatePort } from "../gate/GatePort.ts"
import { PlanContext } from "../PlanContext.ts"
import { stepIn, steps } from "../decide/RunStep.ts"
import type { Run } from "../run/Run.ts"
import { refusalEnd } from "../run/RunFields.ts"
import { gateOfPlan } from "../tasks/PlanGates.ts"
import { untilStopped } from "../Waiting.ts"
import { readyWork, type ReadyWork } from "./ReadyWork.ts"

/** Makes what a branch becomes by a merge: the work itself where it holds all of the branch, else a commit of both. */
const mergedCommit = Effect.fnUntraced(function* ({ branch, commit, into }: ReadyWork) {
  const { git, plan, ref } = yield* PlanContext
  const { branches } = git
  if (yield* branches.isIn(into.commit, commit)) return { commit }
  const merged = yield* branches.merge(into.commit, commit)
  if ("conflicts" in merged) return { problem: `${branch} and ${into.name} are at odds in ${merged.conflicts}` }
  const made = yield* branches.commit(merged.tree, [into.commit, commit], `Merge branch '${branch}'`)
  const gate = gateOfPlan(plan)
  if (gate === undefined) return { commit: made }
  const judged = (yield* GatePort).judge({ gate, head: made, ref })
  const refused = yield* Effect.raceFirst(judged, Effect.as(untilStopped(), "stopped" as const))
  if (refused === "stopped") return { stopped: true }
  return refused === null
    ? { commit: made }
    : { problem: `the gate refuses ${branch} together with ${into.name}: ${refused.program} ${refusalEnd(refused)}` }
})

/**
 * Merges the branch of a run into the one that it was begun from (spec: behaviour#merge). The branch moves in one act,
 * or not at all, and is checked out then. What is merged already is only told.
 */
export const mergeWork = Effect.fn("mergeWork")(function* (run: Run) {
  const { git, ref } = yield* PlanContext
  const { branches } = git
  const failed = (message: string) => ref.dispatch({ _tag: "Finish", finishing: "failed", message })
  const into = run.ownBranch?.from ?? null
  if (run.ownBranch?.begun === true && into === null)
    return yield* failed(`${run.ownBranch.branch} was begun from no branch: merge it by hand`)
  const done = ref.dispatch({
    _tag: "Finish",
    finishing: "done",
    message: "",
    delivered: { _tag: "Merged", into: into ?? "" }
  })
  /** Returns whether the branch has the work already, as after a kill. */
  const isThere = Effect.gen(function* () {
    const heads = yield* branches.heads
    const [mine, theirs] = [run.ownBranch?.branch, into].map((name) => heads.find((one) => one.name === name))
    return mine !== undefined && theirs !== undefined && (yield* branches.isIn(mine.commit, theirs.commit))
  })
  if (!(yield* isThere)) {
    const ready = yield* readyWork(run)
    if ("problem" in ready) return yield* failed(ready.problem)
    const merged = yield* mergedCommit(ready)
    if ("stopped" in merged) return yield* ref.state
    if ("problem" in merged) return yield* failed(merged.problem)
    yield* ref.granted((now) => stepIn(steps(now), "Finish") !== undefined)
    const moved = yield* Effect.result(branches.move(ready.into.name, merged.commit, ready.into.commit))
    if (moved._tag === "Failure" && !(yield* isThere)) {
      const now = (yield* branches.heads).find(({ name }) => name === into)
      return now?.commit === ready.into.commit
        ? yield* Effect.fail(moved.failure)
        : yield* failed(`${into} moved meanwhile, and nothing was merged`)
    }
  }
  const { branch, changed } = yield* git.status
  // The next work begins from there. Where git refuses, the merge is done all the same.
  if (branch === run.ownBranch?.branch && into !== null && changed.length === 0)
    yield* Effect.ignore(branches.checkout(into))
  return yield* done
})
