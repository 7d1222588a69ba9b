import { Context, Effect } from "effect"
import type { RunRef } from "../run/RunRef.ts"
import type { RefusedWork } from "../run/RunFields.ts"
import { programLine } from "../tasks/PlanGates.ts"
import type { PlanGate, PlanProgram } from "../tasks/PlannedTask.ts"

/** A commit that is to be judged, and by which programs. */
export interface GateOrder {
  readonly gate: PlanGate
  readonly head: string
  readonly ref: RunRef
}

/** A work tree that programs are to make ready. */
export interface SetupOrder {
  readonly folder: string
  readonly programs: ReadonlyArray<PlanProgram>
  readonly ref: RunRef
}

/** UTF-16 units of a program in the log. */
const maxLine = 200

/** Returns a program as the log has it. */
export const loggedProgram = (words: PlanProgram): string => programLine(words).slice(0, maxLine)

/**
 * Judges commits by the programs of a plan, in a checkout of their own. `null`: each ended with 0. By default there is
 * no such checkout.
 */
export const GatePort = Context.Reference<{
  readonly judge: (order: GateOrder) => Effect.Effect<RefusedWork | null>
  /** Makes a work tree ready by programs of a plan, as the checkout of a gate. `null`: each ended with 0. */
  readonly setUp: (order: SetupOrder) => Effect.Effect<RefusedWork | null>
  /** Ends what the programs of a killed conductor left running. */
  readonly end: (ref: RunRef) => Effect.Effect<void>
}>("@souffleur/plan/GatePort", {
  defaultValue: () => ({
    judge: () => Effect.succeed({ program: "git worktree add", code: null, said: "nothing is checked out here" }),
    setUp: () => Effect.succeed(null),
    end: () => Effect.void
  })
})
