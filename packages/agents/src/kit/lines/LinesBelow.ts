import { Effect, FileSystem, Path } from "effect"

/** The most files that are read of one session, the newest by their names. */
const maxFiles = 10_000

/** Lists the files of JSON lines below a folder, at any depth; none where it cannot be read. */
export const linesBelow = Effect.fn("linesBelow")(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fs.readDirectory(folder, { recursive: true }), () => [])
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .slice(-maxFiles)
    .map((name) => join(folder, name))
})
