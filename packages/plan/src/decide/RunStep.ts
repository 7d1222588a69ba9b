import { type Assignment, type Run, type Task, taskOf } from "../run/Run.ts"

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
  const escalated = run.tasks.find(({ status }) => status === "escalated")
  if (escalated !== undefined) return { _tag: "Escalated", task: escalated }
  if (run.reverting !== null) return { _tag: "Revert", reverting: run.reverting }
  if (run.wait !== null) return { _tag: "Wait", wait: run.wait }
  const running = run.tasks.find((task) => task.status === "in_progress" && (!task.final || areDone(run, task)))
  if (running !== undefined) {
    const { gateDigest, implementation } = running
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
