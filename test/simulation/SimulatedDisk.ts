import { FileRefused, TrustedFiles } from "@souffleur/process"
import { ByteSize, Effect, FileSystem, Option, PlatformError } from "effect"

interface Content {
  bytes: Uint8Array
  /** The number of bytes that outlive a power cut. */
  synced: number
  /** The time at which it was written last, on the monotonic clock; ms. */
  writtenAt: number
}

const failure = (tag: PlatformError.SystemErrorTag, method: string, path: string) =>
  PlatformError.systemError({ _tag: tag, module: "FileSystem", method, pathOrDescriptor: path })

/** Holds files in memory. It has the part of Effect's `FileSystem` that souffleur uses, and is as real as that. */
export class Disk {
  readonly files = new Map<string, Content>()
  /** True if no space is left: half of a write gets there. */
  full = false
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** The time at which a file was written last; long ago for a file that is not there. */
  writtenAt(path: string): number {
    return this.files.get(path)?.writtenAt ?? -Infinity
  }

  write(path: string, text: string): void {
    const bytes = new TextEncoder().encode(text)
    this.files.set(path, { bytes, synced: bytes.length, writtenAt: this.#now() })
  }

  /** Cuts the power: all that was not synced is lost. */
  cut(): void {
    for (const content of this.files.values()) content.bytes = content.bytes.subarray(0, content.synced)
  }

  read(path: string): string | undefined {
    const found = this.files.get(path)
    return found === undefined ? undefined : new TextDecoder().decode(found.bytes)
  }

  #info({ bytes }: Content): FileSystem.File.Info {
    const none = Option.none()
    return {
      type: "File",
      mtime: none,
      atime: none,
      birthtime: none,
      dev: 1n,
      ino: none,
      mode: 0o600,
      nlink: none,
      uid: none,
      gid: none,
      rdev: none,
      size: ByteSize.bytes(bytes.length),
      blksize: none,
      blocks: none
    }
  }

  #open(path: string, content: Content): FileSystem.File {
    let cursor = 0
    const unused = () => Effect.die("not simulated")
    const append = (bytes: Uint8Array) => {
      const grown = new Uint8Array(content.bytes.length + bytes.length)
      grown.set(content.bytes)
      grown.set(bytes, content.bytes.length)
      Object.assign(content, { bytes: grown, writtenAt: this.#now() })
    }
    return {
      [FileSystem.FileTypeId]: FileSystem.FileTypeId,
      stat: Effect.sync(() => this.#info(content)),
      sync: Effect.sync(() => void (content.synced = content.bytes.length)),
      read: (buffer, options) =>
        Effect.sync(() => {
          const from = options?.position === undefined ? cursor : Number(options.position)
          const piece = content.bytes.subarray(from, from + buffer.length)
          buffer.set(piece)
          if (options?.position === undefined) cursor += piece.length
          return piece.length
        }),
      writeAll: (bytes) =>
        Effect.suspend(() => {
          append(this.full ? bytes.subarray(0, bytes.length >> 1) : bytes)
          return this.full ? Effect.fail(failure("Unknown", "writeAll", path)) : Effect.void
        }),
      seek: unused,
      readAlloc: unused,
      truncate: unused,
      write: unused
    }
  }

  /** Trusted files: all of them are ours. */
  readonly trusted = TrustedFiles.of({
    open: (path) =>
      Effect.mapError(
        this.fileSystem.open(path),
        () => new FileRefused({ path, problem: "it is not there", missing: true })
      ),
    rows: (path) => Effect.fail(new FileRefused({ path, problem: "it is not there", missing: true }))
  })

  readonly fileSystem: FileSystem.FileSystem = FileSystem.makeNoop({
    makeDirectory: () => Effect.void,
    stat: (path) =>
      Effect.suspend(() => {
        const found = this.files.get(path)
        return found === undefined ? Effect.fail(failure("NotFound", "stat", path)) : Effect.succeed(this.#info(found))
      }),
    open: (path, options) =>
      Effect.suspend(() => {
        const found = this.files.get(path)
        const flag = options?.flag ?? "r"
        // A folder has no bytes of its own: names outlive every power cut here.
        const isFolder =
          flag === "r" && found === undefined && [...this.files.keys()].some((name) => name.startsWith(`${path}/`))
        if (isFolder)
          return Effect.succeed(this.#open(path, { bytes: new Uint8Array(), synced: 0, writtenAt: this.#now() }))
        if (flag.startsWith("wx") && found !== undefined) return Effect.fail(failure("AlreadyExists", "open", path))
        if (!flag.startsWith("w") && found === undefined) return Effect.fail(failure("NotFound", "open", path))
        const content = found ?? { bytes: new Uint8Array(), synced: 0, writtenAt: this.#now() }
        if (flag.startsWith("w")) Object.assign(content, { bytes: new Uint8Array(), synced: 0 })
        this.files.set(path, content)
        return Effect.succeed(this.#open(path, content))
      }),
    exists: (path) => Effect.sync(() => this.files.has(path)),
    readFileString: (path) =>
      Effect.suspend(() => {
        const text = this.read(path)
        return text === undefined ? Effect.fail(failure("NotFound", "readFileString", path)) : Effect.succeed(text)
      }),
    remove: (path) => Effect.sync(() => void this.files.delete(path)),
    rename: (from, to) =>
      Effect.suspend(() => {
        const found = this.files.get(from)
        if (found === undefined) return Effect.fail(failure("NotFound", "rename", from))
        this.files.delete(from)
        this.files.set(to, found)
        return Effect.void
      })
  })
}
