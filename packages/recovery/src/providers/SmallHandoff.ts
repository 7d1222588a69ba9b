import type { Watch } from "@souffleur/domain"
import { Effect, Schema } from "effect"
import { Fingerprint, trimmed, unlessChanged } from "../steps/Fingerprint.ts"
import { launchSuccessor } from "../launch/LaunchSuccessor.ts"
import { promptFromExport } from "../launch/LaunchPrompt.ts"
import { FailedClosed, type Provider, type StepServices } from "../Provider.ts"
import { resumePromptOf } from "../steps/Request.ts"
import { Exported, NoExport, writeExport } from "../steps/ExportConversation.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { again, step } from "../steps/Step.ts"

/** Most characters of a hand-off: a few per cent of any model's window. */
const handoffChars = 40_000

/**
 * Hands on a conversation that no longer fits and cannot be compacted either. A fresh session gets its modified files
 * and its newest words. A rule cuts them, not a model.
 */
export const smallHandoff: Provider<StepServices> = {
  name: "small_handoff",
  // A conversation may be too large to be handed over whole.
  applies: ({ handedFrom, recovery }) => handedFrom !== undefined || recovery?.trigger === "context",
  foresee: (watch, { exported: path }) => [
    { _tag: "Agent", session: "fresh", prompt: promptFromExport(watch, { path }, undefined), reads: path }
  ],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    if (!alreadyKilled) yield* stopConductor(watch)
    const handoff = yield* step("hand-off", {
      outcome: Schema.Struct({ ...Exported.fields, ...Fingerprint.fields }),
      failure: NoExport,
      act: (token) =>
        Effect.gen(function* () {
          const exported = yield* writeExport(watch, token, handoffChars)
          const { bytes, digest } = yield* trimmed(exported.path, handoffChars)
          return { ...exported, bytes, digest }
        }),
      reconcile: again
    }).pipe(Effect.catchTag("NoExport", ({ message }) => Effect.fail(new FailedClosed({ stage: "hand-off", message }))))

    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "prepare a hand-off", launch: "launch from hand-off" },
      from: handoff,
      prompt: resumePromptOf(watch, request).pipe(
        Effect.map((words) => promptFromExport(watch, handoff, words)),
        Effect.tap(() => unlessChanged(handoff.path, handoff))
      )
    })
  })
}
