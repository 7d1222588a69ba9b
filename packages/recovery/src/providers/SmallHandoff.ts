import { Agent, type Comms, Export, type Launcher, type Processes, Settings, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Path } from "effect"
import { launchSuccessor, prepare } from "../Launch.ts"
import { promptFromExport } from "../LaunchPrompt.ts"
import { FailedClosed, type Provider } from "../Provider.ts"
import { resumePromptOf } from "../Request.ts"
import { NoExport, stop } from "../Salvage.ts"
import { freshSessionId } from "../SessionId.ts"
import { again, Cycle, step } from "../Step.ts"
import { trim } from "../Trim.ts"

/** Characters of a hand-off: a few per cent of any model's window. */
const handoffChars = 40_000

/**
 * The rung below compaction, for a conversation that no longer fits and cannot be compacted either: the files it modified and
 * its newest words, cut by rule and by no model, into a fresh session.
 */
export const smallHandoff: Provider<Agent | Comms | FileSystem.FileSystem | Launcher | Path.Path | Processes | Settings> = {
  name: "small_handoff",
  applies: (watch) => watch.recovery?.trigger === "context",
  recover: Effect.fn("SmallHandoff")(function* (watch: Watch, { alreadyKilled, request }) {
    const [agent, fs, path, settings, { watch: ref }] = [
      yield* Agent,
      yield* FileSystem.FileSystem,
      yield* Path.Path,
      yield* Settings,
      yield* Cycle
    ]
    if (!alreadyKilled) yield* stop(watch)
    const handoff = yield* step("hand-off", {
      outcome: Export,
      failure: NoExport,
      act: Effect.fnUntraced(
        function* (token) {
          const folder = path.join(settings.stateDir, "exports")
          yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
          const exported = yield* agent.exportSession(watch.sessionId, path.join(folder, `${ref.id}-${token}.md`))
          const { bytesAfter } = yield* trim(exported.path, handoffChars)
          return { ...exported, bytes: bytesAfter }
        },
        Effect.mapError((error) => new NoExport({ why: error._tag === "PlatformError" ? error.message : error.why }))
      ),
      reconcile: again
    }).pipe(Effect.catchTag("NoExport", ({ why }) => Effect.fail(new FailedClosed({ stage: "hand-off", reason: why }))))

    const { baseline, sessionId } = yield* prepare(watch, "prepare a hand-off", request, freshSessionId)
    const launched = yield* launchSuccessor(watch, "launch from hand-off", request, {
      session: { _tag: "Fresh", sessionId },
      reads: handoff.path,
      prompt: promptFromExport(watch, handoff.path, yield* resumePromptOf(watch, request))
    })
    return { ...launched, sessionId, awaiting: watch.comms !== null, exportPath: handoff.path, baseline }
  })
}
