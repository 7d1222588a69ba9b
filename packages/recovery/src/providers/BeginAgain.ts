import {
  Agent,
  hasWorked,
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
import { promptToStartOver } from "../launch/LaunchPrompt.ts"
import { launchSuccessor } from "../launch/LaunchSuccessor.ts"
import { stopConductor } from "../steps/StopConductor.ts"

/** Fails with `NoExport` where a session of the watch has a file, or may have one. Several files may be its own. */
const unlessKept = Effect.fnUntraced(function* (watch: Watch) {
  const agent = yield* Agent
  for (const id of [...watch.sessions, ...Option.toArray(yield* reportedSession(watch))]) {
    const missing = yield* Effect.match(agent.sessionFile(id), {
      onFailure: ({ reason }) => reason === "missing",
      onSuccess: () => false
    })
    if (!missing) return yield* new NoExport({ message: `session ${id} has begun` })
  }
})

/** Fails with `NoExport` where a session of the watch has begun, or may have begun. */
const unlessBegun = Effect.fnUntraced(function* (watch: Watch) {
  const agent = yield* Agent
  const { stallAfter } = yield* Settings
  if ((watch.muteFor ?? Infinity) > stallsInARow * Duration.toMillis(stallAfter ?? agent.stall))
    return yield* new NoExport({ message: "it ran for longer than a first answer takes, and no session file is found" })
  yield* unlessKept(watch)
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

/**
 * Gives a new session the first prompt, where the files of all sessions were swept away (spec: behaviour#start_over).
 * The prompt says that the conversation is lost.
 */
export const startOver: Provider<StepServices> = {
  name: "start_over",
  applies: hasWorked,
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "prepare to start over", launch: "start over" },
      prompt: Effect.andThen(unlessKept(watch), Effect.map(firstPrompt(watch), promptToStartOver))
    })
  })
}
