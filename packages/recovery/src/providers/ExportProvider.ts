import { thresholdInWords, type Watch } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { trimExport, unlessChanged } from "../steps/Fingerprint.ts"
import { unlessUnfit } from "../launch/Launch.ts"
import { launchSuccessor } from "../launch/LaunchSuccessor.ts"
import { promptFromExport } from "../launch/LaunchPrompt.ts"
import { Escalated, type Provider, type StepServices } from "../Provider.ts"
import { resumePromptOf } from "../steps/Request.ts"
import { exportConversation } from "../steps/ExportConversation.ts"
import { estimateExport } from "../steps/Gate.ts"
import { stopConductor } from "../steps/StopConductor.ts"

const escalated = (stage: string) => (error: { readonly message: string }) =>
  Effect.fail(new Escalated({ stage, message: error.message, alreadyKilled: true }))

/** Launches a fresh session that reads the export of the old one. */
const byExport: Omit<Provider<StepServices>, "applies" | "name"> = {
  foresee: (watch, { exported: path }) => [
    { _tag: "Agent", session: "fresh", prompt: promptFromExport(watch, { path }, undefined), reads: path }
  ],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    const fs = yield* FileSystem.FileSystem

    if (!alreadyKilled) yield* stopConductor(watch)
    const exported = yield* exportConversation(watch).pipe(Effect.catchTag("NoExport", escalated("export")))
    const discard = Effect.ignore(fs.remove(exported.path, { force: true }))
    const discarded = (stage: string) => (error: { readonly message: string }) =>
      Effect.andThen(discard, escalated(stage)(error))
    const made = yield* trimExport(watch, exported).pipe(Effect.catchTag("NoExport", discarded("trim")))

    const gate = yield* estimateExport(watch, exported).pipe(Effect.catchTag("NoExport", discarded("estimate")))
    if (gate.estimated_tokens > gate.threshold) {
      const message = `the export is estimated at ${gate.estimated_tokens} tokens (${gate.start_mode}), and the threshold is ${thresholdInWords(gate)}`
      return yield* discarded("gate")({ message })
    }

    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "5 prepare", launch: "6 launch" },
      from: exported,
      prompt: resumePromptOf(watch, request).pipe(
        Effect.map((words) => promptFromExport(watch, exported, words)),
        Effect.tap(() => unlessChanged(exported.path, made))
      )
    }).pipe(Effect.tapErrorTag("Escalated", () => discard))
  })
}

/** Continues in a fresh session of the same agent (spec: behaviour#claude_export). */
export const exportProvider: Provider<StepServices> = {
  ...byExport,
  name: "claude_export",
  // An export that filled its successor without any progress would fill the next one too.
  applies: ({ handedFrom, provider, recovery, retries }) =>
    handedFrom === undefined && (recovery?.trigger !== "context" || provider !== "claude_export" || retries === 0)
}

/** Continues in a session of another agent, which a person chose (spec: behaviour#hand-over). */
export const handover: Provider<StepServices> = {
  ...byExport,
  name: "handover",
  applies: ({ handedFrom }) => handedFrom !== undefined,
  recover: (watch, entry) => Effect.andThen(unlessUnfit(watch, entry.request), byExport.recover(watch, entry))
}
