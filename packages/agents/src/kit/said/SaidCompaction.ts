import type { Compacted, SessionMark } from "@souffleur/domain"
import { Effect } from "effect"
import { recordOf } from "../lines/JsonRecord.ts"
import { linesSince } from "../lines/Since.ts"
import type { Sayings } from "./Said.ts"

/** Bytes of a line at most. A summary has some thousands. */
const lineLimit = 4 << 20

/** Looks for a compaction after a mark. Its record has the summary too. A file that cannot be read proves nothing. */
export const saidCompacted = Effect.fn("saidCompacted")(
  function* (sayings: Sayings, mark: SessionMark) {
    let found: Compacted = "not yet"
    yield* linesSince(mark, lineLimit, (line) => {
      if (sayings(recordOf(line) ?? {}).some(({ _tag }) => _tag === "Compacted")) found = "summary"
    })
    return found as Compacted
  },
  Effect.scoped,
  Effect.orElseSucceed((): Compacted => "not yet")
)
