import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, Option, Stream } from "effect"
import { type Json, recordOf } from "./JsonRecord.ts"

/** Bytes from the beginning that are searched: one of the first records of a session says where it began. */
const headBytes = 1 << 20

/**
 * Returns what the first record says that tells anything, from the beginning of a file. `None`: no record tells, or the
 * file cannot be read.
 */
export const inHead = Effect.fn("inHead")(
  function* <A>(file: string, pick: (record: Json) => A | undefined) {
    const files = yield* TrustedFiles
    const text = new TextDecoder()
    let found: A | undefined
    const lines = makeLines(headBytes, (bytes, whole) => {
      const record = whole && found === undefined ? recordOf(text.decode(bytes)) : undefined
      if (record !== undefined) found = pick(record)
    })
    yield* piecesOf(yield* files.open(file, agentsOwn), { bytes: headBytes }).pipe(
      Stream.takeUntil((chunk) => {
        lines.push(chunk)
        return found !== undefined
      }),
      Stream.runDrain
    )
    lines.end()
    return Option.fromUndefinedOr(found)
  },
  Effect.scoped,
  (effect) => Effect.orElseSucceed(effect, () => Option.none())
)
