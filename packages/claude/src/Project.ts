import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { recordOf } from "@souffleur/session"
import { Effect, Option, Path, Stream } from "effect"

/** Bytes from the beginning that are searched: one of the first records of a session names its folder. */
const headBytes = 1 << 20

/**
 * Returns the folder in which a session began, as its first record with a folder says. `None`: no record has one, or
 * the file cannot be read.
 */
export const projectOf = Effect.fn("projectOf")(
  function* (file: string) {
    const files = yield* TrustedFiles
    const path = yield* Path.Path
    const text = new TextDecoder()
    let found: string | undefined
    const lines = makeLines(headBytes, (bytes, whole) => {
      if (!whole || found !== undefined) return
      const cwd = recordOf(text.decode(bytes))?.["cwd"]
      if (typeof cwd === "string" && path.isAbsolute(cwd)) found = cwd
    })
    yield* piecesOf(yield* files.open(file, agentsOwn), { bytes: headBytes }).pipe(
      Stream.runForEach((chunk) => Effect.sync(() => lines.push(chunk)))
    )
    lines.end()
    return Option.fromUndefinedOr(found)
  },
  Effect.scoped,
  Effect.orElseSucceed(() => Option.none<string>())
)
