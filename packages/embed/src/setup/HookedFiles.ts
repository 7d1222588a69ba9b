import { digestOf } from "@souffleur/domain"
import { readTrusted, replaceDurably } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"

/** Bytes of a path at most. */
const maxBytes = 10_000

/** The folder with a file for each settings file that has our hooks. */
export const hookedFolder = "hooked"

const recordOf = Effect.fnUntraced(function* (stateDir: string, settingsFile: string) {
  const path = yield* Path.Path
  return path.join(stateDir, hookedFolder, yield* digestOf(settingsFile))
})

/** Records that a settings file has our hooks, before they are written. Fails with `PlatformError`. */
export const addHooked = Effect.fn("addHooked")(function* (stateDir: string, settingsFile: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const record = yield* recordOf(stateDir, settingsFile)
  yield* fs.makeDirectory(path.dirname(record), { recursive: true, mode: 0o700 })
  yield* replaceDurably(record, settingsFile)
})

/** Forgets a settings file that has our hooks no more. Fails with `PlatformError`. */
export const forgetHooked = Effect.fn("forgetHooked")(function* (stateDir: string, settingsFile: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(yield* recordOf(stateDir, settingsFile), { force: true })
})

/** Returns the settings files that were recorded. A record that cannot be read has none. */
export const hookedFiles = Effect.fn("hookedFiles")(function* (stateDir: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(stateDir, hookedFolder)
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): ReadonlyArray<string> => [])
  const found = yield* Effect.forEach(names, (name) =>
    readTrusted(path.join(folder, name), { own: true, others: "nothing", atMost: maxBytes }).pipe(
      Effect.map((bytes) => [new TextDecoder().decode(bytes)]),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  )
  return found.flat().filter((file) => path.isAbsolute(file))
})
