import * as fs from "node:fs"
import { FileRefused, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Layer } from "effect"
import { ownFolder } from "./Folder.ts"
import { foreignRows } from "../sqlite/ForeignRows.ts"
import { openTrusted, refusalAt } from "./TrustedFile.ts"

/** Makes the folder of souffleur's own files, if it is missing. Fails with `FileRefused` where it cannot be used. */
export const stateFolder = Effect.fn("TrustedFiles.stateFolder")(function* (path: string) {
  const refusal = yield* Effect.sync(() => ownFolder(path))
  if (refusal !== undefined) return yield* new FileRefused({ path, problem: refusal.problem, missing: false })
})

/** Removes a folder that has nothing in it. Returns whether it is gone. */
export const removeEmptyFolder = Effect.fn("TrustedFiles.removeEmptyFolder")((path: string) =>
  Effect.try({ try: () => fs.rmdirSync(path), catch: () => undefined }).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => !fs.existsSync(path))
  )
)

/** {@link TrustedFiles} of this host. */
export const layer: Layer.Layer<TrustedFiles, never, FileSystem.FileSystem> = Layer.effect(
  TrustedFiles,
  Effect.map(FileSystem.FileSystem, (files) =>
    TrustedFiles.of({
      open: Effect.fn("TrustedFiles.open")((path, trust) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            const file = openTrusted(path, trust)
            return typeof file === "number" ? Effect.succeed(file) : Effect.fail(new FileRefused({ path, ...file }))
          }),
          // Opens the same file again, by its descriptor instead of its name, for Effect's own reading.
          (file) =>
            Effect.mapError(
              files.open(`/dev/fd/${file}`, { flag: "r" }),
              ({ reason }) => new FileRefused({ path, problem: `it cannot be read (${reason._tag})`, missing: false })
            ),
          (file) => Effect.sync(() => fs.closeSync(file))
        )
      ),
      rows: Effect.fn("TrustedFiles.rows")((path, trust, asked) =>
        Effect.suspend(() => {
          // SQLite takes rows from the files beside it too.
          const [refused] = ["", "-wal", "-shm"].flatMap((part) => {
            const refusal = refusalAt(path + part, trust)
            const unneeded = part !== "" && refusal?.missing === true
            return refusal === undefined || unneeded ? [] : [new FileRefused({ path: path + part, ...refusal })]
          })
          return refused === undefined ? foreignRows(path, asked) : Effect.fail(refused)
        })
      )
    })
  )
)
