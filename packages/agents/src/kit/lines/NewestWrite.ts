import { Effect, FileSystem } from "effect"
import { writtenAtOf } from "./Tail.ts"

/** Returns when the newest of these files was last written, epoch ms; 0: none is there. */
export const newestWrite = Effect.fn("newestWrite")(function* (files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const times = yield* Effect.forEach(files, (file) =>
    fs.stat(file).pipe(
      Effect.map(writtenAtOf),
      Effect.orElseSucceed(() => 0)
    )
  )
  return Math.max(0, ...times)
})
