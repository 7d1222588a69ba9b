import { Agent, agentsOwn, type Export, ExportFailed, parseSessionId } from "@souffleur/domain"
import { piecesOf, readTroubleOf, replaceWith, runProgram, TrustedFiles } from "@souffleur/process"
import { type Duration, Effect, FileSystem, Layer, Option, Path, Result, Schema, Stream } from "effect"
import type { ChildProcessSpawner } from "effect/process"

/** Most bytes of output: the program prints a path, and nothing else. */
const maxPrinted = 65_536
/** Most bytes of a conversation as Markdown. */
const maxExported = 2 ** 30

const failed = (why: string) => new ExportFailed({ message: `the export command: ${why}` })

const Words = Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Schema.NonEmptyString)])
const Writing = Schema.fromJsonString(Schema.Struct({ command: Words, path: Schema.NonEmptyString }))

/** An export command: the program, and where it writes. Without a path, it prints one. */
interface ExportCommand {
  readonly program: string
  readonly path?: string
}

/** Reads `EXPORT_COMMAND`: a program, or a JSON object of a program and the path that it writes. */
const commandOf = (text: string): Result.Result<ExportCommand, ExportFailed> =>
  text.trimStart().startsWith("{")
    ? Result.mapBoth(Schema.decodeUnknownResult(Writing)(text), {
        onFailure: () => failed('it is no JSON object with "command" and "path"'),
        onSuccess: ({ command, path }) => ({
          program: typeof command === "string" ? command : JSON.stringify(command),
          path
        })
      })
    : Result.succeed({ program: text })

/** Tells one state of a file from a later one. `undefined`: there is no such file. */
const stateOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  const inWords = ({ ino, mtime, size }: FileSystem.File.Info) =>
    [Option.getOrUndefined(ino), Option.getOrUndefined(mtime)?.getTime(), size].join(" ")
  return Option.getOrUndefined(Option.map(info, inWords))
})

/**
 * Exports by the user's own program, which takes the session id and prints the path of its Markdown, or writes to a
 * known path. The file is copied, so that trimming and discarding never touch a file of the user. Fails with
 * `ExportFailed`.
 */
const exportByProgram = Effect.fn("exportByProgram")(function* (
  { home, text, within }: { readonly text: string; readonly home: string; readonly within: Duration.Input },
  sessionId: string,
  out: string
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const command = yield* Effect.fromResult(commandOf(text))
  // An id has no character that leads to another folder, or that JSON writes otherwise.
  if (Result.isFailure(parseSessionId(sessionId))) return yield* failed("the session id cannot be one")
  const ofSession = (template: string) => template.replaceAll("{session}", sessionId)
  const written = command.path === undefined ? undefined : ofSession(command.path).replace(/^~(?=\/)/u, home)
  const before = written === undefined ? undefined : yield* stateOf(written)
  const printed = yield* runProgram({
    command: ofSession(command.program),
    args: command.program.includes("{session}") ? [] : [sessionId],
    stdin: "",
    within,
    atMost: maxPrinted
  }).pipe(Effect.catchTag("ProgramFailed", ({ message }) => Effect.fail(failed(message))))
  const made = written ?? printed.trim()
  if (!path.isAbsolute(made) || made.includes("\n"))
    return yield* failed(written === undefined ? "it did not print one absolute path" : "its path is not absolute")
  // An export of an earlier generation says nothing of this one.
  if (before !== undefined && before === (yield* stateOf(made)))
    return yield* failed(`it did not write ${made}, which is as it was before`)
  const copied = Effect.gen(function* () {
    const file = yield* (yield* TrustedFiles).open(made, { ...agentsOwn, own: true, atMost: maxExported })
    if (Number((yield* file.stat).size) === 0) return yield* failed(`${made} is empty`)
    let bytes = 0
    yield* fs.makeDirectory(path.dirname(out), { recursive: true, mode: 0o700 })
    yield* replaceWith(out, (draft) =>
      Stream.runForEach(piecesOf(file, { bytes: maxExported }), (piece) => {
        bytes += piece.length
        return draft.file.writeAll(piece)
      })
    )
    return bytes
  }).pipe(Effect.scoped)
  const bytes = yield* Effect.catchTags(copied, {
    FileRefused: ({ message }) => Effect.fail(failed(message)),
    PlatformError: (error) => Effect.fail(failed(`${made} cannot be copied: ${readTroubleOf(error)}`))
  })
  return { path: out, bytes, records: 0, warnings: [] } satisfies Export
})

/**
 * Provides the same agent with exports by a program of the user (`EXPORT_COMMAND`; spec: settings#export-command).
 * `home` stands for a `~` in its path. The program has `within` to read one conversation.
 */
export const layer = (text: string, home: string, within: Duration.Input = "2 minutes") =>
  Layer.effect(
    Agent,
    Effect.gen(function* () {
      const agent = yield* Agent
      const services = yield* Effect.context<
        ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path | TrustedFiles
      >()
      const exporting = (one: Agent["Service"]): Agent["Service"] => ({
        ...one,
        ...(one.joined && {
          joined: { ...one.joined, led: (program) => Option.map(one.joined!.led(program), exporting) }
        }),
        exportSession: (sessionId, out) =>
          Effect.provide(exportByProgram({ text, home, within }, sessionId, out), services)
      })
      return exporting(agent)
    })
  )
