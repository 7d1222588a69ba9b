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
 * Runs a program and returns what it printed. Fails with `CommandFailed` where it ends with another code than 0, and
 * with `PlatformError` where it cannot be started.
 */
export const command = Effect.fn("command")(function* (
  folder: string,
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  env: Readonly<Record<string, string>> = {}
) {
  const handle = yield* ChildProcess.make(program, args, { cwd: folder, env, extendEnv: true, stdin: "ignore" })
  const output = yield* Stream.mkString(Stream.decodeText(handle.all))
  const code = yield* handle.exitCode
  if (code !== 0) return yield* new CommandFailed({ command: [program, ...args].join(" "), code, output })
  return output
}, Effect.scoped)
