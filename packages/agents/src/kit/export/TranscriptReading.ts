import { type Lines, makeLines } from "@souffleur/domain"
import type { TrustedFile } from "@souffleur/process"
import { Effect } from "effect"
import * as ByteString from "../lines/ByteString.ts"
import { recordOf } from "../lines/JsonRecord.ts"
import type { Conversation } from "./Conversation.ts"

/**
 * Bytes that are read, rendered and written at a time. Twice as many are no faster and take a fifth more memory
 * (measured at 1 GB).
 */
export const blockSize = 1 << 17
/** Bytes of a record at most. A longer record is left out, so that memory stays bounded. */
const lineLimit = 16 << 20
/** Bytes below which a record is always parsed, which finds malformed records. */
export const alwaysParsedBytes = 4_096

/** Tells of a line from its beginning alone that it is no part of the conversation. */
export type IsOther = (line: string) => boolean

/** Reads the lines of one session file. */
export interface TranscriptReading {
  readonly lines: Lines
  readonly conversation: Conversation
  /** Takes the Markdown since the last call, as a byte string. */
  readonly take: () => string
  readonly warnings: () => ReadonlyArray<string>
}

/** Makes a reader of lines. A long line that `isOther` knows is not parsed. */
export const makeTranscriptReading = (conversation: Conversation, isOther: IsOther): TranscriptReading => {
  let pending = ""
  let malformed = 0
  let torn = false
  const lines = makeLines(lineLimit, (bytes, whole) => {
    const line = ByteString.fromBytes(bytes)
    if (line.length > alwaysParsedBytes && line.endsWith("}") && isOther(line)) return
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

/** Reads from a position through two buffers in turn: one is filled while the other is used. */
export const pump = Effect.fnUntraced(function* <E, R>(
  source: TrustedFile,
  use: (bytes: Uint8Array) => Effect.Effect<void, E, R>,
  from = 0
) {
  let block = new Uint8Array(blockSize)
  let spare = new Uint8Array(blockSize)
  for (let position = BigInt(from), read = yield* source.read(block, { position }); read > 0;) {
    position += BigInt(read)
    const [next] = yield* Effect.all([source.read(spare, { position }), use(block.subarray(0, read))], {
      concurrency: 2
    })
    read = next
    ;[block, spare] = [spare, block]
  }
})

/** Finds the first start of a line at `from` or later; the end of the file where there is none. */
export const lineStart = Effect.fnUntraced(function* (source: TrustedFile, from: number) {
  if (from === 0) return 0
  const block = new Uint8Array(blockSize)
  let position = BigInt(from - 1)
  for (let read = yield* source.read(block, { position }); read > 0; read = yield* source.read(block, { position })) {
    const newline = block.subarray(0, read).indexOf(10)
    position += BigInt(newline === -1 ? read : newline + 1)
    if (newline !== -1) break
  }
  return Number(position)
})
