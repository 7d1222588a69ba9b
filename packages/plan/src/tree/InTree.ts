import { Effect } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { due } from "../decide/RunStep.ts"
import { type Run, taskOf } from "../run/Run.ts"
import { TreePort } from "./TreePort.ts"

/** Takes a step of a task where its work is: in the task's own work tree, or else in the project. */
export const inTree = Effect.fn("inTree")(function* <A, E, R>(
  run: Run,
  taskId: string | null,
  step: Effect.Effect<A, E, R>
) {
  const tree = taskOf(run, taskId)?.tree ?? null
  if (tree === null || !tree.begun) return yield* step
  const context = yield* PlanContext
  // It is made again where it is gone: by the run's own conductor alone.
  yield* context.ref.granted(() => true)
  const git = yield* (yield* TreePort).open(tree)
  return yield* Effect.provideService(step, PlanContext, { ...context, git, tree })
})

/** Takes a look where the next step of a run is. */
export const whereDue = <A, E, R>(run: Run, look: Effect.Effect<A, E, R>) => {
  const step = due({ ...run, paused: null })
  const taskId =
    step._tag === "Await" ? step.assignment.taskId : step._tag === "Ask" || step._tag === "Gate" ? step.task.id : null
  return inTree(run, taskId, look)
}
