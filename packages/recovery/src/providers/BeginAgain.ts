import {
  Agent,
  isSessionKnown,
  Launcher,
  neverBegan,
  Settings,
  stallsInARow,
  stepNames,
  type Watch
} from "@souffleur/domain"
import { reportedSession } from "@souffleur/process"
import { Duration, Effect, Option } from "effect"
import type { Provider, StepServices } from "../Provider.ts"
import { NoExport } from "../steps/ExportConversation.ts"
import { launchSuccessor } from "../launch/LaunchSuccessor.ts"
import { stopConductor } from "../steps/StopConductor.ts"

/** Fails with `NoExport` where a session of the watch has begun, or may have begun. Several files may be its own. */
const unlessBegun = Effect.fnUntraced(function* (watch: Watch) {
  const agent = yield* Agent
  const { stallAfter } = yield* Settings
  if ((watch.muteFor ?? Infinity) > stallsInARow * Duration.toMillis(stallAfter ?? agent.stall))
    return yield* new NoExport({ message: "it ran for longer than a first answer takes, and no session file is found" })
  for (const id of [...watch.sessions, ...Option.toArray(yield* reportedSession(watch))]) {
    const missing = yield* Effect.match(agent.sessionFile(id), {
      onFailure: ({ reason }) => reason === "missing",
      onSuccess: () => false
    })
    if (!missing) return yield* new NoExport({ message: `session ${id} has begun` })
  }
})

/** Reads the prompt of the first launch, which no log has. Fails with `NoExport` where it had none, or it is lost. */
const firstPrompt = Effect.fnUntraced(function* ({ firstLaunch }: Watch) {
  const { digest, launchId } = firstLaunch!
  const { prompt } = yield* (yield* Launcher)
    .kept(launchId, digest)
    .pipe(Effect.catchTag("LaunchFailed", ({ message }) => Effect.fail(new NoExport({ message }))))
  return prompt ?? (yield* new NoExport({ message: "its first launch had no prompt" }))
})

/**
 * Makes the first launch once more, of an agent that ended before its first answer (spec: behaviour#begin_again). It
 * gets the same prompt, in the same session where its launch chooses that.
 */
export const beginAgain: Provider<StepServices> = {
  name: stepNames.beginAgain,
  applies: neverBegan,
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    const { sessionOf } = yield* Agent
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "prepare to begin again", launch: stepNames.beginAgain },
      begins: sessionOf === undefined && isSessionKnown(watch.sessionId) ? watch.sessionId : undefined,
      prompt: Effect.andThen(unlessBegun(watch), firstPrompt(watch))
    })
  })
}
