import type { Compacted, SessionMark } from "@souffleur/domain"
import { Effect } from "effect"
import { recordOf } from "../lines/JsonRecord.ts"
import { linesSince } from "../lines/Since.ts"
import type { Sayings } from "./Said.ts"

/** Bytes of a line at most. A summary has some thousands. */
const lineLimit = 4 << 20

/**
 * Looks for a compaction after a mark (spec: behaviour#standard_compact). Exit codes prove nothing. The summary may be
 * in a later record, and not always at once; without it the session would continue from nothing. A file that cannot be
 * read proves nothing.
 */
export const saidCompacted = Effect.fn("saidCompacted")(
  function* (sayings: Sayings, mark: SessionMark) {
    let found: Compacted = "not yet"
    yield* linesSince(mark, lineLimit, (line) => {
      for (const said of sayings(recordOf(line) ?? {})) {
        if (said._tag === "Compacted" && found === "not yet")
          found = said.summary === undefined ? "boundary" : "summary"
        if (said._tag === "Summary" && found === "boundary") found = "summary"
      }
    })
    return found as Compacted
  },
  Effect.scoped,
  Effect.orElseSucceed((): Compacted => "not yet")
)
