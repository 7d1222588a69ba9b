import {
  Context,
  Effect,
  type FileSystem,
  Layer,
  type PlatformError,
  Runtime,
  Schema,
  type Scope,
  Stream
} from "effect"
import type { Errands, Trust } from "@souffleur/domain"

/** A file or folder that is refused. `problem` says what is wrong with it, and what to do. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  path: Schema.String,
  problem: Schema.String,
  /** True if nothing is there, which most callers take as an answer. */
  missing: Schema.Boolean
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.path}: ${this.problem}`
  }
}

/** A file that was opened and checked. It stays the same file when another takes its name. */
export type TrustedFile = Pick<FileSystem.File, "stat" | "read">

const notThere = (path: string) => Effect.fail(new FileRefused({ path, problem: "it is not there", missing: true }))

/** A row of a SQLite file of others, by the names of its columns. No field of it is judged yet. */
export type ForeignRow = Readonly<Record<string, unknown>>
/** A `SELECT`, and the values of its placeholders. It bounds its own answer. */
export interface RowsAsked {
  readonly sql: string
  /** The tables that it reads. Each must be a plain one: a view runs what its author wrote. */
  readonly tables: ReadonlyArray<string>
  readonly values: ReadonlyArray<string | number>
}

/**
 * The only place where files that others may have written are opened; later code does not check again. It follows no
 * link and waits for no other end of a pipe. It checks the opened file, not the name. Fails with `FileRefused`.
 */
export class TrustedFiles extends Context.Service<
  TrustedFiles,
  {
    readonly open: (path: string, trust: Trust) => Effect.Effect<TrustedFile, FileRefused, Scope.Scope>
    /**
     * Asks a SQLite file for rows in a second process, and changes no byte of it. SQLite may make its own `-shm` beside
     * it. A file that takes too long is refused, and not asked again for a while.
     */
    readonly rows: (
      path: string,
      trust: Trust,
      asked: RowsAsked
    ) => Effect.Effect<ReadonlyArray<ForeignRow>, FileRefused, Errands>
  }
>()("@souffleur/process/TrustedFiles") {
  /** A layer for tests without files: each path is missing. */
  static readonly layerNone = Layer.succeed(TrustedFiles, { open: notThere, rows: notThere })
}

/** Says in a few words why a file could not be read. */
export const readTroubleOf = ({ reason }: PlatformError.PlatformError): string =>
  reason._tag === "TimedOut" ? (reason.description ?? reason._tag) : reason._tag

/** Bytes of one read of a large file, and of one behind the end that a file had. */
const [blockBytes, leastBytes] = [65_536, 1024]

/** Reads the bytes of a file from `offset` on, at most `bytes` of them, as they arrive. Fails with `PlatformError`. */
export const piecesOf = (
  file: TrustedFile,
  { bytes = Number.POSITIVE_INFINITY, offset = 0 }: { readonly offset?: number; readonly bytes?: number } = {}
): Stream.Stream<Uint8Array, PlatformError.PlatformError> =>
  Stream.unwrap(
    Effect.map(file.stat, ({ size }) =>
      Stream.unfold(offset, (position) => {
        // Most files are small, and many watches read them all the time.
        const block = Math.min(blockBytes, Math.max(leastBytes, Number(size) - position))
        const piece = new Uint8Array(Math.max(0, Math.min(block, offset + bytes - position)))
        if (piece.length === 0) return Effect.succeed(undefined)
        return Effect.map(file.read(piece, { position: BigInt(position) }), (read) =>
          Number(read) === 0 ? undefined : ([piece.subarray(0, Number(read)), position + Number(read)] as const)
        )
      })
    )
  )

/** Reads a whole file. Fails with `FileRefused`, also when the file grows beyond its bound while it is read. */
export const readTrusted = Effect.fnUntraced(function* (path: string, trust: Trust & { readonly atMost: number }) {
  const file = yield* (yield* TrustedFiles).open(path, trust)
  const pieces = yield* Stream.runCollect(piecesOf(file, { bytes: trust.atMost + 1 })).pipe(
    Effect.mapError(
      (error) => new FileRefused({ path, problem: `it cannot be read (${readTroubleOf(error)})`, missing: false })
    )
  )
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0)
  if (whole.length > trust.atMost)
    return yield* new FileRefused({ path, problem: `it is larger than ${trust.atMost} bytes`, missing: false })
  return whole
}, Effect.scoped)

/** Returns the stat of a file or folder without reading it. Fails with `FileRefused`. */
export const lookTrusted = Effect.fn("lookTrusted")(function* (path: string, trust: Trust) {
  const file = yield* (yield* TrustedFiles).open(path, trust)
  return yield* Effect.mapError(
    file.stat,
    (error) => new FileRefused({ path, problem: `it cannot be read (${readTroubleOf(error)})`, missing: false })
  )
}, Effect.scoped)
