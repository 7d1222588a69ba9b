import * as fs from "node:fs"
import type { Trust } from "@souffleur/domain"
import { FileRefused, TrustedFiles, readTroubleOf } from "@souffleur/process"
import { Effect, FileSystem, Layer, type PlatformError } from "effect"
import { limited } from "./FileLimit.ts"
import { ownFolder } from "./Folder.ts"
import { foreignRows } from "../sqlite/ForeignRows.ts"
import { close, type Opened, opened } from "./LimitedFiles.ts"
import { openTrustedAside, type Refusal, refusalAt } from "./TrustedFile.ts"

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

/** Returns the files of this host. `within` limits each operation on the file of that path. */
const filesWithin = (within: typeof limited) =>
  Effect.map(FileSystem.FileSystem, (files) => {
    const refusing =
      (path: string) =>
      (error: PlatformError.PlatformError): FileRefused =>
        new FileRefused({ path, problem: `it cannot be read (${readTroubleOf(error)})`, missing: false })
    /** Opens the same file again, by its descriptor instead of its name, for Effect's own reading. */
    const opening = Effect.fnUntraced(function* (path: string, trust: Trust) {
      const file = yield* Effect.callback<number | Refusal>((resume) =>
        openTrustedAside(path, trust, (found) => resume(Effect.succeed(found)))
      )
      if (typeof file !== "number") return file
      return yield* Effect.ensuring(
        opened(files.open(`/dev/fd/${file}`, { flag: "r" })),
        Effect.sync(() => fs.closeSync(file))
      )
    })
    const leaving = (path: string) => (found: Opened | Refusal) => ("scope" in found ? close(path)(found) : Effect.void)
    return TrustedFiles.of({
      open: Effect.fnUntraced(function* (path, trust) {
        const leave = leaving(path)
        const found = yield* Effect.acquireRelease(within(path, opening(path, trust), leave), leave).pipe(
          Effect.mapError(refusing(path))
        )
        if (!("scope" in found)) return yield* new FileRefused({ path, ...found })
        const { file } = found
        return {
          stat: within(path, file.stat),
          read: (buffer, options) => within(path, file.read(buffer, options))
        }
      }),
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
  })

/** {@link TrustedFiles} of this host. */
export const layer: Layer.Layer<TrustedFiles, never, FileSystem.FileSystem> = Layer.effect(
  TrustedFiles,
  filesWithin((_, act) => act)
)

/** The same files, with a limit for each operation (spec: behaviour#reads-that-hang). */
export const layerLimited: Layer.Layer<TrustedFiles, never, FileSystem.FileSystem> = Layer.effect(
  TrustedFiles,
  filesWithin(limited)
)
