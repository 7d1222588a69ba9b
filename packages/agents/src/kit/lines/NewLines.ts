import { agentsOwn, makeLines } from "@souffleur/domain"
import { piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, Stream } from "effect"

const newline = 10

/**
 * Calls back with each whole line of a growing file that begins at or after `offset`. Lines longer than `limit` bytes
 * are skipped. `onEnd` gets the end of the last whole line, from which to continue, also when reading breaks off.
 */
export const newLines = Effect.fnUntraced(function* (
  path: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  onLine: (line: string) => void,
  onEnd: (offset: number) => void
) {
  const text = new TextDecoder()
  const lines = makeLines(limit, (bytes, whole) => {
    if (whole) onLine(text.decode(bytes))
  })
  let position = offset
  const file = yield* (yield* TrustedFiles).open(path, agentsOwn)
  yield* piecesOf(file, { offset }).pipe(
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        lines.push(chunk)
        const end = chunk.lastIndexOf(newline)
        if (end !== -1) onEnd(position + end + 1)
        position += chunk.length
      })
    )
  )
}, Effect.scoped)
