import type { LeftTree } from "../tree/TaskTree.ts"
import { type Assignment, isAtWork, isRunOver, type Run, type Task, taskOf } from "../run/Run.ts"
import { isPersons } from "../run/RunFields.ts"
import { mayMeet } from "./MayMeet.ts"

/** Approved work that is to land. */
type Landing = NonNullable<NonNullable<Task["tree"]>["landing"]>

/** A step of a run: all that the loop decides, without the act. */
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
  /** A person must put something right. */
  | { readonly _tag: "Paused" }
  /** A person holds the run. */
  | { readonly _tag: "Held" }
  /** A person stopped the run. */
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Verify" }
  | { readonly _tag: "Finish" }
  | { readonly _tag: "Done" }

const areDone = (run: Run, { dependsOn }: Task): boolean =>
  dependsOn.every((id) => (taskOf(run, id)?.status ?? "completed") === "completed")
const isReady = (run: Run, task: Task): boolean =>
  task.status === "pending" && areDone(run, task) && !isAtWork(run, task.id)

/** Returns the tasks that have begun and are not over, as they were taken up. */
const lanesOf = (run: Run): ReadonlyArray<Task> =>
  run.current.flatMap((id) => {
    const task = taskOf(run, id)
    return task !== undefined && (!task.final || areDone(run, task)) ? [task] : []
  })

/** Returns the tasks of a list that may be at work beside others, and beside each earlier one of the list. */
const together = (beside: ReadonlyArray<Task>, tasks: ReadonlyArray<Task>): ReadonlyArray<Task> =>
  tasks.filter((task, at) => [...beside, ...tasks.slice(0, at)].every((other) => !mayMeet(task, other)))

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
  return lanesOf(run).length === 0 && !run.tasks.some((task) => isReady(run, task))
}

/** Returns whether a person's word or hand is needed before the run can continue. */
export const needsPerson = (run: Run): boolean =>
  run.paused !== null || isPersons(run.wait?.kind) || isHeldUp(run) || (run.phase === "finished" && !isRunOver(run))

/** Returns the next step of a task that has begun and is not over, whatever keeps the run from it. */
const laneStep = (task: Task): Extract<Next, { readonly task: Task }> => {
  const { gateDigest, implementation, tree } = task
  if (tree?.landing != null) return { _tag: "Land", task, landing: tree.landing }
  if (implementation === null) return { _tag: "Ask", role: "implementer", task }
  return gateDigest === undefined || implementation.verified
    ? { _tag: "Ask", role: "reviewer", task }
    : { _tag: "Gate", task, head: implementation.head }
}

/** Returns the step of a task that has no agent at work; `undefined`: it has one, or is not at work. */
export const stepOf = (run: Run, taskId: string): ReturnType<typeof laneStep> | undefined => {
  const task = lanesOf(run).find(({ id }) => id === taskId)
  return task === undefined || isAtWork(run, taskId) ? undefined : laneStep(task)
}

/** Returns how a task begins: the first one after what the run itself begins with. */
const beginning = (run: Run, task: Task): Next => {
  const isGated = run.tasks.some(({ gateDigest, status }) => gateDigest !== undefined && status === "pending")
  const isFirst = run.tasks.every(({ begun }) => !begun)
  const { branch: wanted } = run.agreed
  // Where nothing was begun, a final review has nothing to judge.
  if (task.final !== true && isFirst && wanted !== null && run.ownBranch?.begun !== true)
    return { _tag: "Branch", wanted }
  if (isGated && isFirst && run.baseline === null) return { _tag: "Baseline" }
  return task.final !== true && isFirst && run.questions?.asked === false
    ? { _tag: "Question" }
    : { _tag: "Start", task }
}

/** Returns what a run would begin beside its agents at work, the most urgent first; something where there are none. */
const begins = (run: Run): ReadonlyArray<Next> => {
  const { assignments, phase, reverting, tasks, trees, wait } = run
  const alone = (step: Next) => (assignments.length === 0 ? [step] : [])
  if (phase === "finished") return alone({ _tag: "Done" })
  // What is no task's has the run to itself: the finishing step, and the questions about the plan.
  if (assignments.some(({ taskId }) => taskId === null)) return []
  const [escalated] = stuck(run)
  if (escalated !== undefined && isHeldUp(run)) return alone({ _tag: "Escalated", task: escalated })
  if (reverting !== null) return alone({ _tag: "Revert", reverting })
  if (wait !== null) return [{ _tag: "Wait", wait }]
  const useless = trees.find(({ kept }) => kept === null)
  const [lanes, manned] = [lanesOf(run), tasks.filter(({ id }) => isAtWork(run, id))]
  const isManned = (task: Task) => manned.includes(task)
  const [ready] = together(
    [...manned, ...lanes],
    tasks.filter((task) => isReady(run, task))
  )
  const steps: ReadonlyArray<Next> = [
    ...(useless === undefined ? [] : [{ _tag: "Clear", tree: useless } as const]),
    ...together(
      manned,
      lanes.filter((task) => !isManned(task))
    ).map(laneStep),
    ...(ready === undefined ? [] : [beginning(run, ready)])
  ]
  if (steps.length > 0 || lanes.length > 0) return steps
  return alone(phase === "completion" ? { _tag: "Finish" } : { _tag: "Verify" })
}

/** Returns how many agents a run has at work at once, at most. */
export const parallelOf = ({ agreed, chosen }: Pick<Run, "agreed" | "chosen">): number =>
  agreed.worktrees === true ? Math.max(1, chosen?.parallel ?? agreed.parallel ?? 1) : 1

/** Decides what a run would do now if nothing was paused, and no person held or stopped it: one thing a task. */
export const dueSteps = (run: Run): ReadonlyArray<Next> => {
  const awaits = run.assignments.map((assignment): Next => ({ _tag: "Await", assignment }))
  return [...awaits, ...begins(run).slice(0, Math.max(0, parallelOf(run) - awaits.length))]
}

/** Decides what a run does now, by its state alone. Its agents go on to their ends, whatever keeps it from more. */
export const steps = (run: Run): ReadonlyArray<Next> => {
  const all = dueSteps(run)
  const awaits = all.filter(({ _tag }) => _tag === "Await")
  const first = all[awaits.length]?._tag
  if (first === undefined || first === "Done") return all
  const only = (step: Next) => (awaits.length === 0 ? [step] : awaits)
  if (run.paused !== null) return only({ _tag: "Paused" })
  if (run.stop !== null) return only({ _tag: "Stopped" })
  return run.held === null || first === "Escalated" ? all : only({ _tag: "Held" })
}

/** Returns the first of the things that a run does now. */
export const next = (run: Run): Next => steps(run)[0]!

/** Finds a step by its kind, and by its task where that counts; `undefined`: it is none of these. */
export const stepIn = <T extends Next["_tag"]>(
  among: ReadonlyArray<Next>,
  tag: T,
  taskId?: string
): Extract<Next, { readonly _tag: T }> | undefined =>
  among.find(
    (step): step is Extract<Next, { readonly _tag: T }> =>
      step._tag === tag && (taskId === undefined || ("task" in step && step.task.id === taskId))
  )
