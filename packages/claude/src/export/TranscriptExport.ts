import { agentsOwn, type Export, ExportFailed, type Lines, makeLines } from "@souffleur/domain"
import { type FileRefused, replaceWith, type TrustedFile, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, type PlatformError, Random } from "effect"
import * as ByteString from "../lines/ByteString.ts"
import { type Conversation, makeConversation } from "./Conversation.ts"
import { type FilesModified, makeFilesModified } from "./FilesModified.ts"
import { recordOf } from "../session/Records.ts"
import { sessionIdOf } from "../session/SessionFile.ts"

/**
 * Bytes that are read, rendered and written at a time. Twice as many are no faster and take a fifth more memory
 * (measured at 1 GB).
 */
const blockSize = 1 << 17
/** Bytes of a record at most. A longer record is left out, so that memory stays bounded. */
const lineLimit = 16 << 20
/** Bytes below which a record is always parsed, which finds malformed records. */
const alwaysParsedBytes = 4_096

/**
 * Digits of the nonce at the end of a turn's heading: 48 bits cannot be guessed, and there may be thousands of turns.
 */
const markDigits = 12

const hex = Random.nextIntBetween(0, 2 ** 32, { halfOpen: true }).pipe(
  Effect.map((n) => n.toString(16).padStart(8, "0"))
)
const makeNonce = Effect.map(Effect.all([hex, hex, hex, hex]), (words) => words.join(""))

/**
 * Matches a record that the agent writes for itself: snapshots of prompts and requests, most of a session file's bytes.
 * The keys at its beginning identify it, in the order that the agent writes them, so it need not be parsed.
 */
const other =
  /^\{(?:"parentUuid":(?:null|"[\w-]*"),"isSidechain":(?:true|false),"attachment":\{"type":"(?!file"|queued_command")|"type":"(?!user"|assistant"|system"|attachment"))/
const isOther = (line: string): boolean => line.length > alwaysParsedBytes && line.endsWith("}") && other.test(line)

/** Reads the lines of one session file. */
interface Reading {
  readonly lines: Lines
  readonly conversation: Conversation
  /** Takes the Markdown since the last call, as a byte string. */
  readonly take: () => string
  readonly warnings: () => ReadonlyArray<string>
}

const makeReading = (marker: string, mark: string, files: FilesModified): Reading => {
  const conversation = makeConversation(marker, mark, files)
  let pending = ""
  let malformed = 0
  let torn = false
  const lines = makeLines(lineLimit, (bytes, whole) => {
    const line = ByteString.fromBytes(bytes)
    if (isOther(line)) return
    const asBytes = ByteString.parsesToBytes(line)
    const record = recordOf(asBytes ? line : ByteString.toText(line))
    if (record !== undefined) pending += conversation.record(record, asBytes ? (text) => text : ByteString.fromText)
    else if (whole) malformed += 1
    else torn = true
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

/** Returns a text that stays equal as long as the file is neither written nor replaced. */
const stateOf = (info: FileSystem.File.Info): string =>
  [info.dev, Option.getOrNull(info.ino), info.size, Option.getOrNull(info.mtime)?.getTime()].join(" ")

/** Reads through two buffers in turn: one is filled while the other is used. */
const pump = Effect.fnUntraced(function* <E, R>(
  source: TrustedFile,
  use: (bytes: Uint8Array) => Effect.Effect<void, E, R>
) {
  let block = new Uint8Array(blockSize)
  let spare = new Uint8Array(blockSize)
  for (let position = 0n, read = yield* source.read(block, { position }); read > 0;) {
    position += BigInt(read)
    const [next] = yield* Effect.all([source.read(spare, { position }), use(block.subarray(0, read))], {
      concurrency: 2
    })
    read = next
    ;[block, spare] = [spare, block]
  }
})

const failed = (error: FileRefused | PlatformError.PlatformError): ExportFailed =>
  new ExportFailed({ message: error.message })

/**
 * Streams a session file to Markdown at `out` (spec: behaviour#export), in bounded memory at any size. The export is
 * there whole or not at all, with mode 0600. A missing folder of `out` is made, with mode 0700. Records keep their
 * order in the file. An abandoned branch of the conversation looks like any other.
 *
 * Fails with `ExportFailed` when the file cannot be read, `out` cannot be written, or the session file changed
 * meanwhile.
 *
 * The format, which the estimate and the trim rely on:
 *
 * ```text
 * <!-- souffleur-export v1 nonce=<32 hex> -->          the very first line
 *                                                      then a title, session id, agent version, omissions
 * ## Files Modified                                    at most 200 files
 *
 * <!-- souffleur-conversation nonce=<32 hex> -->       the header ends here, the conversation begins after it
 * <!-- compact_boundary nonce=<32 hex> -->             one for each compaction, alone on its line
 * ## User <12 hex>                        the beginning of a turn; also `Assistant`, `Summary of what came before`
 * ```
 *
 * The three comments carry one nonce, 128 random bits that are drawn for each export. No text of a conversation can
 * contain it, so a line without it is text. The heading of a turn ends in its first 12 digits. A line of text that
 * looks like a heading is escaped (`\## User`), so a page that the agent has read cannot speak for its user. Comments
 * and headings are alone on their lines, between empty lines. Everything is UTF-8, and lines end with `\n`. There are
 * no control characters except tab and newline.
 */
export const exportTranscript = Effect.fn("exportTranscript")(
  function* (
    file: string,
    out: string
  ): Effect.fn.Return<
    Export,
    ExportFailed | FileRefused | PlatformError.PlatformError,
    FileSystem.FileSystem | Path.Path | TrustedFiles
  > {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const nonce = yield* makeNonce
    const folder = path.dirname(path.resolve(out))
    if (!(yield* fs.exists(folder))) yield* fs.makeDirectory(folder, { mode: 0o700 })

    // A temporary name that is unique and exclusive. So neither a second export to `out` nor a link there is ever
    // written through.
    const temporary = (name: string) =>
      Effect.gen(function* () {
        const path = `${out}.${nonce.slice(0, 8)}.${name}`
        yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(path, { force: true })))
        return { path, file: yield* fs.open(path, { flag: "wx+", mode: 0o600 }) }
      })

    return yield* Effect.scoped(
      Effect.gen(function* () {
        const source = yield* (yield* TrustedFiles).open(file, agentsOwn)
        const before = yield* source.stat
        const body = yield* temporary("body")

        const files = makeFilesModified()
        const mark = nonce.slice(0, markDigits)
        const reading = makeReading(`<!-- compact_boundary nonce=${nonce} -->`, mark, files)
        const write = (markdown: string) =>
          markdown === "" ? Effect.void : body.file.writeAll(ByteString.toBytes(markdown))
        // While this thread parses, the last output is written and the next input is read.
        yield* pump(source, (bytes) =>
          Effect.all([Effect.suspend(() => write(reading.take())), Effect.sync(() => reading.lines.push(bytes))], {
            concurrency: 2,
            discard: true
          })
        )
        reading.lines.end()
        yield* write(reading.take())
        const after = [stateOf(yield* source.stat), stateOf(yield* fs.stat(file))]
        if (after.some((seen) => seen !== stateOf(before))) {
          return yield* new ExportFailed({ message: "the session file changed while it was exported" })
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
          `- Turns: each begins with a heading that ends in ${mark}, such as "## User ${mark}". A line that only looks like one is content.`,
          ...warnings.map((warning) => `- Note: ${warning}`),
          "",
          files.section(),
          `<!-- souffleur-conversation nonce=${nonce} -->`,
          "",
          ""
        ].join("\n")
        const bytes = yield* replaceWith(
          out,
          Effect.fnUntraced(function* ({ file: whole }) {
            yield* whole.writeAll(ByteString.toBytes(header))
            yield* pump(body.file, (bytes) => whole.writeAll(bytes))
            return Number((yield* whole.stat).size)
          })
        )
        return { path: out, bytes, records: counts.records, warnings }
      })
    )
  },
  Effect.catchTags({
    FileRefused: (error) => Effect.fail(failed(error)),
    PlatformError: (error) => Effect.fail(failed(error))
  })
)
