import {
  type Agent,
  type Comms,
  type Hooks,
  type Launcher,
  type Processes,
  type Settings,
  type Watch
} from "@souffleur/domain"
import { runProgram } from "@souffleur/process"
import { type Offspring } from "@souffleur/eventlog"
import { type Duration, Effect, Schema } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { launchSuccessor } from "../steps/Launch.ts"
import { whyNow } from "../steps/LaunchPrompt.ts"
import { Escalated, FailedClosed, type Provider } from "../Provider.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { again, step } from "../steps/Step.ts"

/** A reason is short, because it goes to the log. */
const Reason = Schema.String.check(Schema.isMaxLength(500))

/** The answer of a program on standard output: one JSON object (docs/providers.md). */
const Answer = Schema.Union([
  Schema.TaggedStruct("launch", { session: Schema.Literals(["fresh", "resume"]), prompt_file: Schema.NonEmptyString }),
  Schema.TaggedStruct("escalate", { reason: Reason }),
  Schema.TaggedStruct("fail_closed", { reason: Reason })
])
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Answer))

/** The program of a provider gave no answer that can be read. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { message: Schema.String }) {}

/**
 * Makes a provider of any program (docs/providers.md). When the Conductor is stopped, the program gets the cycle as
 * JSON on standard input. It answers with the launch, or that it has none. It never launches by itself, so ceiling,
 * receipts and the one writer stay with souffleur. The prompt is in a file that the program names by path: no prompt is
 * in the log. A program that has not answered within `timeout` is ended.
 *
 * @example
 * ```ts
 * import { programProvider } from "@souffleur/recovery"
 * import { Effect, FileSystem } from "effect"
 *
 * const fromNotes = Effect.map(FileSystem.FileSystem, (fs) =>
 *   programProvider("from_notes", "/opt/from-notes", (path) => fs.readFileString(path))
 * )
 * ```
 */
export const programProvider = (
  name: string,
  command: string,
  readPrompt: (path: string) => Effect.Effect<string, { readonly message: string }>,
  timeout: Duration.Input = "5 minutes"
): Provider<
  Agent | ChildProcessSpawner.ChildProcessSpawner | Comms | Hooks | Launcher | Offspring | Processes | Settings
> => ({
  name,
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    if (!alreadyKilled) yield* stopConductor(watch)
    const question = JSON.stringify({
      project: watch.project,
      comms: watch.comms,
      session_id: watch.sessionId,
      generation: watch.generation,
      reason: whyNow(watch)
    })
    const answer = yield* step(`${name}: ask`, {
      outcome: Answer,
      failure: NoAnswer,
      act: () =>
        runProgram({ command, args: [], stdin: `${question}\n`, within: timeout, atMost: 65_536 }).pipe(
          Effect.mapError(({ message }) => new NoAnswer({ message })),
          Effect.flatMap((text) =>
            Effect.mapError(
              decode(text),
              () => new NoAnswer({ message: "its answer does not have the form of docs/providers.md" })
            )
          )
        ),
      reconcile: again
    }).pipe(
      Effect.catchTag("NoAnswer", ({ message }) =>
        Effect.fail(new Escalated({ stage: name, message, alreadyKilled: true }))
      )
    )
    if (answer._tag === "escalate")
      return yield* new Escalated({ stage: name, message: answer.reason, alreadyKilled: true })
    if (answer._tag === "fail_closed") return yield* new FailedClosed({ stage: name, message: answer.reason })

    return yield* launchSuccessor(watch, request, {
      steps: { prepare: `${name}: prepare`, launch: "launch by program" },
      resumes: answer.session === "fresh" ? undefined : watch.sessionId,
      prompt: Effect.mapError(
        readPrompt(answer.prompt_file),
        ({ message }) => new FailedClosed({ stage: name, message })
      )
    })
  })
})
