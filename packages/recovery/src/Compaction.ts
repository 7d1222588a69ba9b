import { Agent, type LaunchFailed, clamp, Launcher, type ProcessIdentity, Processes, type SessionMark, Settings } from "@souffleur/domain"
import { Effect, Option, Schema } from "effect"
import { boundaryPoll, compactOnceMore } from "./RecoverySchedule.ts"
import { freshSessionId } from "./SessionId.ts"
import { end } from "./Stop.ts"

/** No new boundary came of an attempt; its session is proven gone, or it is not (then no second one may follow). */
export class CompactFailed extends Schema.TaggedError<CompactFailed>()("CompactFailed", {
  why: Schema.String,
  gone: Schema.Boolean
}) {}

/** A live process holds the session: compacting beside it would be lost on it. `why` names the process. */
export class SessionHeld extends Schema.TaggedError<SessionHeld>()("SessionHeld", { why: Schema.String }) {}

/**
 * Waits for a whole new boundary line: that alone is completion. In print mode the session ends by itself, in a terminal it
 * idles; either way it is stopped, and proven gone, before anything else runs (spec §2, `standard_compact` 3 to 5).
 * `granted` is asked right before each signal.
 */
export const boundary = Effect.fn("Compaction.boundary")(function* <E, R>(
  mark: SessionMark,
  session: ProcessIdentity,
  granted: Effect.Effect<void, E, R>
) {
  const [agent, processes, settings] = [yield* Agent, yield* Processes, yield* Settings]
  const look = Effect.gen(function* () {
    const condition = yield* processes.condition(session)
    const compacted = yield* agent.compactedSince(mark)
    return { compacted, over: compacted || condition === "gone" || condition === "zombie" }
  })
  const waited = yield* Effect.repeat(look, { schedule: boundaryPoll(settings.compactPollInterval), until: ({ over }) => over }).pipe(
    Effect.timeoutOption(settings.compactTimeout)
  )
  const context = yield* Effect.context<R>()
  const ended = yield* end(session, settings.stopGrace, Effect.provide(granted, context)).pipe(
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

/** Once more after a failure whose session is proven gone; the second failure is final (spec §2, `standard_compact`). */
export const onceMore = <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E | CompactFailed, R>) =>
  Effect.retry(attempt, { schedule: compactOnceMore, while: (error) => error._tag === "CompactFailed" && (error as CompactFailed).gone })

/** By its pid file, or by the marks in its environment. */
const unheld = Effect.fnUntraced(function* (sessionId: string) {
  const [agent, processes] = [yield* Agent, yield* Processes]
  const holder = (yield* agent.sessions).find((session) => session.sessionId === sessionId)
  const tagged = (yield* processes.tagged(agent.sessionTag(sessionId))).find(({ condition }) => condition !== "zombie")
  const pid = holder?.pid ?? tagged?.identity.pid
  if (pid !== undefined) return yield* new SessionHeld({ why: `process ${pid} holds session ${sessionId}: end it first` })
})

/**
 * `standard_compact` 2 to 5 by hand, on a session whose process has ended: no watch, no log, the same ceiling, receipts and
 * single writer. Succeeds with the number of attempts that it took.
 */
export const compactByHand = Effect.fn("Compaction.byHand")(function* (sessionId: string, project: string) {
  const [agent, launcher, settings] = [yield* Agent, yield* Launcher, yield* Settings]
  const failed = ({ why }: LaunchFailed) => Effect.fail(new CompactFailed({ why, gone: true }))
  yield* unheld(sessionId)
  const mark = yield* agent.mark(sessionId)
  let attempts = 0
  yield* Effect.gen(function* () {
    if (yield* agent.compactedSince(mark)) return
    yield* unheld(sessionId)
    attempts++
    const { effective } = clamp("acceptEdits", settings.maxExternalPermission)
    const print = launcher.terminal === "headless"
    const command = yield* agent.command({ session: { _tag: "Resume", sessionId }, permission: effective, prompt: "/compact", print })
    const id = `compact-${yield* freshSessionId}`
    yield* launcher.prepare({ id, command, cwd: project, title: "Compact" }).pipe(Effect.catchTag("LaunchFailed", failed))
    const session = yield* launcher.launch(id).pipe(Effect.catchTag("LaunchFailed", failed))
    yield* boundary(mark, session, Effect.void)
  }).pipe(onceMore)
  return attempts
})
