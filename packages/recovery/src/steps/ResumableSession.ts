import { Agent, SessionMark, Settings, stepNames, unresumable, type Watch, withoutWindow } from "@souffleur/domain"
import { launchOutput } from "@souffleur/process"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { Escalated } from "../Provider.ts"
import { unlessStale } from "./ExportConversation.ts"
import { launchSuccessor, type SuccessorOrder } from "../launch/LaunchSuccessor.ts"
import type { Request } from "./Request.ts"
import { again, step } from "./Step.ts"

/** Says why the session is not resumed in place in this cycle. */
export class NotResumable extends Schema.TaggedError<NotResumable>()("NotResumable", { message: Schema.String }) {}

/** A session that can be resumed: the end of its file, and the tokens in use. `null`: they are not known. */
const Resumable = Schema.Struct({ mark: SessionMark, contextTokens: Schema.NullOr(Schema.Int) })

const sameMark = Schema.toEquivalence(SessionMark)
/** Time without a write after which a session file is quiet. */
const quietTime = Duration.seconds(1)
/** Most looks at a file that is still written. */
const maxLooks = 5

/**
 * Waits until no process writes the session file any more. A file that is quiet already is not waited for. Fails with
 * `NotResumable`.
 */
const quietMark = Effect.fnUntraced(
  function* (sessionId: string) {
    const agent = yield* Agent
    let before = yield* agent.mark(sessionId)
    const signs = yield* agent.signs(sessionId)
    const time = yield* Clock.currentTimeMillis
    if (Option.exists(signs, ({ writtenAt }) => time - writtenAt >= Duration.toMillis(quietTime))) return before
    for (let look = 1; look <= maxLooks; look++) {
      yield* Effect.sleep(quietTime)
      const now = yield* agent.mark(sessionId)
      if (sameMark(now, before)) return now
      before = now
    }
    return yield* new NotResumable({ message: "its session file is still written, though its process is gone" })
  },
  Effect.catchTag("SessionNotFound", ({ message }) => Effect.fail(new NotResumable({ message })))
)

/**
 * Looks whether the session of a stopped Conductor can be resumed in place (spec: behaviour#resume). Its file is only
 * read. Fails with `NotResumable` where the file is missing, unreadable or still written, or the context is full.
 */
const resumableSession = Effect.fn("resumableSession")(function* ({ launchId, sessionId }: Watch) {
  const agent = yield* Agent
  const { forceCompactThresholdTokens: threshold } = yield* Settings
  return yield* step(stepNames.session, {
    outcome: Resumable,
    failure: NotResumable,
    act: Effect.fnUntraced(function* () {
      const mark = yield* quietMark(sessionId)
      const signs = Option.getOrUndefined(yield* agent.signs(sessionId, yield* launchOutput(launchId)))
      const message = unresumable({ signs, bytes: mark.offset }, threshold ?? withoutWindow.threshold)
      if (message !== undefined) return yield* new NotResumable({ message })
      return { mark, contextTokens: signs?.context?.tokens ?? null }
    }),
    reconcile: again
  })
})

/**
 * Resumes the session of a stopped Conductor in place, with this prompt. Fails with `Escalated` if the session cannot
 * be resumed, or somebody continued it right before the launch.
 */
export const resumeInPlace = Effect.fn("resumeInPlace")(function* (
  watch: Watch,
  request: Request,
  { prompt, steps }: Pick<SuccessorOrder<never>, "steps"> & { readonly prompt: string }
) {
  const { mark } = yield* resumableSession(watch).pipe(
    Effect.catchTag("NotResumable", ({ message }) =>
      Effect.fail(new Escalated({ stage: "session", message, alreadyKilled: true }))
    )
  )
  return yield* launchSuccessor(watch, request, {
    steps,
    resumes: watch.sessionId,
    prompt: Effect.as(unlessStale(watch, { mark }), prompt)
  })
})
