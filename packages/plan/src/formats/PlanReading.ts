/** A task as a reader understood it. Its keys are those of a plan's own file. */
export interface ReadTask {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly acceptance_criteria: ReadonlyArray<string>
  readonly depends_on?: ReadonlyArray<string>
  readonly touches?: ReadonlyArray<string>
  readonly verify?: ReadonlyArray<ReadonlyArray<string>>
  readonly done?: true
}

/** What a reader understood of a plan in the form of another tool. */
export interface PlanReading {
  /** The form, in words for a person. */
  readonly form: string
  /** The choice of a person that this form takes; absent: none. */
  readonly takes?: "each" | "tag"
  readonly source: {
    readonly workflow_id?: string
    readonly constraints?: string
    readonly reference_docs?: ReadonlyArray<string>
    readonly verify?: ReadonlyArray<ReadonlyArray<string>>
    readonly tasks: ReadonlyArray<ReadTask>
  }
  /** The line of each task; empty: its file has no lines. */
  readonly lines: ReadonlyArray<number>
  /** What is no task of the run, and why. */
  readonly leftOut: ReadonlyArray<string>
}

/** The form of plans of superpowers and of ralphex. */
export const taskForm = "a task below each heading “Task N”, as superpowers and ralphex write them"

/** What a task without criteria of its own must fulfil. */
export const asDescribed = ["What the description asks for is there, and tested"] as const

/** Makes tasks wait for the one before. */
export const oneByOne = (tasks: ReadonlyArray<ReadTask>): ReadonlyArray<ReadTask> =>
  tasks.map((task, at) => {
    const before = tasks[at - 1]
    // An id that is there twice is a problem of its own.
    return before === undefined || before.id === task.id ? task : { ...task, depends_on: [before.id] }
  })
