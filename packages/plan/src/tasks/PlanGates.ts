import { Equal, Schema } from "effect"
import { shellWord } from "../Invocation.ts"
import type { PlanGate, PlanProgram } from "./PlannedTask.ts"

/** An argument of a program, which cannot have a NUL. */
const Word = Schema.String.check(Schema.isPattern(/^[^\0]+$/u, { message: "must be text, not empty, without a NUL" }))
/** A program of a plan's source. */
export const ProgramSource = Schema.NonEmptyArray(Word)
/** One program, or several in their order. */
export const ProgramsSource = Schema.Union([ProgramSource, Schema.NonEmptyArray(ProgramSource)])

const isProgram = Schema.is(ProgramSource)
/** Returns the programs of a source in their order. */
export const programsOf = (programs: typeof ProgramsSource.Type | undefined): ReadonlyArray<PlanProgram> =>
  programs === undefined ? [] : isProgram(programs) ? [programs] : programs

/** The part of a plan that has its gates. */
export interface Gated {
  readonly tasks: ReadonlyArray<{ readonly gate?: PlanGate; readonly setup?: ReadonlyArray<PlanProgram> }>
}

const once = (programs: ReadonlyArray<PlanProgram>) => [
  ...new Map(programs.map((words) => [JSON.stringify(words), words])).values()
]

/** Returns the gates of a plan's tasks as one, with each program once; `undefined`: no task has any. */
export const gateOfPlan = ({ tasks }: Gated): PlanGate | undefined => {
  const gates = tasks.flatMap(({ gate }) => gate ?? [])
  const [first, ...others] = once(gates.flatMap(({ verify }) => verify))
  return first === undefined
    ? undefined
    : { setup: once(gates.flatMap(({ setup }) => setup)), verify: [first, ...others] }
}

/**
 * Returns what judges the commit before the first task: the programs that all tasks share, since those of one task
 * cannot be content before it. `undefined`: there are none.
 */
export const baselineGate = ({ tasks }: Gated): PlanGate | undefined => {
  const { setup = [], verify = [] } = tasks[0]?.gate ?? {}
  const [first, ...others] = verify.filter((words) =>
    tasks.every(({ gate }) => gate?.verify.some((one) => Equal.equals(one, words)) === true)
  )
  return first === undefined ? undefined : { setup, verify: [first, ...others] }
}

/** Returns a program as one line. */
export const programLine = (words: PlanProgram): string => words.map(shellWord).join(" ")

/** Returns the programs of a plan's gates and work trees, each as a line, in the order in which they run. */
export const programLines = (plan: Gated): ReadonlyArray<string> => {
  const { setup = [], verify = [] } = gateOfPlan(plan) ?? {}
  const alone = plan.tasks.flatMap((task) => task.setup ?? [])
  return [...once([...setup, ...alone]), ...verify].map(programLine)
}
