import { boundaries, type FaultTable, type Strike } from "./Faults.ts"
import { runBoundaries } from "./runs/RunFaults.ts"
import { simulateRun } from "./runs/RunSimulation.ts"
import { simulate } from "./Simulation.ts"

/** One simulated world, from its beginning to its end. */
export interface Played {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly story: ReadonlyArray<string>
  /** What ended of what is counted, and how much of it while something went wrong besides. */
  readonly cycles: number
  readonly faulted: number
  readonly table: FaultTable
  readonly end: string
}

export interface Play {
  readonly simulate: (seed: number, options?: { readonly story?: boolean }) => Played
  /** What its cycles are. */
  readonly cycles: string
  /** Every effect of its souffleurs on their world. */
  readonly boundaries: ReadonlyArray<string>
  /** A pair that is left out by design. */
  readonly spares: (boundary: string, how: Strike) => boolean
  /** How `pnpm simulate` is asked for it. */
  readonly flag: string
}

/**
 * Between its last look and a signal there is a moment; who is stopped in just that one is not asked again
 * (docs/reliability.md).
 */
const stoppedAtSignal: Play["spares"] = (boundary, how) => how === "paused" && boundary.startsWith("processes.signal")

/** A watch and its recoveries, or a run of a plan and the assignments of its agents. */
export const plays = {
  watches: { simulate, cycles: "recovery cycles", boundaries, spares: () => false, flag: "" },
  runs: {
    simulate: simulateRun,
    cycles: "agents' assignments",
    boundaries: runBoundaries,
    spares: stoppedAtSignal,
    flag: "--runs "
  }
} satisfies Readonly<Record<string, Play>>
