import type { SessionFile, SessionMark } from "@souffleur/domain"
import { Effect, FileSystem, Option, Predicate, Stream } from "effect"
import { makeLines } from "./Lines.ts"

/** Bytes of a line that is looked at; a boundary has a few hundred. */
const lineLimit = 1 << 20
const newline = 10

const identity = (info: FileSystem.File.Info) => ({ device: String(info.dev), inode: String(Option.getOrElse(info.ino, () => 0n)) })

/** The end of a session file now, and which file it is. */
export const markOf = Effect.fn("Compaction.mark")(function* ({ path }: SessionFile) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(path)
  return { path, ...identity(info), offset: Number(info.size) } satisfies SessionMark
})

const isBoundary = (line: string): boolean => {
  if (!line.includes('"compact_boundary"')) return false
  try {
    const record: unknown = JSON.parse(line)
    return (
      Predicate.isObject(record) &&
      "type" in record &&
      record.type === "system" &&
      "subtype" in record &&
      record.subtype === "compact_boundary"
    )
  } catch {
    return false
  }
}

/**
 * Whether a whole line that began after the mark is a `system` record `compact_boundary` (spec §2, `standard_compact` 5): exit
 * codes prove nothing. What cannot be read, or is another file by now, is no proof either; malformed lines are skipped.
 */
export const compactedSince = Effect.fn("Compaction.since")(
  function* (mark: SessionMark) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* fs.stat(mark.path)
    const { device, inode } = identity(info)
    if (device !== mark.device || inode !== mark.inode || Number(info.size) <= mark.offset) return false
    let found = false
    // The mark may stand in a torn line: what ends that began before. One byte more is read to see whether it does.
    let begun = mark.offset === 0
    const text = new TextDecoder()
    const lines = makeLines(lineLimit, (bytes, whole) => {
      if (whole && !found) found = isBoundary(text.decode(bytes))
    })
    yield* fs.stream(mark.path, { offset: Math.max(0, mark.offset - 1) }).pipe(
      Stream.runForEach((chunk) =>
        Effect.sync(() => {
          if (begun) return lines.push(chunk)
          const end = chunk.indexOf(newline)
          begun = end !== -1
          if (begun) lines.push(chunk.subarray(end + 1))
        })
      )
    )
    lines.end()
    return found
  },
  Effect.orElseSucceed(() => false)
)
