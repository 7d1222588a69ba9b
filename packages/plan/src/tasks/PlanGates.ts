import { Equal } from "effect"
import { shellWord } from "../Invocation.ts"
import type { PlanGate, PlannedTask, PlanProgram } from "./PlannedTask.ts"

/** The tasks of a plan. */
type Tasks = { readonly tasks: ReadonlyArray<PlannedTask> }

/** Returns the gates of a plan's tasks as one, with each program once; `undefined`: no task has any. */
export const gateOfPlan = ({ tasks }: Tasks): PlanGate | undefined => {
  const once = (programs: ReadonlyArray<PlanProgram>) => [
    ...new Map(programs.map((words) => [JSON.stringify(words), words])).values()
  ]
  const gates = tasks.flatMap(({ gate }) => gate ?? [])
  const [first, ...others] = once(gates.flatMap(({ verify }) => verify))
  return first === undefined
    ? undefined
    : { setup: once(gates.flatMap(({ setup }) => setup)), verify: [first, ...others] }
}

/**
 * Returns what judges the commit before the first task: the programs that all gates share, since those of one task
 * cannot be content before it. `undefined`: there are none.
 */
export const baselineGate = ({ tasks }: Tasks): PlanGate | undefined => {
  const gates = tasks.flatMap(({ gate }) => gate ?? [])
  const [first, ...others] = (gates[0]?.verify ?? []).filter((words) =>
    gates.every(({ verify }) => verify.some((one) => Equal.equals(one, words)))
  )
  return first === undefined ? undefined : { setup: gates[0]!.setup, verify: [first, ...others] }
}

/** Returns the programs of a plan's gates, each as a line, in the order in which they run. */
export const programLines = (plan: Tasks): ReadonlyArray<string> => {
  const gate = gateOfPlan(plan)
  return gate === undefined ? [] : [...gate.setup, ...gate.verify].map((words) => words.map(shellWord).join(" "))
}
