import { replaceWith, readTroubleOf } from "@souffleur/process"
import { Effect, FileSystem, type Path, Runtime, Schema } from "effect"
import { characterStart, charactersIn } from "./Characters.ts"
import { conversationLine, headerBytes, readHeader } from "./ExportFormat.ts"

/** The export could not be trimmed; it is as it was. */
export class TrimFailed extends Schema.TaggedError<TrimFailed>()("TrimFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** The result of a trim, with the sizes before and after it. */
export const Trimmed = Schema.Struct({
  /** `false`: it was within the limit and was not changed. */
  trimmed: Schema.Boolean,
  /** Unicode code points of the file after the call. */
  characters: Schema.Int,
  bytesBefore: Schema.Int,
  bytesAfter: Schema.Int,
  /** Bytes of the old file between the kept top and the tail. */
  leftOutBytes: Schema.Int
})
export type Trimmed = typeof Trimmed.Type

/** Most bytes of a character, whole or damaged. */
const maxCharBytes = 4
const blockBytes = 1 << 18
/** Most characters of the top, which is also at most a tenth of the limit. */
const maxTopChars = 50_000

/** An open file, seen through one block of memory. */
interface Source {
  readonly file: FileSystem.File
  readonly size: number
  readonly block: Uint8Array
}

/** Reads the bytes from `from` to `to`, at most a block. They stay until the next read. */
const readBlock = Effect.fnUntraced(function* ({ block, file }: Source, from: number, to: number) {
  const bytes = block.subarray(0, to - from)
  for (let at = 0; at < bytes.length;) {
    const read = yield* file.read(bytes.subarray(at), { position: BigInt(from + at) })
    if (read === 0) return yield* new TrimFailed({ message: "the export changed while it was trimmed" })
    at += read
  }
  return bytes
})

const charactersOf = Effect.fnUntraced(function* (source: Source) {
  let characters = 0
  for (let from = 0; from < source.size;) {
    const to = Math.min(from + blockBytes, source.size)
    const bytes = yield* readBlock(source, from, to)
    const cut = to < source.size ? characterStart(bytes, bytes.length - 1) : bytes.length
    characters += charactersIn(bytes.subarray(0, cut))
    from += cut
  }
  return characters
})

/** Finds the first position from which no more than `maxChars` characters follow. */
const tailOf = Effect.fnUntraced(function* (source: Source, maxChars: number) {
  let left = maxChars
  for (let to = source.size; to > 0;) {
    const from = Math.max(0, to - blockBytes)
    const bytes = yield* readBlock(source, from, to)
    const start = from === 0 ? 0 : characterStart(bytes, maxCharBytes - 1)
    const count = charactersIn(bytes.subarray(start))
    if (count > left) {
      let tooMuch = start
      let enough = bytes.length
      while (enough - tooMuch > 1) {
        const middle = (tooMuch + enough) >> 1
        if (charactersIn(bytes.subarray(characterStart(bytes, middle))) > left) tooMuch = middle
        else enough = middle
      }
      return enough === bytes.length ? to : from + characterStart(bytes, enough)
    }
    left -= count
    to = from + start
  }
  return 0
})

/** Finds the first start of a line from `position` up to `last`; `position` itself when there is none. */
const lineStartFrom = Effect.fnUntraced(function* (source: Source, position: number, last: number) {
  for (let from = Math.max(0, position - 1); from < last; from += blockBytes) {
    const newline = (yield* readBlock(source, from, Math.min(from + blockBytes, last))).indexOf(10)
    if (newline >= 0) return from + newline + 1
  }
  return position
})

/**
 * Reads the header and the summary of souffleur's own exports, or the first lines of others. It reads whole lines, at
 * most `maxChars` characters.
 */
const topOf = Effect.fnUntraced(function* (source: Source, maxChars: number) {
  const end = Math.min(blockBytes, source.size, Math.max(headerBytes, maxChars * maxCharBytes))
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(yield* readBlock(source, 0, end))
  const header = readHeader(text.slice(0, headerBytes))
  const conversation = header._tag === "Own" ? `${conversationLine(header.nonce)}\n` : ""
  const found = conversation === "" ? -1 : text.indexOf(`\n${conversation}`)
  const before = found < 0 ? [...text].slice(0, maxChars).join("") : text.slice(0, found + 1)
  const kept = [...before].length > maxChars ? [...before].slice(0, maxChars).join("") : before
  const lines = kept.slice(0, kept.lastIndexOf("\n") + 1)
  // The markers in the tail count only with the nonce.
  return header._tag === "Own"
    ? `${lines === "" ? text.slice(0, text.indexOf("\n") + 1) : lines}${conversation}`
    : lines
})

const notice = (leftOut: number, limit: number) =>
  `\n[older conversation is left out here, ${leftOut} bytes of this export, to keep within ${limit} characters]\n\n`

const utf8 = new TextEncoder()

/**
 * Trims an export in place to at most `limit` Unicode code points (spec: behaviour#trim). It keeps the header and
 * summary at the top, and the newest tail from the start of a line. A line between them says how much is left out. It
 * reads only the two ends of the file. When a single line takes more than half of the tail, the tail begins inside that
 * line. Fails with `TrimFailed`.
 *
 * @example
 * ```ts
 * import { trim } from "@souffleur/recovery"
 * import { Effect } from "effect"
 *
 * const trimmed = trim("/tmp/export.md", 1_200_000).pipe(
 *   Effect.map(({ leftOutBytes }) => `${leftOutBytes} bytes are left out`),
 *   Effect.catchTag("TrimFailed", ({ message }) => Effect.succeed(message))
 * )
 * ```
 */
export const trim: (
  path: string,
  limit: number
) => Effect.Effect<Trimmed, TrimFailed, FileSystem.FileSystem | Path.Path> = Effect.fn("Trim.trim")(
  function* (path: string, limit: number) {
    if (!Number.isSafeInteger(limit) || limit < 1)
      return yield* new TrimFailed({ message: "the limit is not a positive integer" })
    const fs = yield* FileSystem.FileSystem
    // A pipe would block its opener.
    if ((yield* fs.stat(path)).type !== "File")
      return yield* new TrimFailed({ message: "the export is not a regular file" })
    const file = yield* fs.open(path)
    const before = yield* file.stat
    const size = Number(before.size)
    const source = { file, size, block: new Uint8Array(blockBytes) }

    // A longer file is over the limit without being counted.
    if (size <= limit * maxCharBytes) {
      const characters = yield* charactersOf(source)
      if (characters <= limit)
        return { trimmed: false, characters, bytesBefore: size, bytesAfter: size, leftOutBytes: 0 }
    }

    const wholeTop = yield* topOf(source, Math.min(Math.floor(limit / 10), maxTopChars))
    const said = notice(size, limit).length
    // With a limit that is too small for the frame, only the tail is left.
    const framed = [...wholeTop].length + said <= limit / 2
    const top = framed ? wholeTop : ""
    const first = yield* tailOf(source, framed ? limit - [...top].length - said : limit)
    const start = yield* lineStartFrom(source, first, first + Math.floor((size - first) / 2))
    const leftOutBytes = Math.max(0, start - utf8.encode(top).length)
    const opening = utf8.encode(framed ? `${top}${notice(leftOutBytes, limit)}` : "")

    const characters = yield* replaceWith(
      path,
      Effect.fnUntraced(function* ({ file: out }) {
        yield* out.writeAll(opening)
        for (let from = start; from < size; from += blockBytes) {
          yield* out.writeAll(yield* readBlock(source, from, Math.min(from + blockBytes, size)))
        }
        const written = yield* charactersOf({ ...source, file: out, size: opening.length + size - start })
        if ((yield* file.stat).size !== before.size)
          return yield* new TrimFailed({ message: "the export changed while it was trimmed" })
        return written
      })
    )
    return { trimmed: true, characters, bytesBefore: size, bytesAfter: opening.length + size - start, leftOutBytes }
  },
  Effect.scoped,
  (trimming, path) =>
    Effect.catchTag(trimming, "PlatformError", (error) =>
      Effect.fail(new TrimFailed({ message: `the export ${path} cannot be trimmed: ${readTroubleOf(error)}` }))
    )
)
