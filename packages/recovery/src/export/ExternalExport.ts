import { Agent, type Export, ExportFailed } from "@souffleur/domain"
import { replaceWith, runProgram, troubleOf } from "@souffleur/process"
import { type Duration, Effect, FileSystem, Layer, Option, Path } from "effect"
import type { ChildProcessSpawner } from "effect/process"

/** Most bytes of output: the program prints a path, and nothing else. */
const maxBytes = 65_536

/**
 * Exports by the user's own program, which takes the session id and prints the path of its Markdown. The file is
 * copied, so that trimming and discarding never touch a file of the user. Fails with `ExportFailed`.
 */
const exportByProgram = Effect.fn("exportByProgram")(function* (
  command: string,
  timeout: Duration.Input,
  sessionId: string,
  out: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const failed = (why: string) => new ExportFailed({ message: `the export command: ${why}` })
  const printed = yield* runProgram({ command, args: [sessionId], stdin: "", within: timeout, atMost: maxBytes }).pipe(
    Effect.catchTag("ProgramFailed", ({ message }) => Effect.fail(failed(message)))
  )
  const made = printed.trim()
  if (!path.isAbsolute(made) || made.includes("\n")) return yield* failed("it did not print one absolute path")
  const copy = Effect.gen(function* () {
    const info = yield* fs.stat(made)
    if (info.type !== "File" || Number(info.size) === 0)
      return yield* failed("the file that it named is empty or not a regular file")
    yield* fs.makeDirectory(path.dirname(out), { recursive: true, mode: 0o700 })
    yield* replaceWith(out, ({ path: draft }) => Effect.andThen(fs.copyFile(made, draft), fs.chmod(draft, 0o600)))
    return { path: out, bytes: Number(info.size), records: 0, warnings: [] } satisfies Export
  })
  return yield* Effect.catchTag(copy, "PlatformError", (error) =>
    Effect.fail(failed(`the file it named cannot be used: ${troubleOf(error)}`))
  )
})

/**
 * Provides the same agent with exports by a program of the user (`EXPORT_COMMAND`; spec: settings#keys). The program
 * has `timeout` to read one conversation.
 */
export const layer = (command: string, timeout: Duration.Input = "2 minutes") =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const agent = yield* Agent
      const services = yield* Effect.context<
        ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path
      >()
      const exporting = (one: Agent["Service"]): Agent["Service"] => ({
        ...one,
        ...(one.joined && {
          joined: { ...one.joined, led: (program) => Option.map(one.joined!.led(program), exporting) }
        }),
        exportSession: (sessionId, out) => Effect.provide(exportByProgram(command, timeout, sessionId, out), services)
      })
      return exporting(agent)
    })
  )
