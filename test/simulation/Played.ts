import type { FaultTable } from "./Faults.ts"

/** The result of one simulated world, from its beginning to its end. */
export interface Played {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly story: ReadonlyArray<string>
  /** The number of counted cycles that ended, and how many of them saw something go wrong besides. */
  readonly cycles: number
  readonly faulted: number
  readonly table: FaultTable
  readonly end: string
}
