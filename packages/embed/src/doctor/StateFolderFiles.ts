import type { ResolvedSettings } from "@souffleur/domain"
import { Effect, FileSystem, Path } from "effect"

/** The folders in the state folder where souffleur keeps files. */
const folders = ["", "launches", "exports", "requests", "hooks"]

/** Returns the absolute paths of all files in the state folder. A folder that cannot be read has none. */
export const filesIn = Effect.fn("filesIn")(function* ({ stateDir }: Pick<ResolvedSettings, "stateDir">) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = yield* Effect.forEach(
    folders.map((name) => path.join(stateDir, name)),
    (folder) =>
      fs.readDirectory(folder).pipe(
        Effect.map((names) => names.map((name) => path.join(folder, name))),
        Effect.orElseSucceed((): ReadonlyArray<string> => [])
      )
  )
  return files.flat()
})
