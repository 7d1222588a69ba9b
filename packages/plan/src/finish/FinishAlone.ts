import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import type { Run } from "../run/Run.ts"
import { mergeWork } from "./MergeWork.ts"
import { proposeWork } from "./ProposeWork.ts"

/** Checks once more that git has all work. */
export const verifyRun = Effect.fn("verifyRun")(function* (run: Run) {
  const { git, ref } = yield* PlanContext
  const commits = [...new Set(run.tasks.flatMap(({ work }) => work.commits))]
  const files = new Set(run.tasks.flatMap(({ work }) => work.files)).size
  return yield* ref.dispatch({ _tag: "Verify", commits: commits.length, files, missing: yield* git.missing(commits) })
})

/** Does the finishing step of a run where no agent and no command does it. `undefined`: one of them does. */
export const finishAlone = Effect.fn("finishAlone")(function* (run: Run) {
  const { plan, ref } = yield* PlanContext
  const { finishing } = run
  const none = ref.dispatch({ _tag: "Finish", finishing: "none", message: "" })
  // An earlier run, whose log is gone, asked for it. The state file says no more.
  if (finishing === "begun" || finishing === "failed")
    return yield* ref.dispatch({
      _tag: "Finish",
      finishing: "failed",
      message: "the state file says that it has begun and is not done"
    })
  if (finishing === "done") return yield* ref.dispatch({ _tag: "Finish", finishing, message: "" })
  if (finishing !== "not begun") return yield* none
  switch (plan.finish._tag) {
    case "None":
    case "Leave":
      return yield* none
    case "Merge":
    case "PullRequest":
      // Nothing was left to do from the first, so that no branch was begun.
      if (run.ownBranch === null && run.tasks.every(({ begun }) => !begun)) return yield* none
      return yield* plan.finish._tag === "Merge" ? mergeWork(run) : proposeWork(run)
    default:
      return undefined
  }
})
