import {
  type Agent,
  type Comms,
  EarlyEnd,
  type Hooks,
  type Launcher,
  type Processes,
  type RecoveryCycle,
  type Settings,
  type Watch
} from "@souffleur/domain"
import type { Offspring } from "@souffleur/eventlog"
import { Effect } from "effect"
import { launchSuccessor } from "../steps/Launch.ts"
import { promptToContinue } from "../steps/LaunchPrompt.ts"
import type { Provider } from "../Provider.ts"
import { stopConductor } from "../steps/StopConductor.ts"

/** The triggers after which the session itself is whole, and its turn is over. */
const ended: ReadonlySet<RecoveryCycle["trigger"]> = new Set(["turn-ended", "limit", ...EarlyEnd.literals])

/**
 * Continues the same session of a Conductor whose turn ended before its work did (spec: behaviour#continue_turn). The
 * turn ended in print mode, by a limit that is over, or too early.
 */
export const continueTurn: Provider<Agent | Comms | Hooks | Launcher | Offspring | Processes | Settings> = {
  name: "continue_turn",
  applies: ({ recovery }) => recovery !== undefined && ended.has(recovery.trigger),
  foresee: (watch) => [{ _tag: "Agent", session: "same", prompt: promptToContinue(watch) }],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    // In print mode the process is gone, but not the processes that it left running.
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "prepare to continue", launch: "continue" },
      resumes: watch.sessionId,
      prompt: Effect.succeed(promptToContinue(watch))
    })
  })
}
