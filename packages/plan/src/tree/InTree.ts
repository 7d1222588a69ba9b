import { Effect, Option } from "effect"
import { PlanContext } from "../PlanContext.ts"
import { dueSteps, type Next } from "../decide/RunStep.ts"
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

/** Returns the task in whose work tree a step is; `null`: it is in the project. */
const placeOf = (step: Next): string | null =>
  step._tag === "Await" ? step.assignment.taskId : step._tag === "Ask" || step._tag === "Gate" ? step.task.id : null

/**
 * Looks whether something is so wherever a run goes on. Where its pause names a work tree, that one alone is meant, and
 * the project where it names files of none.
 */
export const whereDue = Effect.fn("whereDue")(function* <E, R>(run: Run, look: Effect.Effect<boolean, E, R>) {
  const { message = "", reason } = run.paused ?? {}
  const named = run.tasks.find(({ tree }) => tree?.folder === message)?.id ?? null
  const places = reason === "dirty" || reason === "conflict" ? [named] : [...new Set(dueSteps(run).map(placeOf))]
  return yield* Effect.map(
    Effect.findFirst(places, (taskId) => Effect.map(inTree(run, taskId, look), (isSo) => !isSo)),
    Option.isNone
  )
})
