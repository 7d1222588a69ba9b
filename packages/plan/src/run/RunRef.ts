import type { AggregateRef, LogError, Refused } from "@souffleur/eventlog"
import type { Effect } from "effect"
import type { Run } from "./Run.ts"
import type { RunIntent } from "./RunIntent.ts"

/** One run, as its conductor sees it. */
export interface RunRef extends AggregateRef<Run, RunIntent> {
  /**
   * Guards an act that cannot be taken back. Fails with `Refused` unless this conductor owns the run still, and `so` is
   * true of it (spec: behaviour#one-owner).
   */
  readonly granted: (so: (run: Run) => boolean) => Effect.Effect<void, Refused | LogError>
}
