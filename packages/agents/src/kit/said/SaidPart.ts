import { agentsOwn, type Utterance, type SaidPart, type SaidPlace, type SaidRecord } from "@souffleur/domain"
import { type TrustedFile, TrustedFiles } from "@souffleur/process"
import { Effect, Option } from "effect"
import type { Conversation, Frame, Turns } from "../export/Conversation.ts"
import { makeFilesModified } from "../export/FilesModified.ts"
import { alwaysParsedBytes, type IsOther } from "../export/TranscriptReading.ts"
import { type Json, recordOf, timeOf } from "../lines/JsonRecord.ts"
import { shortLine } from "../lines/Tail.ts"

const newline = 10

/** Bytes of one read, and of a line that is parsed whole. */
const blockBytes = 1 << 20
/** Bytes of a line whose long texts are cut. A longer one is left out. */
const longest = 16 << 20
/** Bytes and lines of a part: an agent may write megabytes that are no conversation. */
const [partBytes, partLines] = [8 << 20, 20_000] as const
/** Bytes that a reader may be behind. One who is further behind gets the end. */
const furthest = 32 << 20
/** Things said after which a part begins with the next record. */
const enough = 100

/** Makes turns that keep what is said, and write nothing. */
const makeSaid = () => {
  let said: Array<Utterance> = []
  const kept = (one: Utterance) => (said.push(one), "")
  const turns: Turns = {
    counts: { records: 0, version: "", inputsCut: 0, resultsCut: 0, attachments: 0 },
    said: (who, text) => (text.trim() === "" ? "" : kept({ _tag: "Words", who, text })),
    toolCall: (name, input, id) => kept({ _tag: "Call", id, name, input }),
    toolResult: (text, failed, id) => kept({ _tag: "Result", id, text, failed }),
    attached: (what) => `[${what.trim()}]`,
    compaction: () => kept({ _tag: "Compacted" }),
    version: () => {}
  }
  const take = () => {
    const taken = said
    said = []
    return taken
  }
  return { turns, take }
}

/** Reads the bytes between two places; fewer where the file is shorter by now. */
const bytesOf = Effect.fnUntraced(function* (source: TrustedFile, from: number, to: number) {
  const bytes = new Uint8Array(Math.max(0, to - from))
  let filled = 0
  for (let read = 1; read > 0 && filled < bytes.length; filled += read)
    read = Number(yield* source.read(bytes.subarray(filled), { position: BigInt(from + filled) }))
  return bytes.subarray(0, filled)
})

/** Returns where the line begins that has the byte before `end`; `undefined`: before `least`. */
const beginOf = Effect.fnUntraced(function* (source: TrustedFile, end: number, least: number) {
  for (let at = end; at > least;) {
    const from = Math.max(least, at - blockBytes)
    const found = (yield* bytesOf(source, from, at)).lastIndexOf(newline)
    if (found !== -1) return from + found + 1
    at = from
  }
  return least === 0 ? 0 : undefined
})

/** Returns where the line ends that goes on at `from`, behind its newline; `undefined`: not before `most`. */
const endOf = Effect.fnUntraced(function* (source: TrustedFile, from: number, most: number) {
  for (let at = from; at < most;) {
    const bytes = yield* bytesOf(source, at, Math.min(most, at + blockBytes))
    const found = bytes.indexOf(newline)
    if (found !== -1) return at + found + 1
    if (bytes.length === 0) break
    at += bytes.length
  }
  return undefined
})

/** A record before it is read; `undefined`: it is too long. */
interface Found {
  readonly json: Json | undefined
  readonly offset: number
  readonly cut?: boolean
}

const leftOut = (offset: number): SaidRecord => ({ offset, at: 0, cut: true, said: [{ _tag: "LeftOut" }] })

const withWords = (records: ReadonlyArray<SaidRecord>) => records.filter(({ said }) => said.length > 0)

/** The records of an agent, as its conversation needs them. */
interface SaidRecords {
  readonly conversation: (frame: Frame) => Conversation
  readonly isOther: IsOther
}

/**
 * Makes the reading of a part of a conversation (spec: command-line#page). Memory and time are bounded for any size of
 * the file and its lines. A last line that is torn is left to a later part.
 */
export const makeSaidPart = ({ conversation, isOther }: SaidRecords) => {
  const text = new TextDecoder()

  /** Parses a line; `undefined`: it is no record. */
  const parsed = (bytes: Uint8Array): Json | undefined => {
    const line = text.decode(bytes)
    return line.length > alwaysParsedBytes && line.trimEnd().endsWith("}") && isOther(line) ? {} : recordOf(line)
  }
  /** Makes a reader of the records of one part, in their order. */
  const makeReader = () => {
    const { take, turns } = makeSaid()
    const { record: speak } = conversation({ turns, files: makeFilesModified() })
    return ({ cut = false, json, offset }: Found): SaidRecord => {
      if (json === undefined) return leftOut(offset)
      speak(json, (one) => one)
      return { offset, at: timeOf(json, 0), cut, said: take() }
    }
  }
  /** Reads a long line with its texts cut. Where its begin or its end is too far away, it is left out. */
  const longLine = Effect.fnUntraced(function* (source: TrustedFile, from: number, to: number | undefined) {
    const line = to === undefined ? undefined : yield* shortLine(source, from, to - from, blockBytes)
    return { json: line === undefined ? undefined : (parsed(line) ?? {}), offset: from, cut: true } satisfies Found
  })

  const before = Effect.fnUntraced(function* (source: TrustedFile, end: number) {
    const found: Array<Found> = []
    let [to, from] = [end, end]
    let [room, long, lines, wanted] = [partBytes, longest, partLines, enough]
    const isOpen = () => from > 0 && room > 0 && long > 0 && lines > 0 && wanted > 0
    const add = (one: Found) => {
      // What an agent says again is known in order alone, so this only counts.
      const here = makeReader()(one).said.length
      if (here > 0) found.push(one)
      wanted -= here
      from = one.offset
    }
    const addLine = (bytes: Uint8Array, offset: number) => {
      const json = parsed(bytes)
      // The agent writes its last line at this moment.
      if (json === undefined && offset + bytes.length === end) to = offset
      if (json === undefined) from = offset
      else add({ json, offset })
    }
    while (isOpen()) {
      const [was, start] = [from, Math.max(0, from - blockBytes)]
      const block = yield* bytesOf(source, start, from)
      if (block.length < from - start) break
      const whole = block.at(-1) === newline ? block.length - 1 : block.length
      const first = start === 0 ? 0 : block.subarray(0, whole).indexOf(newline) + 1
      if (first > 0 || start === 0) {
        for (let stop = whole; stop >= first && isOpen(); lines--) {
          const begin = Math.max(first, block.subarray(0, stop).lastIndexOf(newline) + 1)
          if (begin === stop) from = start + begin
          else addLine(block.subarray(begin, stop), start + begin)
          stop = begin - 1
        }
        room -= was - from
        continue
      }
      const least = Math.max(0, from - long)
      const begin = yield* beginOf(source, start, least)
      // The part before it has room for the line.
      if (begin === undefined && long < longest) break
      add(yield* longLine(source, begin ?? least, begin === undefined ? undefined : from))
      long -= was - from
    }
    return { records: withWords(found.toReversed().map(makeReader())), from, to } satisfies SaidPart
  })

  const after = Effect.fnUntraced(function* (source: TrustedFile, from: number, size: number) {
    const read = makeReader()
    const block = yield* bytesOf(source, from, Math.min(size, from + blockBytes))
    const end = block.lastIndexOf(newline) + 1
    const records: Array<SaidRecord> = []
    const part = (to: number) => ({ records: withWords(records), from, to }) satisfies SaidPart
    for (let begin = 0; begin < end;) {
      const stop = block.indexOf(newline, begin)
      const json = parsed(block.subarray(begin, stop))
      if (json !== undefined) records.push(read({ json, offset: from + begin }))
      begin = stop + 1
    }
    if (end > 0 || block.length < blockBytes) return part(from + end)
    const most = Math.min(size, from + longest)
    const stop = yield* endOf(source, from + block.length, most)
    // It may not have its end yet.
    if (stop === undefined && most < from + longest) return part(from)
    records.push(read(yield* longLine(source, from, stop)))
    return part(stop ?? most)
  })

  return Effect.fn("conversationPart")(
    function* (path: string, place?: SaidPlace) {
      const source = yield* (yield* TrustedFiles).open(path, agentsOwn)
      const size = Number((yield* source.stat).size)
      // A file that is shorter by now is another one.
      const part =
        place !== undefined && "after" in place && place.after <= size && size - place.after <= furthest
          ? yield* after(source, place.after, size)
          : yield* before(source, place !== undefined && "before" in place ? Math.min(place.before, size) : size)
      return Option.some(part)
    },
    Effect.scoped,
    Effect.orElseSucceed(() => Option.none<SaidPart>())
  )
}
