import { Effect } from "effect"
import { PlanContext } from "./PlanContext.ts"
import type { Run, Task } from "./run/Run.ts"

/** Maximum of untracked files that a task remembers from its beginning. */
const maxUntracked = 500

/** Begins a task. A final review is of all work since the first task of the run began. */
export const startTask = Effect.fn("startTask")(function* ({ firstBase }: Run, { final, id: taskId }: Task) {
  const { git, ref } = yield* PlanContext
  const head = yield* git.head
  const { branch } = yield* git.status
  const there = yield* git.untracked
  const begun = { _tag: "StartTask", taskId, branch, untracked: there.length > maxUntracked ? null : there } as const
  if (final !== true || head === null || firstBase === undefined) return yield* ref.dispatch({ ...begun, base: head })
  return yield* ref.dispatch({ ...begun, base: firstBase, review: { head, ...(yield* git.since(firstBase)) } })
})
