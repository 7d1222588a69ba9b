import { FileRefused, TrustedFiles } from "@souffleur/process"
import { ByteSize, Effect, FileSystem, Layer, Option, Path, PlatformError } from "effect"

/** A regular file: it keeps its content when another file takes its name. */
interface Content {
  bytes: Uint8Array
  /** Its permission; 0600 by default. */
  readonly mode?: number
}

const missing = (method: string, path: string, _tag: "AlreadyExists" | "NotFound" = "NotFound") =>
  PlatformError.systemError({ _tag, module: "FileSystem", method, pathOrDescriptor: path })

const infoOf = ({ bytes, mode = 0o600 }: Content): FileSystem.File.Info => ({
  type: "File",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 1n,
  ino: Option.none(),
  mode,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(bytes.length),
  blksize: Option.none(),
  blocks: Option.none()
})

/** Opens a file at its start. Reading and writing move one cursor, as on a host. */
const opened = (content: Content): FileSystem.File => {
  let cursor = 0
  const read: FileSystem.File["read"] = (buffer, { position } = {}) =>
    Effect.sync(() => {
      const from = position === undefined ? cursor : Number(position)
      const part = content.bytes.subarray(from, from + buffer.length)
      buffer.set(part)
      if (position === undefined) cursor += part.length
      return part.length
    })
  const write = (more: Uint8Array) =>
    Effect.sync(() => {
      const whole = new Uint8Array(Math.max(content.bytes.length, cursor + more.length))
      whole.set(content.bytes)
      whole.set(more, cursor)
      content.bytes = whole
      cursor += more.length
      return more.length
    })
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    stat: Effect.sync(() => infoOf(content)),
    seek: (offset, from) => Effect.sync(() => BigInt((cursor = Number(offset) + (from === "start" ? 0 : cursor)))),
    sync: Effect.void,
    read,
    readAlloc: (size, options) =>
      Effect.suspend(() => {
        const buffer = new Uint8Array(size)
        return Effect.map(read(buffer, options), (count) =>
          count === 0 ? Option.none() : Option.some(buffer.subarray(0, count))
        )
      }),
    truncate: (length = 0) => Effect.sync(() => void (content.bytes = content.bytes.slice(0, length))),
    write,
    writeAll: (more) => Effect.asVoid(write(more))
  }
}

/**
 * The files of a host in memory, by their absolute paths. A folder exists once a file is below it, and can always be
 * made. Every file belongs to this user (0600, a program 0700). A method of `FileSystem` that souffleur does not use
 * fails.
 */
export class FakeFiles {
  readonly #contents = new Map<string, Content>()

  /** Writes a file, or replaces it. */
  write(path: string, text: string): this {
    this.#contents.set(path, { bytes: new TextEncoder().encode(text) })
    return this
  }
  /** Puts a program there, so that `run` finds it by its path. It is never run: `FakeLauncher` makes the process. */
  program(path: string): this {
    this.#contents.set(path, { bytes: new TextEncoder().encode("\u007FELF\0"), mode: 0o700 })
    return this
  }
  /** Reads a file; `undefined`: it is not there. */
  read(path: string): string | undefined {
    const content = this.#contents.get(path)
    return content && new TextDecoder().decode(content.bytes)
  }
  /** The paths of all files. */
  get paths(): ReadonlyArray<string> {
    return [...this.#contents.keys()]
  }

  readonly #isFolder = (path: string) => this.paths.some((one) => one.startsWith(`${path}/`))
  readonly #find = (method: string, path: string) =>
    Effect.suspend(() => {
      const content = this.#contents.get(path)
      return content === undefined ? Effect.fail(missing(method, path)) : Effect.succeed(content)
    })
  readonly #files = FileSystem.makeNoop({
    exists: (path) => Effect.sync(() => this.#contents.has(path) || this.#isFolder(path)),
    makeDirectory: () => Effect.void,
    open: (path, { flag = "r" } = {}) =>
      Effect.suspend(() => {
        // A folder is opened only to be synced.
        if (flag === "r") return Effect.succeed(opened(this.#contents.get(path) ?? { bytes: new Uint8Array() }))
        if (flag.includes("x") && this.#contents.has(path)) return Effect.fail(missing("open", path, "AlreadyExists"))
        const content = { bytes: new Uint8Array() }
        this.#contents.set(path, content)
        return Effect.succeed(opened(content))
      }),
    readFile: (path) => Effect.map(this.#find("readFile", path), ({ bytes }) => bytes.slice()),
    readFileString: (path) => Effect.map(this.#find("readFileString", path), () => this.read(path)!),
    remove: (path) => Effect.sync(() => void this.#contents.delete(path)),
    rename: (from, to) =>
      Effect.map(this.#find("rename", from), (content) => {
        this.#contents.delete(from)
        this.#contents.set(to, content)
      }),
    stat: (path) => Effect.map(this.#find("stat", path), infoOf),
    writeFile: (path, bytes) => Effect.sync(() => void this.#contents.set(path, { bytes: bytes.slice() })),
    writeFileString: (path, text) => Effect.sync(() => void this.write(path, text))
  })
  readonly #refused = new Map<string, FileRefused>()
  /** Says of a path that nothing is there. A watcher asks it of the same few paths at each poll. */
  #notThere(path: string): FileRefused {
    const known = this.#refused.get(path) ?? new FileRefused({ path, problem: "it is not there", missing: true })
    this.#refused.set(path, known)
    return known
  }
  readonly #trusted = TrustedFiles.of({
    open: (path) =>
      Effect.suspend(() => {
        const content = this.#contents.get(path) ?? (this.#isFolder(path) ? { bytes: new Uint8Array() } : undefined)
        return content === undefined ? Effect.fail(this.#notThere(path)) : Effect.succeed(opened(content))
      }),
    // No file here is a database.
    rows: (path) => Effect.fail(new FileRefused({ path, problem: "it is no SQLite database", missing: false }))
  })
  /** The ports to files and paths. */
  readonly layer = Layer.mergeAll(
    Layer.succeed(FileSystem.FileSystem, this.#files),
    Layer.succeed(TrustedFiles, this.#trusted),
    Path.layer
  )
}
