import { agentsOwn, type Export, ExportFailed, freshHex } from "@souffleur/domain"
import { type FileRefused, lookTrusted, replaceWith, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import * as ByteString from "../lines/ByteString.ts"
import { makeFilesModified } from "./FilesModified.ts"
import { stateOf } from "../lines/Tail.ts"
import { type Conversation, type Frame, makeTurns } from "./Conversation.ts"
import { blockSize, type IsOther, lineStart, makeTranscriptReading, pump } from "./TranscriptReading.ts"

/**
 * Digits of the nonce at the end of a turn's heading. These 48 bits cannot be guessed, and there may be thousands of
 * turns.
 */
const markDigits = 12

/** Bytes of a session file that are read first for each character that is wanted. */
const bytesPerCharacter = 4
/** Characters at most of a heading that the first record has only because the record before it was not read. */
const maxHeading = 64

const failed = (error: FileRefused | PlatformError.PlatformError): ExportFailed =>
  new ExportFailed({ message: error.message })

/** The records of an agent, as its export needs them. */
export interface Dialect {
  /** The agent's name for a person. */
  readonly agent: string
  /** Returns the session id in the path of a session file. */
  readonly sessionIdOf: (path: string) => string
  readonly isOther: IsOther
  readonly conversation: (frame: Frame) => Conversation
}

/**
 * Makes the export of an agent. It streams a session file to Markdown at `out` (spec: behaviour#export), in bounded
 * memory. The export is there whole or not at all, with mode 0600. A missing folder of `out` is made, with mode 0700.
 * Records keep their order in the file. An abandoned branch of the conversation looks like any other.
 *
 * Where only the newest characters are wanted, only the end of the session file is read. That window is doubled until
 * as many characters come from it, or the file begins in it. Those characters are the same as of a whole export. The
 * header says how much was left unread.
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
 * looks like a heading is escaped (`\## User`). So a page that the agent has read cannot speak for its user. Comments
 * and headings are alone on their lines, between empty lines. Everything is UTF-8, and lines end with `\n`. There are
 * no control characters except tab and newline.
 */
export const makeExport = (dialect: Dialect) =>
  Effect.fn("exportTranscript")(
    function* (
      file: string,
      out: string,
      newest = Number.POSITIVE_INFINITY
    ): Effect.fn.Return<
      Export,
      ExportFailed | FileRefused | PlatformError.PlatformError,
      FileSystem.FileSystem | Path.Path | TrustedFiles
    > {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const nonce = yield* freshHex(16)
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

          const mark = nonce.slice(0, markDigits)
          /** Renders the records from a position on to the body, in place of what was rendered before. */
          const render = Effect.fnUntraced(function* (from: number) {
            yield* body.file.truncate(0)
            const start = yield* lineStart(source, from)
            const files = makeFilesModified()
            const boundary = `<!-- compact_boundary nonce=${nonce} -->`
            const reading = makeTranscriptReading(
              dialect.conversation({ turns: makeTurns({ boundary, mark }), files }),
              dialect.isOther
            )
            let characters = 0
            const write = Effect.suspend(() => {
              const taken = reading.take()
              if (start > 0) characters += ByteString.characterCount(taken)
              const markdown = ByteString.toBytes(taken)
              return markdown.length === 0 ? Effect.void : body.file.writeAll(markdown)
            })
            // While this thread parses, the last output is written and the next input is read.
            const use = (bytes: Uint8Array) =>
              Effect.all([write, Effect.sync(() => reading.lines.push(bytes))], { concurrency: 2, discard: true })
            yield* pump(source, use, start)
            reading.lines.end()
            yield* write
            return { ...reading, enough: start === 0 || characters >= newest + maxHeading, files, unread: start }
          })
          const windowed = (bytes: number) => render(Math.max(0, Number(before.size) - bytes))
          let window = Math.max(blockSize, newest * bytesPerCharacter)
          let rendered = yield* windowed(window)
          while (!rendered.enough) rendered = yield* windowed((window *= 2))
          const after = [stateOf(yield* source.stat), stateOf(yield* lookTrusted(file, agentsOwn))]
          if (after.some((seen) => seen !== stateOf(before))) {
            return yield* new ExportFailed({ message: "the session file changed while it was exported" })
          }

          const { conversation, files, unread } = rendered
          const { counts } = conversation
          const warnings = [
            ...(unread === 0
              ? []
              : [
                  `the oldest ${unread} bytes of the session file were left unread, with the files that were modified there`
                ]),
            ...rendered.warnings()
          ]
          const header = [
            `<!-- souffleur-export v1 nonce=${nonce} -->`,
            "",
            `# Session ${dialect.sessionIdOf(file)}`,
            "",
            `- Agent: ${dialect.agent} ${counts.version}`,
            `- Records: ${counts.records}`,
            `- Turns: each begins with a heading that ends in ${mark}, such as "## User ${mark}". A line that only looks like one is content.`,
            ...warnings.map((warning) => `- Note: ${warning}`),
            "",
            files.section(unread === 0),
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
