import { EarlyEnd, type RecoveryCycle, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { promptToContinue } from "../launch/LaunchPrompt.ts"
import { resumeInPlace } from "../steps/ResumableSession.ts"
import type { Provider, StepServices } from "../Provider.ts"
import { stopConductor } from "../steps/StopConductor.ts"

/** The triggers after which the turn of the session is over. */
const ended: ReadonlySet<RecoveryCycle["trigger"]> = new Set(["turn-ended", "limit", ...EarlyEnd.literals])

/**
 * Continues the same session of a Conductor whose turn ended before its work did (spec: behaviour#continue_turn). The
 * turn ended in print mode, by a limit that is over, or too early.
 */
export const continueTurn: Provider<StepServices> = {
  name: "continue_turn",
  applies: ({ handedFrom, recovery }) =>
    handedFrom === undefined && recovery !== undefined && ended.has(recovery.trigger),
  foresee: (watch) => [{ _tag: "Agent", session: "same", prompt: promptToContinue(watch) }],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    // In print mode the process is gone, but not the processes that it left running.
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* resumeInPlace(watch, request, {
      steps: { prepare: "prepare to continue", launch: "continue" },
      prompt: promptToContinue(watch)
    })
  })
}
