import { Escalated, launchSuccessor, type Provider, type StepServices, stopConductor } from "@souffleur/recovery"
import { Effect, FileSystem } from "effect"

/** Starts a fresh session from the project's own notes. Without notes the next provider is tried. */
export const fromNotes: Provider<StepServices> = {
  name: "from_notes",
  recover: Effect.fn("recover")(function* (watch, { alreadyKilled, request }) {
    const fs = yield* FileSystem.FileSystem
    const notes = `${watch.project}/NOTES.md`
    if (!(yield* Effect.orElseSucceed(fs.exists(notes), () => false)))
      return yield* new Escalated({ stage: "from_notes", message: "the project has no NOTES.md", alreadyKilled })

    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "from_notes: prepare", launch: "from_notes: launch" },
      prompt: Effect.succeed(`Read ${notes}, and go on with what it says is next.`)
    })
  })
}
