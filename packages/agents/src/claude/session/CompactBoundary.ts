import type { Compacted, SessionMark } from "@souffleur/domain"
import { Effect } from "effect"
import { recordOf } from "../../kit/lines/JsonRecord.ts"
import { linesSince } from "../../kit/lines/Since.ts"

/** Bytes of a line at most. A boundary has a few hundred, a summary some thousands. */
const lineLimit = 1 << 20

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
 * Finds a complete `compact_boundary` record written after the mark (spec: behaviour#standard_compact). Exit codes
 * prove nothing. The agent writes its summary, a `user` record with `isCompactSummary`, after the boundary, but not
 * always at once, and without a summary the session would continue from nothing. So the summary must be there too. A
 * file that cannot be read, or was replaced, is no proof. Malformed lines are skipped.
 */
export const compactedSince = Effect.fn("compactedSince")(
  function* (mark: SessionMark) {
    let found: Compacted = "not yet"
    yield* linesSince(mark, lineLimit, (line) => {
      if (found === "summary") return
      if (isBoundary(line)) found = "boundary"
      else if (found === "boundary" && isSummary(line)) found = "summary"
    })
    return found as Compacted
  },
  Effect.scoped,
  Effect.orElseSucceed((): Compacted => "not yet")
)
