import { freshSessionId } from "@souffleur/domain"
import type { Agent, Comms, Hooks, Launcher, Offspring, Processes, Settings, Watch } from "@souffleur/domain"
import { Effect, type FileSystem, type Path } from "effect"
import { launchSuccessor, prepare } from "../Launch.ts"
import { promptFromExport } from "../LaunchPrompt.ts"
import { FailedClosed, type Provider } from "../Provider.ts"
import { resumePromptOf } from "../Request.ts"
import { Exported, NoExport, stop, writeExport } from "../Salvage.ts"
import { again, step } from "../Step.ts"
import { trim } from "../Trim.ts"

/** Characters of a hand-off: a few per cent of any model's window. */
const handoffChars = 40_000

/**
 * The rung below compaction, for a conversation that no longer fits and cannot be compacted either: the files it modified and
 * its newest words, cut by rule and by no model, into a fresh session.
 */
export const smallHandoff: Provider<
  Agent | Comms | FileSystem.FileSystem | Hooks | Launcher | Offspring | Path.Path | Processes | Settings
> = {
  name: "small_handoff",
  applies: (watch) => watch.recovery?.trigger === "context",
  recover: Effect.fn("SmallHandoff")(function* (watch: Watch, { alreadyKilled, request }) {
    if (!alreadyKilled) yield* stop(watch)
    const handoff = yield* step("hand-off", {
      outcome: Exported,
      failure: NoExport,
      act: (token) =>
        Effect.gen(function* () {
          const exported = yield* writeExport(watch, token)
          const { bytesAfter } = yield* Effect.mapError(trim(exported.path, handoffChars), ({ why }) => new NoExport({ why }))
          return { ...exported, bytes: bytesAfter }
        }),
      reconcile: again
    }).pipe(Effect.catchTag("NoExport", ({ why }) => Effect.fail(new FailedClosed({ stage: "hand-off", reason: why }))))

    const { baseline, sessionId } = yield* prepare(watch, "prepare a hand-off", request, freshSessionId)
    const launched = yield* launchSuccessor(watch, "launch from hand-off", request, {
      session: { _tag: "Fresh", sessionId },
      from: handoff,
      prompt: Effect.map(resumePromptOf(watch, request), (words) => promptFromExport(watch, handoff, words))
    })
    return { ...launched, sessionId, awaiting: watch.comms !== null, exportPath: handoff.path, baseline }
  })
}
