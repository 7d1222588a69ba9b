import { Agent, clamp, Comms, Launcher, LaunchFailed, ProcessIdentity, type Processes, Settings, type Watch } from "@souffleur/domain"
import { Effect, FileSystem, Option, type Path, Schema } from "effect"
import { unlessComplete } from "../Completion.ts"
import { estimate, Estimate } from "../Estimate.ts"
import { promptFromExport } from "../LaunchPrompt.ts"
import { Escalated, FailedClosed, type Provider } from "../Provider.ts"
import { exportConversation, NoExport, stop, trimExport } from "../Salvage.ts"
import { freshSessionId } from "../SessionId.ts"
import { again, Cycle, step } from "../Step.ts"
import { otherWriter } from "../Stop.ts"

const escalated = (stage: string) => (error: { readonly why: string }) =>
  Effect.fail(new Escalated({ stage, reason: error.why, alreadyKilled: true }))

/** What the launch is made of, fixed before it: a crash must not give the successor another id, or another measure of progress. */
const Preparation = Schema.Struct({
  sessionId: Schema.String,
  taskCount: Schema.Int,
  taskFingerprint: Schema.String,
  conductorState: Schema.NullOr(Schema.String),
  lastMessageId: Schema.Int
})

const Launched = Schema.Struct({ launchId: Schema.String, conductor: ProcessIdentity })

/** A fresh session that reads the export of the old one (spec §2, `claude_export`). */
export const claudeExport: Provider<Agent | Comms | FileSystem.FileSystem | Launcher | Path.Path | Processes | Settings> = {
  name: "claude_export",
  recover: Effect.fn("ClaudeExport")(function* (watch: Watch, { alreadyKilled }) {
    const [agent, comms, fs] = [yield* Agent, yield* Comms, yield* FileSystem.FileSystem]
    const [launcher, settings] = [yield* Launcher, yield* Settings]
    const { number: cycle, watch: ref } = yield* Cycle

    if (!alreadyKilled) yield* stop(watch)
    const exported = yield* exportConversation(watch).pipe(Effect.catchTag("NoExport", escalated("export")))
    const discarded = (stage: string) => (error: { readonly why: string }) =>
      Effect.andThen(Effect.ignore(fs.remove(exported.path, { force: true })), escalated(stage)(error))
    yield* trimExport(exported).pipe(Effect.catchTag("NoExport", discarded("trim")))

    const gate = yield* step("4 estimate", {
      outcome: Schema.Struct({ ...Estimate.fields, threshold: Schema.Int }),
      failure: NoExport,
      act: () =>
        estimate(exported.path).pipe(
          Effect.map((found) => ({ ...found, threshold: settings.forceCompactThresholdTokens })),
          Effect.mapError((error) => new NoExport({ why: error.why }))
        ),
      reconcile: again
    }).pipe(Effect.catchTag("NoExport", discarded("estimate")))
    if (gate.estimated_tokens > gate.threshold) {
      const why = `the export is estimated at ${gate.estimated_tokens} tokens, over the threshold of ${gate.threshold}`
      return yield* discarded("gate")({ why })
    }

    yield* unlessComplete
    const writer = yield* otherWriter(watch)
    if (writer !== undefined) return yield* new FailedClosed({ stage: "one writer", reason: writer })

    const { sessionId, ...baseline } = yield* step("5 prepare", {
      outcome: Preparation,
      failure: Schema.Never,
      act: Effect.fnUntraced(function* () {
        const sessionId = yield* freshSessionId
        const seen = Option.getOrUndefined(yield* Effect.option(comms.snapshot))
        // Unread, the row may still hold the request of the generation before: it must be seen to change before it counts.
        if (seen === undefined) return { ...watch.baseline, conductorState: "context_recovery", sessionId }
        const { lastMessageId, taskCount, taskFingerprint } = seen
        const conductorState = Option.match(seen.conductor, { onNone: () => null, onSome: ({ state }) => state })
        return { sessionId, taskCount, taskFingerprint, conductorState, lastMessageId }
      }),
      reconcile: again
    })

    const requested = "acceptEdits"
    const { effective } = clamp(requested, settings.maxExternalPermission)
    const launchIdOf = (token: string) => `${ref.id}-${token}`
    const launched = yield* step("6 launch", {
      outcome: Launched,
      failure: LaunchFailed,
      act: Effect.fnUntraced(
        function* (token) {
          const launchId = launchIdOf(token)
          const command = yield* agent.command({
            session: { _tag: "Fresh", sessionId },
            permission: effective,
            prompt: promptFromExport(watch, exported.path, watch.recovery!.trigger),
            print: launcher.terminal === "headless"
          })
          const digest = yield* launcher.prepare({
            id: launchId,
            command,
            cwd: watch.project,
            title: `Conductor (S${watch.generation + 1})`
          })
          yield* ref.tell({ _tag: "PrepareLaunch", cycle, launchId, digest, sessionId, requested, effective })
          return { launchId, conductor: yield* launcher.launch(launchId) }
        },
        Effect.catchTag("AgentNotFound", ({ program, why }) => Effect.fail(new LaunchFailed({ why: `${program}: ${why}` })))
      ),
      reconcile: (token) =>
        Effect.map(launcher.settle(launchIdOf(token)), (taken) =>
          Option.map(taken, (conductor) => ({ launchId: launchIdOf(token), conductor }))
        )
    }).pipe(Effect.catchTag("LaunchFailed", (error) => Effect.fail(new FailedClosed({ stage: "launch", reason: error.why }))))

    return { ...launched, sessionId, awaiting: watch.comms !== null, export: exported, baseline }
  })
}
