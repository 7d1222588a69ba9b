import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import type { Run } from "../run/Run.ts"
import { withoutObstacle } from "./Obstacle.ts"

/**
 * Takes the commits of a skipped task back (spec: behaviour#answers). The commits for that are made first, and named in
 * the log, before the branch is moved to them. So a conductor that was killed meanwhile moves on to the same commits.
 */
export const takeBack = Effect.fn("takeBack")(function* (
  run: Run,
  { commits, from, to }: NonNullable<Run["reverting"]>
) {
  const { git, ref } = yield* PlanContext
  const head = yield* git.head
  if (head !== null && head === to) return yield* ref.dispatch({ _tag: "ReportRevert", head })
  return yield* withoutObstacle(
    true,
    Effect.gen(function* () {
      if (to !== null && head !== null && head === from) {
        // A file that git ignores may be in the way, and is not written over.
        const moved = yield* Effect.result(git.forward(to))
        return yield* moved._tag === "Success"
          ? ref.dispatch({ _tag: "ReportRevert", head: to })
          : ref.dispatch({ _tag: "RefuseRevert", head, message: moved.failure.message })
      }
      // HEAD has moved since, or they are made for the first time.
      const missing = yield* git.missing(commits)
      const there = commits.filter((commit) => !missing.includes(commit))
      if (head === null) return yield* ref.dispatch({ _tag: "RefuseRevert", head: "", message: "HEAD has no commit" })
      const made = yield* git.reverted(there, head)
      return made._tag === "Made"
        ? yield* ref.dispatch({ _tag: "PlanRevert", from: head, to: made.to, made: made.made })
        : yield* ref.dispatch({ _tag: "RefuseRevert", head, message: made.message })
    }),
    run
  )
})
