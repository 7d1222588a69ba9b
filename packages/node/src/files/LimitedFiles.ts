import { Effect, Exit, FileSystem, Layer, type PlatformError, Scope } from "effect"
import { hangs, limited } from "./FileLimit.ts"

/** An opened file, and the scope that closes it. */
export interface Opened {
  readonly file: FileSystem.File
  readonly scope: Scope.Closeable
}

/** Opens a file under a scope of its own, so that it can be closed if it is opened too late. */
export const opened = Effect.fnUntraced(function* (
  opening: Effect.Effect<FileSystem.File, PlatformError.PlatformError, Scope.Scope>
) {
  const scope = yield* Scope.make()
  return { scope, file: yield* Scope.provide(opening, scope) } satisfies Opened
})

/** Closes a file. Nobody waits for a file system that hangs. */
export const close =
  (path: string) =>
  ({ scope }: Opened): Effect.Effect<void> =>
    Effect.suspend(() => {
      const closing = Scope.close(scope, Exit.void)
      return hangs(path) ? Effect.asVoid(Effect.forkDetach(closing)) : closing
    })

/** Limits each read of an opened file. */
const limitedFile = (path: string, file: FileSystem.File): FileSystem.File => ({
  [FileSystem.FileTypeId]: FileSystem.FileTypeId,
  stat: limited(path, file.stat),
  seek: (offset, from) => file.seek(offset, from),
  sync: file.sync,
  read: (buffer, options) => limited(path, file.read(buffer, options)),
  readAlloc: (size, options) => limited(path, file.readAlloc(size, options)),
  truncate: (length) => file.truncate(length),
  write: (buffer) => file.write(buffer),
  writeAll: (buffer) => file.writeAll(buffer)
})

/** Provides the same files, with a limit for each operation that opens or reads (spec: behaviour#reads-that-hang). */
export const layer: Layer.Layer<FileSystem.FileSystem, never, FileSystem.FileSystem> = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (files) =>
    FileSystem.make({
      ...files,
      access: (path, options) => limited(path, files.access(path, options)),
      lstat: (path) => limited(path, files.lstat(path)),
      open: (path, options) =>
        Effect.acquireRelease(limited(path, opened(files.open(path, options)), close(path)), close(path)).pipe(
          Effect.map(({ file }) => limitedFile(path, file))
        ),
      readDirectory: (path, options) => limited(path, files.readDirectory(path, options)),
      readDirectoryEntries: (path) => limited(path, files.readDirectoryEntries(path)),
      readFile: (path) => limited(path, files.readFile(path)),
      readLink: (path) => limited(path, files.readLink(path)),
      realPath: (path) => limited(path, files.realPath(path)),
      stat: (path) => limited(path, files.stat(path))
    })
  )
)
