import type { LeftTree } from "../tree/TaskTree.ts"
import { type Assignment, isRunOver, type Run, type Task, taskOf } from "../run/Run.ts"
import { isPersons } from "../run/RunFields.ts"

/** Approved work that is to land. */
type Landing = NonNullable<NonNullable<Task["tree"]>["landing"]>

/** The next step of a run: all that the loop decides, without the act. */
export type Next =
  /** An agent was asked for, and its outcome is awaited. */
  | { readonly _tag: "Await"; readonly assignment: Assignment }
  /** The service refuses agents until that time (epoch ms). */
  | { readonly _tag: "Wait"; readonly wait: NonNullable<Run["wait"]> }
  | { readonly _tag: "Start"; readonly task: Task }
  | { readonly _tag: "Ask"; readonly role: "implementer" | "reviewer"; readonly task: Task }
  /** A branch of its own is made, and checked out. */
  | { readonly _tag: "Branch"; readonly wanted: string }
  /** The gates judge the commit that the first agent begins from. */
  | { readonly _tag: "Baseline" }
  /** A reviewer is asked what is unclear in the plan. */
  | { readonly _tag: "Question" }
  /** The gate of a task judges its work. */
  | { readonly _tag: "Gate"; readonly task: Task; readonly head: string }
  /** The approved work of a task lands on the run's branch. */
  | { readonly _tag: "Land"; readonly task: Task; readonly landing: Landing }
  /** A work tree that is needed no more is removed. */
  | { readonly _tag: "Clear"; readonly tree: LeftTree }
  /** The commits of a skipped task are taken back. */
  | { readonly _tag: "Revert"; readonly reverting: NonNullable<Run["reverting"]> }
  /** A person's word is needed (spec: behaviour#answers). */
  | { readonly _tag: "Escalated"; readonly task: Task }
  /** A person holds the run. */
  | { readonly _tag: "Held" }
  /** A person stopped the run. */
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Verify" }
  | { readonly _tag: "Finish" }
  | { readonly _tag: "Done" }

const areDone = (run: Run, { dependsOn }: Task): boolean =>
  dependsOn.every((id) => (taskOf(run, id)?.status ?? "completed") === "completed")
const isReady = (run: Run, task: Task): boolean => task.status === "pending" && areDone(run, task)

/** Returns the task that has begun and is not over: the newest, else the first. */
const atWork = (run: Run): Task | undefined => {
  const all = run.tasks.filter((task) => task.status === "in_progress" && (!task.final || areDone(run, task)))
  return all.find(({ id }) => id === run.current) ?? all[0]
}

/** Returns the tasks of a run that wait for a person. */
export const stuck = ({ tasks }: Pick<Run, "tasks">): ReadonlyArray<Task> =>
  tasks.filter(({ status }) => status === "escalated")

/** Returns the ids of the stuck tasks for which a task cannot begin, as it depends on them, directly or not. */
export const blockers = (run: Run, { dependsOn, status }: Task): ReadonlyArray<string> => {
  if (status !== "pending") return []
  const reached = new Set(dependsOn)
  for (const id of reached) for (const other of taskOf(run, id)?.dependsOn ?? []) reached.add(other)
  return stuck(run).flatMap(({ id }) => (reached.has(id) ? [id] : []))
}

/** How many tasks wait for a person until a run that keeps going waits as well. */
const mostStuck = 3

/** Returns whether a run does not go on before a person answers for a task (spec: behaviour#on-escalation). */
export const isHeldUp = (run: Run): boolean => {
  const waiting = stuck(run)
  if (waiting.length === 0) return false
  const keepsGoing = run.agreed.worktrees === true && (run.agreed.keepsGoing ?? run.chosen?.keepsGoing) === true
  if (!keepsGoing || waiting.length >= mostStuck) return true
  // A task outside of a tree has left its work where the next one begins.
  if (waiting.some(({ begun, tree }) => begun && tree === null)) return true
  return atWork(run) === undefined && !run.tasks.some((task) => isReady(run, task))
}

/** Returns whether a person's word or hand is needed before the run can continue. */
export const needsPerson = (run: Run): boolean =>
  run.paused !== null || isPersons(run.wait?.kind) || isHeldUp(run) || (run.phase === "finished" && !isRunOver(run))

/** Decides what a run does next, by its state alone. */
export const next = (run: Run): Next => {
  const step = due(run)
  if (step._tag === "Await" || step._tag === "Done") return step
  if (run.stop !== null) return { _tag: "Stopped" }
  return run.held === null || step._tag === "Escalated" ? step : { _tag: "Held" }
}

/** Decides what a run would do next if no person held or stopped it. */
export const due = (run: Run): Next => {
  if (run.assignment !== null) return { _tag: "Await", assignment: run.assignment }
  if (run.phase === "finished") return { _tag: "Done" }
  const [escalated] = stuck(run)
  if (escalated !== undefined && isHeldUp(run)) return { _tag: "Escalated", task: escalated }
  if (run.reverting !== null) return { _tag: "Revert", reverting: run.reverting }
  if (run.wait !== null) return { _tag: "Wait", wait: run.wait }
  const useless = run.trees.find(({ kept }) => kept === null)
  if (useless !== undefined) return { _tag: "Clear", tree: useless }
  const running = atWork(run)
  if (running !== undefined) {
    const { gateDigest, implementation, tree } = running
    if (tree?.landing != null) return { _tag: "Land", task: running, landing: tree.landing }
    if (implementation === null) return { _tag: "Ask", role: "implementer", task: running }
    return gateDigest === undefined || implementation.verified
      ? { _tag: "Ask", role: "reviewer", task: running }
      : { _tag: "Gate", task: running, head: implementation.head }
  }
  const ready = run.tasks.find((task) => isReady(run, task))
  const isGated = run.tasks.some(({ gateDigest, status }) => gateDigest !== undefined && status === "pending")
  const isFirst = run.tasks.every(({ begun }) => !begun)
  const { branch: wanted } = run.agreed
  // Where nothing was begun, a final review has nothing to judge.
  if (ready !== undefined && ready.final !== true && isFirst && wanted !== null && run.ownBranch?.begun !== true)
    return { _tag: "Branch", wanted }
  if (ready !== undefined && isGated && isFirst && run.baseline === null) return { _tag: "Baseline" }
  if (ready !== undefined && ready.final !== true && isFirst && run.questions?.asked === false)
    return { _tag: "Question" }
  if (ready !== undefined) return { _tag: "Start", task: ready }
  return run.phase === "completion" ? { _tag: "Finish" } : { _tag: "Verify" }
}
