import { Effect, FileSystem, Path } from "effect"
import { inHead } from "../kit/lines/Head.ts"

/** Returns whether Claude Code keeps a session file among those of a folder, named by the folder's real path. */
export const isKeptFor = Effect.fn("isKeptFor")(function* (file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)
  return path.basename(path.dirname(file)) === real.replaceAll(/[^A-Za-z0-9]/gu, "-")
})

/**
 * Returns the folder in which a session began, as its first record with a folder says. `None`: no record has one, or
 * the file cannot be read.
 */
export const projectOf = Effect.fn("projectOf")(function* (file: string) {
  const path = yield* Path.Path
  return yield* inHead(file, ({ cwd }) => (typeof cwd === "string" && path.isAbsolute(cwd) ? cwd : undefined))
})
