import {
  Agent,
  type Compacted,
  freshUuid,
  granted,
  isOver,
  Launcher,
  type LaunchFailed,
  leastPermission,
  Processes,
  type ProcessIdentity,
  type SessionMark,
  Settings,
  untraced
} from "@souffleur/domain"
import { endTree, launchOnce, StopFailed } from "@souffleur/process"
import { type Duration, Effect, Option, Schedule, Schema } from "effect"
import { boundaryPoll, compactOnceMore, summaryTimeout } from "../RecoverySchedule.ts"

/** Says why no boundary came of an attempt. Unless its session is proven gone, no second attempt may follow. */
export class CompactFailed extends Schema.TaggedError<CompactFailed>()("CompactFailed", {
  message: Schema.String,
  gone: Schema.Boolean
}) {}

/** Says which live process holds the session. It would not notice a compaction beside it. */
export class SessionHeld extends Schema.TaggedError<SessionHeld>()("SessionHeld", { message: Schema.String }) {}

/**
 * Waits for a whole new boundary line, which alone is completion, and a little for the summary that follows it. In
 * print mode the session ends by itself, in a terminal it idles. Either way it is stopped with its `tree`, and proven
 * gone, before anything else runs (spec: behaviour#standard_compact): a model may use a tool against its words, and
 * tools outlive their agent. It checks `granted` right before each signal.
 *
 * Fails with `CompactFailed` without a boundary, or when the session does not end.
 */
export const awaitBoundary = Effect.fn("Compaction.awaitBoundary")(function* <E, R, T>(
  mark: SessionMark,
  session: ProcessIdentity,
  tree: Parameters<typeof endTree<never, T, never>>[1],
  granted: Effect.Effect<void, E, R>
) {
  const agent = yield* Agent
  const processes = yield* Processes
  const settings = yield* Settings
  const look = Effect.gen(function* () {
    const condition = yield* processes.condition(session)
    const compacted = yield* agent.compactedSince(mark)
    return { compacted, over: isOver(condition) }
  })
  const wait = (until: (seen: Effect.Success<typeof look>) => boolean, timeout: Duration.Input) =>
    Effect.repeat(untraced(look), { schedule: boundaryPoll(settings.compactPollInterval), until }).pipe(
      Effect.timeoutOption(timeout)
    )
  const waited = yield* wait(({ compacted, over }) => over || compacted !== "not yet", settings.compactTimeout)
  if (Option.isSome(waited)) yield* wait(({ compacted, over }) => over || compacted === "summary", summaryTimeout)
  const context = yield* Effect.context<R>()
  yield* endTree(session, tree, settings.stopGrace, Effect.provide(granted, context)).pipe(
    Effect.catchIf(
      (error) => error instanceof StopFailed,
      ({ message }) => Effect.fail(new CompactFailed({ message: `the compact session: ${message}`, gone: false }))
    )
  )
  // The boundary may have been written while the session ended.
  const compacted = yield* agent.compactedSince(mark)
  if (compacted !== "not yet") return yield* compactedAs(compacted)
  return yield* new CompactFailed({
    message: Option.isSome(waited) ? "the compact session ended without a boundary" : "no boundary came in time",
    gone: true
  })
})

/** Tells the log that a session was compacted. Without its summary the session may have lost its content. */
export const CompactedTo = Schema.Struct({
  compacted: Schema.Literal(true),
  summarized: Schema.Boolean
})

/** Makes the outcome of a compaction, and warns where its summary is missing. */
export const compactedAs = Effect.fnUntraced(function* (how: Exclude<Compacted, "not yet">) {
  const summarized = how === "summary"
  if (!summarized)
    yield* Effect.logWarning(
      "the session was compacted, but no summary followed its boundary: it may have lost its content"
    )
  return { compacted: true as const, summarized }
})

/**
 * Retries a compaction once, and only after a failure whose session is proven gone; the second failure is final
 * (spec: behaviour#standard_compact). `attempt` gets its number, from 0.
 */
export const retriedOnce = <A, E, R>(attempt: (number: number) => Effect.Effect<A, E | CompactFailed, R>) =>
  Effect.flatMap(Schedule.CurrentMetadata, ({ attempt: number }) => attempt(number)).pipe(
    Effect.retry({ schedule: compactOnceMore, while: (error) => error instanceof CompactFailed && error.gone })
  )

/** No real process: only the tags find the tree. */
const noProcess: ProcessIdentity = { pid: 0, startTime: 0, bootId: "" }

/**
 * Fails with `SessionHeld` when a process holds the session, by its pid file or by the marks in its environment.
 * souffleur and its ancestors do not count, though a tool or a hook of that session started them. Nor does a terminal
 * server.
 */
const unheld = Effect.fnUntraced(function* (sessionId: string) {
  const agent = yield* Agent
  const processes = yield* Processes
  const holder = (yield* agent.sessions).find((session) => session.sessionId === sessionId)
  const [tagged] = yield* processes.tree(noProcess, { tags: [agent.sessionTag(sessionId)] })
  const pid = holder?.pid ?? tagged?.identity.pid
  if (pid !== undefined)
    return yield* new SessionHeld({ message: `process ${pid} holds session ${sessionId}: end it first` })
})

/**
 * Compacts a session whose process has ended, by hand. It uses no watch and no log, but the same ceiling, receipts and
 * single writer. Returns the number of attempts. Fails with `SessionHeld` and `CompactFailed`.
 */
export const compactByHand = Effect.fn("compactByHand")(function* (sessionId: string, project: string) {
  const agent = yield* Agent
  const launcher = yield* Launcher
  const settings = yield* Settings
  const { compactPrompt } = agent
  if (compactPrompt === null)
    return yield* new CompactFailed({ message: "a session of this agent cannot be told to compact", gone: true })
  const failed = ({ message }: LaunchFailed) => Effect.fail(new CompactFailed({ message, gone: true }))
  const mark = yield* agent.mark(sessionId)
  const attempt = Effect.fnUntraced(function* (number: number) {
    if ((yield* agent.compactedSince(mark)) !== "not yet") return number
    yield* unheld(sessionId)
    const mode = Option.getOrUndefined(yield* agent.mode(sessionId))
    const { effective, heldTo } = granted(leastPermission, settings.maxExternalPermission, mode)
    const print = launcher.terminals[0] === "headless"
    const command = yield* agent.command({
      session: { _tag: "Resume", sessionId },
      permission: effective,
      ...(heldTo === "plan" || heldTo === "asks" ? { heldTo } : {}),
      prompt: compactPrompt,
      print
    })
    const id = `compact-${yield* freshUuid}`
    // The launch is in no log: souffleur watches nothing here.
    const session = yield* launchOnce({ id, command, cwd: project, title: "Compact" }, () => Effect.void).pipe(
      Effect.catchTag("LaunchFailed", failed)
    )
    yield* awaitBoundary(mark, session, () => Effect.succeed([]), Effect.void)
    return number + 1
  })
  return yield* retriedOnce(attempt)
})
