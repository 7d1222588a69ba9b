import { agentsOwn } from "@souffleur/domain"
import { AgentSettingsUnusable, lookTrusted, readTrusted, replaceWith } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"

/** Bytes of settings at most. Real ones have a few thousand. */
const sizeLimit = 1_000_000

/** A file of an agent's settings. */
export interface SettingsFile {
  /** Path of the file itself, where its name is a link. */
  readonly target: string
  readonly text: string
  readonly info: FileSystem.File.Info
}

/**
 * Refuses a folder that others can write to. With another settings file they would choose the programs that the agent
 * runs.
 */
const unlessOthersFolder = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  yield* lookTrusted(yield* fs.realPath(paths.dirname(file)), { ...agentsOwn, folder: true })
})

/** Reads the settings. `None`: there is no such file. A link leads to a file that is judged like any other. */
export const readSettingsFile = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const unusable = (problem: string) => new AgentSettingsUnusable({ path, problem })
  const found = yield* fs.realPath(path).pipe(
    Effect.asSome,
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeedNone
    )
  )
  if (Option.isNone(found)) {
    if (Option.isSome(yield* Effect.option(fs.readLink(path))))
      return yield* unusable("is a link to a file that is not there")
    return Option.none<SettingsFile>()
  }
  yield* unlessOthersFolder(found.value)
  const trust = { ...agentsOwn, atMost: sizeLimit }
  const info = yield* lookTrusted(found.value, trust)
  const bytes = yield* readTrusted(found.value, trust)
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => unusable("is not UTF-8")
  })
  return Option.some<SettingsFile>({ target: found.value, text, info })
})

/**
 * Replaces the file whole or not at all, with the mode and the owner that it had. Fails unless `before` is still there
 * (`undefined`: no file).
 */
export const writeSettingsFile = Effect.fnUntraced(function* (
  path: string,
  text: string,
  before: SettingsFile | undefined
) {
  const fs = yield* FileSystem.FileSystem
  const target = before?.target ?? path
  yield* replaceWith(
    target,
    Effect.fnUntraced(function* ({ file, path: draft }) {
      yield* file.writeAll(new TextEncoder().encode(text))
      if (before !== undefined) {
        yield* fs.chmod(draft, before.info.mode & 0o777)
        const own = yield* fs.stat(draft)
        const [uid, gid] = [Option.getOrElse(before.info.uid, () => 0), Option.getOrElse(before.info.gid, () => 0)]
        if (!Option.contains(own.uid, uid) || !Option.contains(own.gid, gid)) yield* fs.chown(draft, uid, gid)
      }
      const now = Option.getOrUndefined(yield* readSettingsFile(path))
      if (now?.text !== before?.text)
        return yield* new AgentSettingsUnusable({ path, problem: "was changed meanwhile: try again" })
    })
  )
})

/** Makes the folder of a settings file. */
export const makeSettingsFolder = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 })
  yield* unlessOthersFolder(path)
})
