import { boundaries, type Strike } from "./Faults.ts"
import type { Played } from "./Played.ts"
import { runBoundaries } from "./runs/RunFaults.ts"
import { simulateRun } from "./runs/RunSimulation.ts"
import { simulate } from "./Simulation.ts"

export interface Play {
  readonly simulate: (seed: number, options?: { readonly story?: boolean }) => Played
  /** The name of its cycles. */
  readonly cycles: string
  /** Every effect of its souffleurs on their world. */
  readonly boundaries: ReadonlyArray<string>
  /** Says whether a pair is left out by design. */
  readonly spares: (boundary: string, how: Strike) => boolean
  /** The flag by which `pnpm simulate` is asked for it. */
  readonly flag: string
}

/**
 * Says whether the stop is just before a signal. There is a moment between the last look and a signal. A souffleur that
 * is stopped in that moment does not look again (docs/reliability.md).
 */
const stoppedAtSignal: Play["spares"] = (boundary, how) => how === "paused" && boundary.startsWith("processes.signal")

/** The plays: a watch and its recoveries, or a run of a plan and the assignments of its agents. */
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
