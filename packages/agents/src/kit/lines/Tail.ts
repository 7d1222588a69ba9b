import { agentsOwn, Bounds } from "@souffleur/domain"
import { type FileRefused, piecesOf, type TrustedFile, TrustedFiles } from "@souffleur/process"
import { Effect, type FileSystem, Option, type PlatformError, Stream } from "effect"
import { makeShortStrings } from "./ShortStrings.ts"

const blockBytes = 256 * 1024
const newline = 10

/** Returns the time of the last write in epoch milliseconds; 0: the file system does not say. */
export const writtenAtOf = ({ mtime }: FileSystem.File.Info): number =>
  Bounds.time(Option.getOrUndefined(mtime)?.getTime()) ?? 0

/** Returns a text that stays equal as long as the file is neither written nor replaced. */
export const stateOf = (info: FileSystem.File.Info): string =>
  [info.dev, Option.getOrNull(info.ino), info.size, Option.getOrNull(info.mtime)?.getTime()].join(" ")

/** The bounds of reading from the end of a file. */
export interface TailLimits {
  /** Bytes that are read at most, from the end. A line that is longer than a line may be does not count. */
  readonly bytes: number
  /** Bytes of a line at most. A longer line has its long strings cut, or is left out where that is not enough. */
  readonly line: number
}

/** Bytes from the end in which a longer line may begin. */
const furthest = 128 << 20

/** Reads a line of `length` bytes with its long strings cut; nothing where it is longer than `limit` all the same. */
export const shortLine = Effect.fnUntraced(function* (
  source: TrustedFile,
  offset: number,
  length: number,
  limit: number
) {
  const short = makeShortStrings(limit)
  yield* Stream.runForEach(piecesOf(source, { offset, bytes: length }), (piece) => Effect.sync(() => short.push(piece)))
  return short.result()
})

/**
 * Calls back with the lines of a file, from the last to the first. It stops when `onLine` has enough, at the beginning,
 * or after `bytes`. Memory is bounded for any size of the file and its lines. Returns when the file was last written.
 *
 * @example
 * ```ts
 * import { fromTheEnd, recordOf } from "@souffleur/agents"
 * import { Effect } from "effect"
 *
 * const limits = { bytes: 8 << 20, line: 1 << 20 }
 *
 * // The newest record of an answer, within the limits.
 * const newestAnswer = Effect.fn("newestAnswer")(function* (file: string) {
 *   let found = recordOf("")
 *   yield* fromTheEnd(file, limits, (line) => {
 *     const record = recordOf(line)
 *     if (record?.["role"] === "assistant") found = record
 *     return found === undefined ? "more" : "enough"
 *   })
 *   return found
 * })
 * ```
 */
export const fromTheEnd = Effect.fn("Tail.fromTheEnd")(function* (
  file: string,
  limits: TailLimits,
  onLine: (line: string, writtenAt: number) => "more" | "enough"
): Effect.fn.Return<number, FileRefused | PlatformError.PlatformError, TrustedFiles> {
  const files = yield* TrustedFiles
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const source = yield* files.open(file, agentsOwn)
      const info = yield* source.stat
      const writtenAt = writtenAtOf(info)
      const text = new TextDecoder()
      const size = Number(info.size)
      let least = Math.max(0, size - limits.bytes)

      // The end of a line that begins in an earlier block, nearest last.
      let parts: Array<Uint8Array> = []
      let carried = 0
      const keep = (part: Uint8Array) => {
        carried += part.length
        if (carried > limits.line) parts = []
        else parts.push(part.slice())
      }
      const finished = Effect.fnUntraced(function* (begin: number) {
        const long = carried > limits.line
        const line = long ? yield* shortLine(source, begin, carried, limits.line) : Buffer.concat(parts.toReversed())
        if (long) least = Math.max(0, least - carried)
        parts = []
        carried = 0
        const said = text.decode(line)
        return said.trim() === "" ? "more" : onLine(said, writtenAt)
      })

      const bytes = new Uint8Array(Math.min(blockBytes, size))
      const last = () => (carried > limits.line ? Math.max(0, size - furthest) : least)
      for (let end = size; end > last();) {
        const start = Math.max(last(), end - bytes.length)
        const here = bytes.subarray(0, end - start)
        for (let filled = 0; filled < here.length;) {
          const read = Number(yield* source.read(here.subarray(filled), { position: BigInt(start + filled) }))
          // The file became shorter, so it is another file.
          if (read === 0) return writtenAt
          filled += read
        }
        let stop = here.length
        for (
          let at = here.lastIndexOf(newline);
          at !== -1;
          at = stop === 0 ? -1 : here.lastIndexOf(newline, stop - 1)
        ) {
          keep(here.subarray(at + 1, stop))
          if ((yield* finished(start + at + 1)) === "enough") return writtenAt
          stop = at
        }
        keep(here.subarray(0, stop))
        end = start
        if (end === 0) yield* finished(0)
      }
      return writtenAt
    })
  )
})
