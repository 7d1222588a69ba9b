import type { SessionMode } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { type Json, recordOf } from "./JsonRecord.ts"
import { fromTheEnd } from "./Tail.ts"

/** Bytes from the end that are searched, and of a line. A turn with pictures may be long. */
const limits = { bytes: 64 << 20, line: 1 << 20 }

/**
 * Returns the mode that the newest record of a session file tells. `modeIn` gets the records from the newest on.
 * `None`: no record tells it, or the file cannot be read.
 */
export const newestMode = Effect.fn("newestMode")(
  function* (file: string, modeIn: (record: Json) => SessionMode | undefined) {
    let found: SessionMode | undefined
    yield* fromTheEnd(file, limits, (line) => {
      const record = recordOf(line)
      if (record !== undefined) found = modeIn(record)
      return found === undefined ? "more" : "enough"
    })
    return Option.fromUndefinedOr(found)
  },
  Effect.orElseSucceed(() => Option.none())
)
