import { Context, Duration, Effect, Option, type PlatformError, Result, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"

/**
 * A program of the user that could not be run, ended badly, took too long, or printed too much. `message` is a
 * sentence.
 */
export class ProgramFailed extends Schema.TaggedError<ProgramFailed>()("ProgramFailed", {
  message: Schema.String,
  /** False if it never ran. */
  ran: Schema.Boolean,
  /** The end of what it printed before it was ended; absent: unknown. */
  said: Schema.optional(Schema.String)
}) {}

const ranAnd = (message: string) => new ProgramFailed({ message, ran: true })

/** The environment of programs that are given none of their own. Absent: this process's. */
export const OwnVariables = Context.Reference<Readonly<Record<string, string | undefined>> | undefined>(
  "@souffleur/process/OwnVariables",
  { defaultValue: () => undefined }
)

/** Says why a program was not started. */
export const notStarted =
  (program: string) =>
  ({ reason }: PlatformError.PlatformError) =>
    new ProgramFailed({
      message:
        reason._tag === "NotFound"
          ? `there is no program ${program}${program.includes("/") ? "" : " in PATH"}`
          : `it could not be run: ${reason._tag}`,
      ran: false
    })

const JsonArray = Schema.fromJsonString(Schema.NonEmptyArray(Schema.NonEmptyString))

/**
 * Splits a command: a program, or a JSON array of program and first arguments, never words for a shell
 * (spec: settings#values).
 */
export const programWords = (
  command: string
): Result.Result<readonly [string, ...ReadonlyArray<string>], ProgramFailed> =>
  command.trimStart().startsWith("[")
    ? Result.mapError(
        Schema.decodeUnknownResult(JsonArray)(command),
        () => new ProgramFailed({ message: "the command is not a JSON array of strings", ran: false })
      )
    : Result.succeed([command])

/** A program of the user, and the bounds of its run. */
export interface ProgramRun {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The folder that it runs in; absent: that of souffleur. */
  readonly cwd?: string
  readonly stdin: string
  readonly within: Duration.Input
  /** Most bytes of standard output; a program that prints more is ended. */
  readonly atMost: number
  /**
   * True if the beginning of its standard error is added to the message of a failure. Absent: standard error is
   * ignored.
   */
  readonly heard?: boolean
  /** Its whole environment, in place of souffleur's. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /**
   * True if what it started may run on after it has ended with 0, also with its standard output. Absent: everything is
   * ended with it.
   */
  readonly leaves?: boolean
}

/** How long output is read after the end of a program whose output another process may still have. */
const lastWords = "1 second"

/** Most characters of a program's standard error: one line of a message. */
const maxErrorChars = 500

/** Reads the beginning of a program's output as one line, and skips the rest. */
const beginningOf = <E>(words: Stream.Stream<Uint8Array, E>) =>
  words.pipe(
    Stream.decodeText(),
    Stream.runFold(
      () => "",
      (all, part) => (all.length > maxErrorChars ? all : all + part.slice(0, 2 * maxErrorChars))
    ),
    Effect.map((all) => {
      const line = all.replaceAll(/\s+/gu, " ").trim()
      return line.length > maxErrorChars ? `${line.slice(0, maxErrorChars)}…` : line
    })
  )

/**
 * Runs a program of the user to its end and returns its output. It ends the program, with all that it started, when it
 * takes too long or prints too much. So a program can neither hang a recovery nor fill the memory. Fails with
 * `ProgramFailed`.
 *
 * @example
 * ```ts
 * import { runProgram } from "@souffleur/process"
 * import { Effect } from "effect"
 *
 * const commit = runProgram({
 *   command: "git",
 *   args: ["rev-parse", "HEAD"],
 *   stdin: "",
 *   within: "5 seconds",
 *   atMost: 100
 * }).pipe(
 *   Effect.map((text) => text.trim()),
 *   Effect.catchTag("ProgramFailed", ({ message }) => Effect.as(Effect.logWarning(message), undefined))
 * )
 * ```
 */
export const runProgram = Effect.fn("runProgram")(function* ({
  args,
  atMost,
  command,
  cwd,
  environment,
  heard = false,
  leaves = false,
  stdin,
  within
}: ProgramRun) {
  const [program, ...first] = yield* Effect.fromResult(programWords(command))
  const env = environment ?? (yield* OwnVariables)
  const run = Effect.gen(function* () {
    const handle = yield* ChildProcess.make(program, [...first, ...args], {
      stdin: Stream.make(new TextEncoder().encode(stdin)),
      stderr: heard ? "pipe" : "ignore",
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? { extendEnv: true } : { env, extendEnv: false }),
      forceKillAfter: "1 second"
    }).pipe(Effect.mapError(notStarted(program)))
    let bytes = 0
    let text = ""
    const printed = handle.stdout.pipe(
      Stream.mapEffect((chunk) => {
        bytes += chunk.length
        return bytes > atMost ? Effect.fail(ranAnd(`it printed more than ${atMost} bytes`)) : Effect.succeed(chunk)
      }),
      Stream.decodeText(),
      Stream.runForEach((part) => Effect.sync(() => (text += part)))
    )
    const ended = Effect.andThen(Effect.ignore(handle.exitCode), Effect.sleep(lastWords))
    const [, said] = yield* Effect.all(
      [leaves ? Effect.raceFirst(printed, ended) : printed, heard ? beginningOf(handle.stderr) : Effect.succeed("")],
      { concurrency: 2 }
    )
    const code = yield* handle.exitCode
    if (code !== 0) return yield* ranAnd(`it ended with exit code ${code}${said === "" ? "" : `: ${said}`}`)
    if (leaves) yield* handle.unref
    return text
  }).pipe(
    Effect.scoped,
    Effect.catchTag("PlatformError", ({ reason }) =>
      Effect.fail(ranAnd(`it was ended by a signal, or cannot be heard (${reason._tag})`))
    )
  )
  const printed = yield* Effect.timeoutOption(run, within)
  if (Option.isSome(printed)) return printed.value
  return yield* ranAnd(`it did not end within ${Duration.format(Duration.fromInputUnsafe(within))}`)
})
