import { Effect, FileSystem, Path, Random } from "effect"

/** Syncs a file, or the names in a folder, so that they survive a power cut. Fails with `PlatformError`. */
export const sync = Effect.fn("sync")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* fs.open(path, { flag: "r" })
  yield* opened.sync
}, Effect.scoped)

/**
 * Creates a file (0600) that is on disk when this succeeds. Fails with `PlatformError`, also when the name is taken.
 */
export const createDurably = Effect.fn("createDurably")(function* (path: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  const file = yield* fs.open(path, { flag: "wx", mode: 0o600 })
  yield* file.writeAll(bytes)
  yield* file.sync
  yield* sync(dirname(path))
}, Effect.scoped)

/** Recognises the name of a {@link Draft}, or of the temporary folder (`.new-…`) of one. */
export const isDraft = (name: string): boolean => /^\.new-|\.[0-9a-f]{1,8}\.tmp$/u.test(name)

/** A file that takes the name of another file once it is whole. */
export interface Draft {
  readonly path: string
  readonly file: FileSystem.File
}

/**
 * Replaces a file with the content that `write` gives a draft. The file is there whole, or as it was, and on disk when
 * this succeeds. The draft has a random name and is opened exclusively, so no other file is overwritten or removed.
 * Fails with `PlatformError`, and as `write` does.
 */
export const replaceWith = Effect.fn("replaceWith")(function* <A, E, R>(
  path: string,
  write: (draft: Draft) => Effect.Effect<A, E, R>,
  mode = 0o600
) {
  const fs = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  const draft = `${path}.${(yield* Random.nextIntBetween(0, 2 ** 32, { halfOpen: true })).toString(16)}.tmp`
  const file = yield* fs.open(draft, { flag: "wx+", mode })
  const made = yield* write({ path: draft, file }).pipe(
    Effect.tap(file.sync),
    Effect.tap(fs.rename(draft, path)),
    Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true })))
  )
  yield* sync(dirname(path))
  return made
}, Effect.scoped)

/**
 * Replaces a file with a text, whole or not at all, on disk when this succeeds. Fails with `PlatformError`.
 *
 * @example
 * ```ts
 * import { replaceDurably } from "@souffleur/process"
 * import { Effect } from "effect"
 *
 * // After a power cut the file has the old list or the new list, never half of one.
 * const keep = Effect.fn("keep")((done: ReadonlyArray<string>) =>
 *   replaceDurably("/var/lib/app/done.json", JSON.stringify(done))
 * )
 * ```
 */
export const replaceDurably = (path: string, text: string, mode?: number) =>
  replaceWith(path, ({ file }) => file.writeAll(new TextEncoder().encode(text)), mode)
