import {
  type Agent,
  baselineOf,
  Comms,
  Launcher,
  LaunchFailed,
  nounOf,
  ProcessIdentity,
  type Processes,
  type Settings,
  unreadBaseline,
  type Watch,
  Words
} from "@souffleur/domain"
import type { LogError, Offspring, Refused } from "@souffleur/eventlog"
import { sessionToBegin, type TrustedFiles } from "@souffleur/process"
import { Effect, Option, type Path, Schema } from "effect"
import { type Completed, Escalated, FailedClosed, type Successor } from "../Provider.ts"
import { type Exported, NoExport, unlessStale } from "../steps/ExportConversation.ts"
import type { Request } from "../steps/Request.ts"
import { again, type Cycle, step } from "../steps/Step.ts"
import { launch, settled } from "./Launch.ts"
import { unhindered } from "./LaunchHindrance.ts"
import { signed } from "./LaunchPrompt.ts"

/** Fixes a successor before its launch: a crash must not give it another id, or another measure of progress. */
const Preparation = Schema.Struct({
  sessionId: Schema.String,
  taskCount: Schema.Int,
  taskFingerprint: Schema.String,
  conductorState: Schema.NullOr(Schema.String),
  lastMessageId: Schema.Int
})

/**
 * Chooses the session of the successor, and measures progress before it. `name` is the step's, and new in its cycle.
 */
export const prepareSuccessor = Effect.fn("prepareSuccessor")(function* <E, R>(
  watch: Watch,
  name: string,
  { messageId }: Request,
  sessionIdOf: Effect.Effect<string, E, R>
) {
  const comms = yield* Comms
  const { sessionId, ...baseline } = yield* step(name, {
    outcome: Preparation,
    failure: Schema.Never,
    act: Effect.fnUntraced(function* () {
      const sessionId = yield* sessionIdOf
      const seen = yield* Effect.option(comms.snapshot)
      const baseline = Option.match(seen, {
        onNone: () => unreadBaseline({ ...watch.baseline, ...watch.lastTasks }, messageId ?? 0),
        onSome: baselineOf
      })
      return { ...baseline, sessionId }
    }),
    reconcile: again
  })
  return { sessionId, baseline }
})

/** Describes a launch that took its receipt. */
export const Launched = Schema.Struct({ launchId: Schema.String, conductor: ProcessIdentity })

/** Describes a successor. */
export interface SuccessorOrder<R> {
  /** The names of its two steps, which are new in their cycle. */
  readonly steps: { readonly prepare: string; readonly launch: string }
  /** The session that it resumes. `undefined`: it begins one. */
  readonly resumes?: string | undefined
  /** The id of the session that it begins. Absent: a new one. */
  readonly begins?: string | undefined
  /** The export that it reads. */
  readonly from?: Exported
  readonly prompt: Effect.Effect<string, FailedClosed | NoExport | Refused | LogError, R>
}

/**
 * Prepares and launches the successor, in two steps. The log grants one launch step in a cycle. Fails with
 * `FailedClosed` when the launch fails, because whether it ran must never be guessed. That ends the cycle, and a
 * provider does not catch it. Fails with `Escalated` when the conversation continued after the export `from`: nothing
 * has run, and the next provider may.
 */
export const launchSuccessor = Effect.fn("launchSuccessor")(function* <R = never>(
  watch: Watch,
  request: Request,
  { begins, from, prompt, resumes, steps }: SuccessorOrder<R>
): Effect.fn.Return<
  Successor,
  Completed | Escalated | FailedClosed | Refused | LogError,
  R | Agent | Comms | Cycle | Launcher | Offspring | Path.Path | Processes | Settings | TrustedFiles
> {
  const launcher = yield* Launcher
  const named = resumes ?? begins
  const { baseline, sessionId } = yield* prepareSuccessor(
    watch,
    steps.prepare,
    request,
    named === undefined ? sessionToBegin : Effect.succeed(named)
  )
  const errand = Effect.gen(function* () {
    yield* unhindered(watch)
    if (from !== undefined) yield* unlessStale(watch, from)
    // After a launch that has run, its prompt is not needed, and its sources may be gone.
    const words = yield* prompt
    return {
      session: { _tag: resumes === undefined ? ("Fresh" as const) : ("Resume" as const), sessionId },
      ...(from === undefined ? {} : { reads: from.path }),
      prompt: (launchId: string) => signed(words, launchId),
      title: `${Words.capital(nounOf(watch))} (S${watch.generation + 1})`
    }
  })
  const launched = yield* step(steps.launch, {
    kind: "launch",
    outcome: Launched,
    failure: Schema.Union([LaunchFailed, NoExport]),
    act: (token) => launch(watch, token, request, errand),
    reconcile: settled
  }).pipe(
    Effect.catchTags({
      LaunchFailed: ({ message }) => Effect.fail(new FailedClosed({ stage: "launch", message })),
      NoExport: ({ message }) => Effect.fail(new Escalated({ stage: "launch", message, alreadyKilled: true }))
    })
  )
  return {
    ...launched,
    print: !(yield* launcher.inWindow(launched.launchId)),
    sessionId,
    // With comms, a new session confirms the id of its launch.
    awaiting: resumes === undefined && watch.comms !== null,
    exportPath: from?.path ?? null,
    baseline
  }
})
