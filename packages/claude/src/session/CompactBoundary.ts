import { agentsOwn, type Compacted, makeLines, type SessionMark } from "@souffleur/domain"
import { type FileRefused, piecesOf, TrustedFiles } from "@souffleur/process"
import { fileIdentity, recordOf } from "@souffleur/session"
import { Effect, type PlatformError, type Scope, Stream } from "effect"

/** Bytes of a line at most. A boundary has a few hundred, a summary some thousands. */
const lineLimit = 1 << 20
const newline = 10

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
 * Looks for a `system` record `compact_boundary` was written as a whole line after the mark (spec:
 * behaviour#standard_compact). Exit codes prove nothing. The agent writes its summary, a `user` record with
 * `isCompactSummary`, after it, but not always at once. Without the summary the session would continue from nothing, so
 * it must be there too. A file that cannot be read, or was replaced, is no proof. Malformed lines are skipped.
 */
export const compactedSince = Effect.fn("compactedSince")(
  function* (
    mark: SessionMark
  ): Effect.fn.Return<Compacted, FileRefused | PlatformError.PlatformError, Scope.Scope | TrustedFiles> {
    const file = yield* (yield* TrustedFiles).open(mark.path, agentsOwn)
    const info = yield* file.stat
    const { device, inode } = fileIdentity(info)
    if (device !== mark.device || inode !== mark.inode || Number(info.size) <= mark.offset) return "not yet"
    let found: Compacted = "not yet"
    // The mark may be inside a torn line, which began before the mark. One more byte is read to find out.
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
