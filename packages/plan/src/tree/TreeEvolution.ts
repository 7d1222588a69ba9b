import type { Run, Task } from "../run/Run.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import type { LeftTree } from "./TaskTree.ts"

type Of<T extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: T }>
type TaskChange = { readonly [K in keyof Task]?: Task[K] }

/** Returns the trees of a run with that of a task which needs it no more. One in which nothing was done has no use. */
export const letGo = (
  trees: Run["trees"],
  task: Pick<Task, "tree"> | undefined,
  why: string | null
): ReadonlyArray<LeftTree> => {
  const tree = task?.tree ?? null
  if (tree === null) return trees
  const { base, begun, branch, folder, taskId } = tree
  return [...trees, { taskId, folder, branch, base, kept: begun ? why : null }]
}

/** Returns what changes in a task whose work tree is about to be made. */
export const chosenTree = ({ base, branch, folder, taskId }: Of<"TreeChosen">): TaskChange => ({
  tree: { taskId, folder, branch, base, begun: false, onto: null, landing: null }
})

/** Returns what changes in a task whose work is approved: in a tree of its own it is to land. */
export const approvedInTree = ({ implementation, tree }: Task): TaskChange =>
  tree === null || implementation === null
    ? {}
    : { tree: { ...tree, landing: { head: implementation.head, from: null, to: null, made: [] } } }

/** Returns what changes in a task whose landing is planned. */
export const plannedLanding = ({ tree }: Task, { from, made, to }: Of<"LandingPlanned">): TaskChange =>
  tree?.landing == null ? {} : { tree: { ...tree, landing: { ...tree.landing, from, to, made } } }

/**
 * Returns what changes in a task whose work does not land: the session of its implementer goes on, and its work is what
 * the run's branch lacks.
 */
export const refusedLanding = (task: Task, { message, onto }: Of<"LandingRefused">): TaskChange => {
  const { base, final, gateFailures, implementer: sessionId, tree } = task
  return {
    gateFailures: gateFailures + 1,
    reviewed: null,
    implementation: null,
    base: final === true ? base : onto,
    tree: tree && { ...tree, onto, landing: null },
    lastFailure: message,
    nudge: sessionId === null ? null : { role: "implementer", sessionId, message, died: null }
  }
}

/** Returns the trees of a run after one of them was looked at. */
export const clearedTrees = (trees: Run["trees"], { folder, kept }: Of<"TreeCleared">): ReadonlyArray<LeftTree> =>
  trees.flatMap((tree) =>
    tree.folder !== folder || tree.kept !== null ? [tree] : kept === null ? [] : [{ ...tree, kept }]
  )
