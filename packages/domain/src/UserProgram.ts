import { Duration, Effect, Option, Result, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"

/** A program of the user's that could not be run, ended badly, took too long, or printed too much. `why` is a sentence. */
export class ProgramFailed extends Schema.TaggedError<ProgramFailed>()("ProgramFailed", { why: Schema.String }) {}

const JsonArray = Schema.fromJsonString(Schema.NonEmptyArray(Schema.NonEmptyString))

/** A program, or a JSON array of program and first arguments; never words for a shell (cli.md, settings). */
const words = (command: string): Result.Result<readonly [string, ...ReadonlyArray<string>], ProgramFailed> =>
  command.trimStart().startsWith("[")
    ? Result.mapError(
        Schema.decodeUnknownResult(JsonArray)(command),
        () => new ProgramFailed({ why: "the command is no JSON array of strings" })
      )
    : Result.succeed([command])

export interface ProgramRun {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly stdin: string
  readonly within: Duration.Input
  /** Bytes of standard output that are taken; a program that prints more is ended. */
  readonly atMost: number
  /** All that it sees of an environment, in place of ours. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Runs a program of the user's to its end and gives what it printed. It is ended, with all that it started, when it takes too
 * long or prints too much, so neither can hang a recovery nor fill the memory.
 */
export const runProgram = Effect.fn("UserProgram.run")(function* ({ args, atMost, command, environment, stdin, within }: ProgramRun) {
  const [program, ...first] = yield* Effect.fromResult(words(command))
  const run = Effect.gen(function* () {
    const handle = yield* ChildProcess.make(program, [...first, ...args], {
      stdin: Stream.make(new TextEncoder().encode(stdin)),
      stderr: "ignore",
      ...(environment === undefined ? { extendEnv: true } : { env: environment, extendEnv: false }),
      forceKillAfter: "1 second"
    })
    let bytes = 0
    const text = yield* handle.stdout.pipe(
      Stream.mapEffect((chunk) => {
        bytes += chunk.length
        return bytes > atMost ? Effect.fail(new ProgramFailed({ why: `it printed more than ${atMost} bytes` })) : Effect.succeed(chunk)
      }),
      Stream.decodeText(),
      Stream.runFold(
        () => "",
        (all, part) => all + part
      )
    )
    const code = yield* handle.exitCode
    if (code !== 0) return yield* new ProgramFailed({ why: `it ended with exit code ${code}` })
    return text
  }).pipe(
    Effect.scoped,
    Effect.catchTag("PlatformError", ({ reason }) => Effect.fail(new ProgramFailed({ why: `it could not be run: ${reason._tag}` })))
  )
  const printed = yield* Effect.timeoutOption(run, within)
  if (Option.isSome(printed)) return printed.value
  return yield* new ProgramFailed({ why: `it did not end within ${Duration.format(Duration.fromInputUnsafe(within))}` })
})
