import { Escalated, launchSuccessor, type Provider, type StepServices, stopConductor } from "@souffleur/recovery"
import { Effect, FileSystem } from "effect"

/** Brings an agent back with a fresh session, from what it noted of its progress. Without a note the next is tried. */
export const fromProgress: Provider<StepServices> = {
  name: "from_progress",
  recover: Effect.fn("recover")(function* (watch, { alreadyKilled, request }) {
    const notes = `${watch.project}/progress.txt`
    if (
      !(yield* Effect.orElseSucceed(
        FileSystem.FileSystem.use((fs) => fs.exists(notes)),
        () => false
      ))
    )
      return yield* new Escalated({ stage: "from_progress", message: "there is no progress.txt", alreadyKilled })
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "from_progress: prepare", launch: "from_progress: launch" },
      prompt: Effect.succeed(`Read ${notes}, and go on from there.`)
    })
  })
}
