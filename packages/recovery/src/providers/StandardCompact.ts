import { Agent, compactAttempts, SessionMark, type Watch } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { awaitBoundary, compactedAs, CompactedTo, CompactFailed, retriedOnce } from "../steps/CompactSession.ts"
import { launch, settled } from "../launch/Launch.ts"
import { launchSuccessor } from "../launch/LaunchSuccessor.ts"
import { unhindered } from "../launch/LaunchHindrance.ts"
import { promptAfterCompaction } from "../launch/LaunchPrompt.ts"
import { FailedClosed, type Provider, type StepServices } from "../Provider.ts"
import { type Request, resumePromptOf } from "../steps/Request.ts"
import { conductorTree } from "../steps/EndConductor.ts"
import { newestSession } from "../steps/ExportConversation.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { again, step, stillGranted } from "../steps/Step.ts"

const closed = (stage: string) => (error: { readonly message: string }) =>
  Effect.fail(new FailedClosed({ stage, message: error.message }))

/** Says that a conversation is lost, and the way on. The program that keeps the sessions of an agent may sweep them. */
const lost = (message: string): string =>
  `${message}: its conversation is lost. "souffleur release" ends this watch, and the same command begins anew`

interface Attempt {
  readonly compactPrompt: string
  readonly sessionId: string
  readonly mark: SessionMark
  readonly request: Request
}

/** Waits for the boundary of a launch that compacts, and ends that with its tree, as the tree of a Conductor. */
const boundaryOf = (
  watch: Watch,
  mark: SessionMark,
  { conductor, launchId }: Effect.Success<ReturnType<typeof launch>>
) =>
  awaitBoundary(
    mark,
    conductor,
    (seen) => conductorTree({ ...watch, conductor, launched: conductor, launchId }, conductor, seen),
    stillGranted(watch)
  )

const attempt = (watch: Watch, name: string, { compactPrompt, mark, request, sessionId }: Attempt) =>
  step(name, {
    outcome: CompactedTo,
    failure: CompactFailed,
    act: Effect.fnUntraced(function* (token) {
      // A boundary that came after the last attempt's last look counts for this attempt.
      const agent = yield* Agent
      const before = yield* agent.compactedSince(mark)
      if (before !== "not yet") return yield* compactedAs(before)
      const errand = {
        session: { _tag: "Resume" as const, sessionId },
        prompt: () => compactPrompt,
        title: `Compact (S${watch.generation})`
      }
      const launched = yield* launch(watch, token, request, Effect.as(unhindered(watch), errand)).pipe(
        Effect.catchTag("LaunchFailed", ({ message }) => Effect.fail(new CompactFailed({ message, gone: true })))
      )
      return yield* boundaryOf(watch, mark, launched)
    }),
    reconcile: Effect.fnUntraced(
      function* (token) {
        const ran = yield* settled(token)
        return Option.isNone(ran) ? Option.none() : Option.some(yield* boundaryOf(watch, mark, ran.value))
      },
      Effect.catchTag("LaunchFailed", ({ message }) => Effect.fail(new CompactFailed({ message, gone: false })))
    )
  })

/**
 * Compacts the session in place and resumes it (spec: behaviour#standard_compact). A second failure fails closed: there
 * is no way back to an export.
 */
export const standardCompact: Provider<StepServices> = {
  name: "standard_compact",
  // A conversation that no longer fits cannot be sent to be compacted either.
  applies: ({ handedFrom, recovery }) => handedFrom === undefined && recovery?.trigger !== "context",
  foresee: (watch, { compactPrompt }) =>
    compactPrompt === null
      ? []
      : [
          { _tag: "Agent", session: "same", prompt: compactPrompt },
          { _tag: "Agent", session: "same", prompt: promptAfterCompaction(watch, undefined) }
        ],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    const agent = yield* Agent
    const { compactPrompt } = agent
    if (compactPrompt === null) {
      const message = yield* Effect.match(agent.sessionFile(yield* newestSession(watch)), {
        onFailure: ({ message, reason }) => (reason === "missing" ? lost(message) : message),
        onSuccess: () => "a session of this agent cannot be told to compact"
      })
      return yield* new FailedClosed({ stage: "compact", message })
    }

    if (!alreadyKilled) yield* stopConductor(watch)
    const session = yield* newestSession(watch)
    const mark = yield* step("mark", {
      outcome: SessionMark,
      failure: CompactFailed,
      act: () =>
        agent
          .mark(session)
          .pipe(
            Effect.catchTag("SessionNotFound", ({ message, reason }) =>
              Effect.fail(new CompactFailed({ message: reason === "missing" ? lost(message) : message, gone: true }))
            )
          ),
      reconcile: again
    }).pipe(Effect.catchTag("CompactFailed", closed("mark")))

    yield* retriedOnce((number) =>
      attempt(watch, compactAttempts[number]!, { compactPrompt, sessionId: session, mark, request })
    ).pipe(Effect.catchTag("CompactFailed", closed("compact")))

    return yield* launchSuccessor(watch, request, {
      steps: { prepare: "prepare to resume", launch: "resume" },
      resumes: session,
      prompt: Effect.map(resumePromptOf(watch, request), (words) => promptAfterCompaction(watch, words))
    })
  })
}
