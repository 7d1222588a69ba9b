import { Effect, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"

/** A program of the release ended with another code than 0. */
export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  command: Schema.String,
  code: Schema.Int,
  output: Schema.String
}) {
  override get message(): string {
    return `${this.command} ended with ${this.code}\n${this.output}`
  }
}

/**
 * Runs a program and returns its standard output. Fails with `CommandFailed` where it ends with another code than 0, and
 * with `PlatformError` where it cannot be started.
 */
export const command = Effect.fn("command")(function* (
  folder: string,
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  env: Readonly<Record<string, string | undefined>> = {}
) {
  const handle = yield* ChildProcess.make(program, args, { cwd: folder, env, extendEnv: true, stdin: "ignore" })
  const [output, errors] = yield* Effect.all(
    [Stream.mkString(Stream.decodeText(handle.stdout)), Stream.mkString(Stream.decodeText(handle.stderr))],
    { concurrency: 2 }
  )
  const code = yield* handle.exitCode
  if (code !== 0)
    return yield* new CommandFailed({ command: [program, ...args].join(" "), code, output: `${output}${errors}` })
  return output
}, Effect.scoped)
