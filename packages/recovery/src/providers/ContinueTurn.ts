import type { Agent, Comms, Launcher, Processes, Settings, Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { launchSuccessor, prepare } from "../Launch.ts"
import { promptToContinue } from "../LaunchPrompt.ts"
import type { Provider } from "../Provider.ts"
import { stop } from "../Salvage.ts"

/** A print-mode Conductor whose turn ended before its work: the same session goes on (spec §2, `TurnEnded`). */
export const continueTurn: Provider<Agent | Comms | Launcher | Processes | Settings> = {
  name: "continue_turn",
  applies: (watch) => watch.recovery?.trigger === "turn-ended",
  recover: Effect.fn("ContinueTurn")(function* (watch: Watch, { alreadyKilled, request }) {
    // The process is gone; what it left running is not.
    if (!alreadyKilled) yield* stop(watch)
    const { baseline, sessionId } = yield* prepare(watch, "prepare to continue", request, Effect.succeed(watch.sessionId))
    const launched = yield* launchSuccessor(watch, "continue", request, {
      session: { _tag: "Resume", sessionId },
      prompt: promptToContinue(watch)
    })
    return { ...launched, sessionId, awaiting: false, exportPath: null, baseline }
  })
}
