import { agentsOwn, type Compacted, makeLines, type SessionFile, type SessionMark } from "@souffleur/domain"
import { type FileRefused, piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, type PlatformError, type Scope, Stream } from "effect"
import { recordOf } from "./Records.ts"

/** Bytes of a line that is looked at; a boundary has a few hundred, a summary some thousands. */
const lineLimit = 1 << 20
const newline = 10

/** Which file it is, as long as it is there. */
export const identityOf = (info: FileSystem.File.Info) => ({
  device: String(info.dev),
  inode: String(Option.getOrElse(info.ino, () => 0n))
})

/** The end of a session file now, and which file it is. */
export const markOf = Effect.fn("markOf")(function* ({ path }: SessionFile) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(path)
  return { path, ...identityOf(info), offset: Number(info.size) } satisfies SessionMark
})

const isBoundary = (line: string): boolean => {
  if (!line.includes('"compact_boundary"')) return false
  const record = recordOf(line)
  return record?.["type"] === "system" && record["subtype"] === "compact_boundary"
}

const isSummary = (line: string): boolean => {
  if (!line.includes('"isCompactSummary"')) return false
  const record = recordOf(line)
  return record?.["type"] === "user" && record["isCompactSummary"] === true
}

/**
 * Whether a whole line that began after the mark is a `system` record `compact_boundary` (spec:
 * behaviour#standard_compact): exit codes prove nothing. The agent writes its summary, a `user` record with
 * `isCompactSummary`, after it, not always at once: without it the session would go on from nothing. What cannot be
 * read, or is another file by now, is no proof; malformed lines are skipped.
 */
export const compactedSince = Effect.fn("compactedSince")(
  function* (
    mark: SessionMark
  ): Effect.fn.Return<Compacted, FileRefused | PlatformError.PlatformError, Scope.Scope | TrustedFiles> {
    const file = yield* (yield* TrustedFiles).open(mark.path, agentsOwn)
    const info = yield* file.stat
    const { device, inode } = identityOf(info)
    if (device !== mark.device || inode !== mark.inode || Number(info.size) <= mark.offset) return "not yet"
    let found: Compacted = "not yet"
    // The mark may stand in a torn line: what ends that began before. One byte more is read to see whether it does.
    let begun = mark.offset === 0
    const text = new TextDecoder()
    const look = (line: string) => {
      if (isBoundary(line)) found = "boundary"
      else if (found === "boundary" && isSummary(line)) found = "summary"
    }
    const lines = makeLines(lineLimit, (bytes, whole) => {
      if (whole && found !== "summary") look(text.decode(bytes))
    })
    yield* piecesOf(file, { offset: Math.max(0, mark.offset - 1) }).pipe(
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
  Effect.scoped,
  Effect.orElseSucceed((): Compacted => "not yet")
)
