import { ExportFailed, type Export } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path, type PlatformError, Random } from "effect"
import * as ByteString from "./ByteString.ts"
import { type Conversation, makeConversation } from "./Conversation.ts"
import { type FilesModified, makeFilesModified } from "./FilesModified.ts"
import { type Lines, makeLines } from "./Lines.ts"
import { sessionIdOf } from "./SessionFile.ts"

const blockSize = 1 << 20
/** Bytes of a record; a longer one is left out, so that memory stays bounded. */
const lineLimit = 16 << 20
/** A record shorter than this is always parsed; see {@link isOther}. */
const small = 4_096

const hex = Random.nextIntBetween(0, 2 ** 32, { halfOpen: true }).pipe(Effect.map((n) => n.toString(16).padStart(8, "0")))
const makeNonce = Effect.map(Effect.all([hex, hex, hex, hex]), (words) => words.join(""))

/** Beginning with a `type` that is no part of a conversation: most of a session file's bytes, so not parsed at all. */
const isOther = (line: string): boolean =>
  line.length > small &&
  line.startsWith('{"type":"') &&
  !/^(?:user|assistant|system|attachment)"/.test(line.slice(9, 22)) &&
  line.endsWith("}")

/** What comes of the lines of one session file. */
interface Reading {
  readonly lines: Lines
  readonly conversation: Conversation
  /** The Markdown since it was last taken, as a byte string. */
  readonly take: () => string
  readonly warnings: () => ReadonlyArray<string>
}

const makeReading = (marker: string, files: FilesModified): Reading => {
  const conversation = makeConversation(marker, files)
  let pending = ""
  let malformed = 0
  let torn = false
  const lines = makeLines(lineLimit, (bytes, whole) => {
    const line = ByteString.fromBytes(bytes)
    if (isOther(line)) return
    const asBytes = ByteString.parsesToBytes(line)
    let record: unknown
    try {
      record = JSON.parse(asBytes ? line : ByteString.toText(line))
    } catch {
      if (whole) malformed += 1
      else torn = true
      return
    }
    if (typeof record !== "object" || record === null) malformed += 1
    else pending += conversation.record(record as Readonly<Record<string, unknown>>, asBytes ? (text) => text : ByteString.fromText)
  })
  const counted = (n: number, what: string): ReadonlyArray<string> => (n === 0 ? [] : [`${what}: ${n}`])
  return {
    lines,
    conversation,
    take: () => {
      const taken = pending
      pending = ""
      return taken
    },
    warnings: () => [
      ...counted(lines.tooLong(), "records longer than 16 MB, left out"),
      ...counted(malformed, "lines that are not JSON objects, left out"),
      ...(torn ? ["the last line is torn and was left out"] : []),
      ...counted(conversation.counts.inputsCut, "long tool inputs, shortened"),
      ...counted(conversation.counts.resultsCut, "long tool results, shortened"),
      ...counted(conversation.counts.attachments, "images and other attachments, named but not embedded"),
      ...(conversation.counts.records === 0 ? ["there is no conversation in the session file"] : [])
    ]
  }
}

/** Two looks at a file that are equal when nobody wrote to it, nor put another in its place. */
const look = (info: FileSystem.File.Info): string =>
  [info.dev, Option.getOrNull(info.ino), info.size, Option.getOrNull(info.mtime)?.getTime()].join(" ")

const copy = Effect.fnUntraced(function* (from: FileSystem.File, to: FileSystem.File, block: Uint8Array) {
  for (let position = 0n; ;) {
    const read = yield* from.read(block, { position })
    if (read === 0) return
    yield* to.writeAll(block.subarray(0, read))
    position += BigInt(read)
  }
})

const failed = (error: PlatformError.PlatformError): ExportFailed => new ExportFailed({ why: error.message })

/**
 * Streams a session file to Markdown at `out` (spec §2, claude_export, 2), in bounded memory at any size. The export is
 * there whole or not at all, mode 0600; a folder of `out` that is missing is made, mode 0700. Fails when the file cannot be
 * read, `out` cannot be written, or the session file was not the same before and after. Records stand in their order in the
 * file; a branch of the conversation that was given up is not told from the one that went on.
 *
 * The format, which the estimate and the trim rely on:
 *
 * ```
 * <!-- souffleur-export v1 nonce=<32 hex> -->          the very first line
 *                                                      then a title, the session id, agent version, what was left out
 * ## Files Modified                                    at most 200 files
 *
 * <!-- souffleur-conversation nonce=<32 hex> -->       the header ends here, the conversation begins after it
 * <!-- compact_boundary nonce=<32 hex> -->             one for each compaction, alone on its line
 * ```
 *
 * The three kinds of line carry one nonce, 128 random bits that are drawn for each export: no text of a conversation can
 * have it, so a line without it is text. Each stands alone on its line, between empty lines. Everything is UTF-8, lines end
 * with `\n`, and there are no control characters but tab and newline.
 */
export const exportTranscript = Effect.fn("TranscriptExport.export")(
  function* (
    file: string,
    out: string
  ): Effect.fn.Return<Export, ExportFailed | PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const nonce = yield* makeNonce
    const folder = path.dirname(path.resolve(out))
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })

    // A temporary name of its own, and exclusive: a second export to `out`, or a link put there, is never written through.
    const temporary = (name: string) =>
      Effect.gen(function* () {
        const path = `${out}.${nonce.slice(0, 8)}.${name}`
        yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(path, { force: true })))
        return { path, file: yield* fs.open(path, { flag: "wx+", mode: 0o600 }) }
      })

    return yield* Effect.scoped(
      Effect.gen(function* () {
        // Looked at before it is opened: opening a pipe would wait for ever.
        const before = yield* fs.stat(file)
        if (before.type !== "File") return yield* new ExportFailed({ why: "the session file is no regular file" })
        const source = yield* fs.open(file, { flag: "r" })
        const body = yield* temporary("body")

        const files = makeFilesModified()
        const reading = makeReading(`<!-- compact_boundary nonce=${nonce} -->`, files)
        const block = new Uint8Array(blockSize)
        const drain = Effect.suspend(() => {
          const taken = reading.take()
          return taken === "" ? Effect.void : body.file.writeAll(ByteString.toBytes(taken))
        })
        for (let read = yield* source.read(block); read > 0; read = yield* source.read(block)) {
          reading.lines.push(block.subarray(0, read))
          yield* drain
        }
        reading.lines.end()
        yield* drain
        const after = [look(yield* source.stat), look(yield* fs.stat(file))]
        if (after.some((seen) => seen !== look(before))) {
          return yield* new ExportFailed({ why: "the session file changed while it was exported" })
        }

        const { counts } = reading.conversation
        const warnings = reading.warnings()
        const header = [
          `<!-- souffleur-export v1 nonce=${nonce} -->`,
          "",
          `# Session ${sessionIdOf(file)}`,
          "",
          `- Agent: Claude Code ${counts.version}`,
          `- Records: ${counts.records}`,
          ...warnings.map((warning) => `- Note: ${warning}`),
          "",
          files.section(),
          `<!-- souffleur-conversation nonce=${nonce} -->`,
          "",
          ""
        ].join("\n")
        const whole = yield* temporary("tmp")
        yield* whole.file.writeAll(ByteString.toBytes(header))
        yield* copy(body.file, whole.file, block)
        yield* whole.file.sync
        const bytes = Number((yield* whole.file.stat).size)
        yield* fs.rename(whole.path, out)
        yield* Effect.flatMap(fs.open(folder, { flag: "r" }), (opened) => opened.sync)
        return { path: out, bytes, records: counts.records, warnings }
      })
    )
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(failed(error)))
)
