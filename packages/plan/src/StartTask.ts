import { Effect } from "effect"
import { PlanContext } from "./PlanContext.ts"
import type { Run, Task } from "./run/Run.ts"
import { beginTree } from "./tree/BeginTree.ts"

/** Maximum of untracked files that a task remembers from its beginning. */
const maxUntracked = 500

/**
 * Begins a task, in a work tree of its own where the plan asks for that and there is a commit. A final review is of all
 * work since the first task of the run began.
 */
export const startTask = Effect.fn("startTask")(function* (run: Run, task: Task) {
  const { git, ref } = yield* PlanContext
  const { agreed, firstBase } = run
  const { final, id: taskId } = task
  const head = yield* git.head
  const { branch } = yield* git.status
  const made = agreed.worktrees === true && head !== null ? yield* beginTree(run, task, head) : { git }
  if ("run" in made) return made.run
  const there = yield* made.git.untracked
  const begun = { _tag: "StartTask", taskId, branch, untracked: there.length > maxUntracked ? null : there } as const
  if (final !== true || head === null || firstBase === undefined) return yield* ref.dispatch({ ...begun, base: head })
  return yield* ref.dispatch({ ...begun, base: firstBase, review: { head, ...(yield* git.since(firstBase)) } })
})
