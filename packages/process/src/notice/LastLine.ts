import { Effect, Stream } from "effect"
import { piecesOf, TrustedFiles } from "../file/TrustedFiles.ts"

/** Bytes at the end of an output in which its last line is looked for. */
const lookedAt = 4096

/** Returns the last line of an output that is not empty. `null`: there is none, or the file is not souffleur's own. */
export const lastLineOf = Effect.fn("lastLineOf")(
  function* (path: string) {
    const file = yield* (yield* TrustedFiles).open(path, { own: true })
    const { size } = yield* file.stat
    const bytes = piecesOf(file, { offset: Math.max(0, Number(size) - lookedAt), bytes: lookedAt })
    const text = yield* Stream.mkString(Stream.decodeText(bytes))
    return (
      text
        .split(/[\r\n]+/u)
        .map((line) => line.trim())
        .findLast((line) => line !== "") ?? null
    )
  },
  Effect.scoped,
  Effect.orElseSucceed(() => null)
)
