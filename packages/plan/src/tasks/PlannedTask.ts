/** A document that an agent reads first; the path is relative to the project. */
export interface ReferenceDoc {
  readonly path: string
  readonly description: string
}

/** A program with its arguments, read by no shell. */
export type PlanProgram = readonly [string, ...ReadonlyArray<string>]

/** The programs that judge a commit, in a checkout of its own (spec: behaviour#gate). */
export interface PlanGate {
  /** What makes that checkout ready. */
  readonly setup: ReadonlyArray<PlanProgram>
  readonly verify: readonly [PlanProgram, ...ReadonlyArray<PlanProgram>]
}

/** A task as the plan has it, with its defaults filled in. */
export interface PlannedTask {
  readonly id: string
  readonly title: string
  readonly description: string
  /** As the prompt has it. */
  readonly acceptanceCriteria: string
  /** What the plan asks of each of its tasks; absent: nothing. */
  readonly constraints?: string
  /** The plan's documents, then the task's own. */
  readonly referenceDocs: ReadonlyArray<ReferenceDoc>
  /** Ids of tasks that must be complete before it. */
  readonly dependsOn: ReadonlyArray<string>
  /** Globs of the files that it changes; absent: unknown. */
  readonly touches?: ReadonlyArray<string>
  /** The plan's gate, then the task's own programs; absent: no program judges it. */
  readonly gate?: PlanGate
  /** What makes its work tree ready, where no program judges it. Absent: its gate says that, or nothing does. */
  readonly setup?: ReadonlyArray<PlanProgram>
  /** True if the plan has it as done. When a run takes the plan, that is a person's word. */
  readonly done?: boolean
  /** True if it is the review of all other tasks together, which no implementer begins. */
  readonly final?: true
}
