import { ProgramFailed, runCheck } from "@souffleur/process"
import { Context, Effect, Layer } from "effect"
import type { ChildProcessSpawner } from "effect/process"

/** What the user's program says of the work: its exit code (`null`: a signal ended it), and the end of its output. */
export interface CheckedWork {
  readonly code: number | null
  readonly said: string
}

/** The program of the user that says whether the work is done (`UNTIL`). By default it cannot be run. */
export const WorkCheck = Context.Reference<{ readonly ask: Effect.Effect<CheckedWork, ProgramFailed> }>(
  "@souffleur/recovery/WorkCheck",
  { defaultValue: () => ({ ask: Effect.fail(new ProgramFailed({ message: "none can be run here", ran: false })) }) }
)

/** Provides `UNTIL` of a watch: its words, its folder and its whole environment. */
export const layerWorkCheck = (check: Omit<Parameters<typeof runCheck>[0], "within">) =>
  Layer.effect(
    WorkCheck,
    Effect.map(Effect.context<ChildProcessSpawner.ChildProcessSpawner>(), (services) => ({
      ask: Effect.provide(runCheck({ ...check, within: "30 minutes" }), services)
    }))
  )
