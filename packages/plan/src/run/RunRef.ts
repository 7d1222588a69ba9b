import type { AggregateRef, LogError, Refused } from "@souffleur/eventlog"
import type { Effect } from "effect"
import type { Run } from "./Run.ts"
import type { RunIntent } from "./RunIntent.ts"

/** One run as whoever conducts it sees it. */
export interface RunRef extends AggregateRef<Run, RunIntent> {
  /**
   * Right before an act that cannot be taken back: fails unless this conductor owns the run still, and `so` is true of
   * it (spec: behaviour#one-owner).
   */
  readonly granted: (so: (run: Run) => boolean) => Effect.Effect<void, Refused | LogError>
}
