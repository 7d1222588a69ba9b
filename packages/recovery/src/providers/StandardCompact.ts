import {
  Agent,
  type Comms,
  compactAttempts,
  type Launcher,
  type ProcessIdentity,
  Processes,
  SessionMark,
  Settings,
  type Watch
} from "@souffleur/domain"
import { Effect, Option, Ref, Schema } from "effect"
import { unlessComplete } from "../Completion.ts"
import { launch, launchSuccessor, oneWriter, prepare, settled } from "../Launch.ts"
import { promptAfterCompaction } from "../LaunchPrompt.ts"
import { FailedClosed, type Provider } from "../Provider.ts"
import { boundaryPoll, compactOnceMore } from "../RecoverySchedule.ts"
import { type Request, resumePromptOf } from "../Request.ts"
import { stop } from "../Salvage.ts"
import { again, Cycle, step, stillGranted } from "../Step.ts"
import { end } from "../Stop.ts"

/** No new boundary came of an attempt; its session is proven gone, or it is not (then no second one may follow). */
export class CompactFailed extends Schema.TaggedError<CompactFailed>()("CompactFailed", {
  why: Schema.String,
  gone: Schema.Boolean
}) {}

const closed = (stage: string) => (error: { readonly why: string }) => Effect.fail(new FailedClosed({ stage, reason: error.why }))

/**
 * Waits for a whole new boundary line: that alone is completion. In print mode the session ends by itself, in a terminal it
 * idles; either way it is stopped, and proven gone, before anything else runs (spec §2, `standard_compact` 3 to 5).
 */
const boundary = Effect.fn("StandardCompact.boundary")(function* (watch: Watch, mark: SessionMark, session: ProcessIdentity) {
  const [agent, processes, settings] = [yield* Agent, yield* Processes, yield* Settings]
  const look = Effect.gen(function* () {
    const condition = yield* processes.condition(session)
    const compacted = yield* agent.compactedSince(mark)
    return { compacted, over: compacted || condition === "gone" || condition === "zombie" }
  })
  const waited = yield* Effect.repeat(look, { schedule: boundaryPoll(settings.compactPollInterval), until: ({ over }) => over }).pipe(
    Effect.timeoutOption(settings.compactTimeout)
  )
  const ended = yield* end(session, settings.stopGrace, Effect.provideService(stillGranted(watch), Cycle, yield* Cycle)).pipe(
    Effect.catchTag("StopFailed", () => Effect.succeed(undefined))
  )
  if (ended === undefined) return yield* new CompactFailed({ why: `the compact session, process ${session.pid}, did not end`, gone: false })
  // One last look: it may have been written while the session ended.
  if (yield* agent.compactedSince(mark)) return { compacted: true as const }
  return yield* new CompactFailed({
    why: Option.isSome(waited) ? "the compact session ended without a boundary" : "no boundary came in time",
    gone: true
  })
})

const attempt = (watch: Watch, name: string, mark: SessionMark, request: Request) =>
  step(name, {
    outcome: Schema.Struct({ compacted: Schema.Literal(true) }),
    failure: CompactFailed,
    act: Effect.fnUntraced(function* (token) {
      // A boundary that landed after the last attempt's last look is as good as one of this attempt.
      if (yield* (yield* Agent).compactedSince(mark)) return { compacted: true as const }
      const { conductor } = yield* launch(watch, token, request, {
        session: { _tag: "Resume", sessionId: watch.sessionId },
        prompt: "/compact",
        title: `Compact (S${watch.generation})`
      }).pipe(Effect.catchTag("LaunchFailed", ({ why }) => Effect.fail(new CompactFailed({ why, gone: true }))))
      return yield* boundary(watch, mark, conductor)
    }),
    reconcile: Effect.fnUntraced(
      function* (token) {
        const ran = yield* settled(token)
        return Option.isNone(ran) ? Option.none() : Option.some(yield* boundary(watch, mark, ran.value.conductor))
      },
      Effect.catchTag("LaunchFailed", ({ why }) => Effect.fail(new CompactFailed({ why, gone: false })))
    )
  })

/** The session is compacted in place and resumed (spec §2, `standard_compact`). Retried once, then closed: never back to an export. */
export const standardCompact: Provider<Agent | Comms | Launcher | Processes | Settings> = {
  name: "standard_compact",
  recover: Effect.fn("StandardCompact")(function* (watch: Watch, { alreadyKilled, request }) {
    const agent = yield* Agent

    if (!alreadyKilled) yield* stop(watch)
    const mark = yield* step("mark", {
      outcome: SessionMark,
      failure: CompactFailed,
      act: () =>
        agent
          .mark(watch.sessionId)
          .pipe(Effect.catchTag("SessionNotFound", ({ why }) => Effect.fail(new CompactFailed({ why, gone: true })))),
      reconcile: again
    }).pipe(Effect.catchTag("CompactFailed", closed("mark")))

    const attempts = yield* Ref.make(0)
    yield* Effect.gen(function* () {
      yield* unlessComplete
      yield* oneWriter(watch)
      const name = compactAttempts[yield* Ref.getAndUpdate(attempts, (n) => n + 1)]!
      return yield* attempt(watch, name, mark, request)
    }).pipe(
      Effect.retry({ schedule: compactOnceMore, while: (error) => error._tag === "CompactFailed" && error.gone }),
      Effect.catchTag("CompactFailed", closed("compact"))
    )

    yield* unlessComplete
    yield* oneWriter(watch)
    const { baseline, sessionId } = yield* prepare(watch, "prepare to resume", Effect.succeed(watch.sessionId))
    const launched = yield* launchSuccessor(watch, "resume", request, {
      session: { _tag: "Resume", sessionId },
      prompt: promptAfterCompaction(watch, yield* resumePromptOf(watch, request))
    })
    return { ...launched, sessionId, awaiting: false, exportPath: null, baseline }
  })
}
