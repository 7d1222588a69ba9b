import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, Option, Path, Stream } from "effect"
import { recordOf } from "./session/Records.ts"

/**
 * Bytes from the beginning in which it is looked for: the first records of a session say it, after some that do not.
 */
const head = 1 << 20

/**
 * The folder in which a session began: what its first record that names one says. `None` where none does, or it cannot
 * be read.
 */
export const projectOf = Effect.fn("projectOf")(
  function* (file: string) {
    const files = yield* TrustedFiles
    const path = yield* Path.Path
    const text = new TextDecoder()
    let found: string | undefined
    const lines = makeLines(head, (bytes, whole) => {
      if (!whole || found !== undefined) return
      const cwd = recordOf(text.decode(bytes))?.["cwd"]
      if (typeof cwd === "string" && path.isAbsolute(cwd)) found = cwd
    })
    yield* piecesOf(yield* files.open(file, agentsOwn), { bytes: head }).pipe(
      Stream.runForEach((chunk) => Effect.sync(() => lines.push(chunk)))
    )
    lines.end()
    return Option.fromUndefinedOr(found)
  },
  Effect.scoped,
  Effect.orElseSucceed(() => Option.none<string>())
)
