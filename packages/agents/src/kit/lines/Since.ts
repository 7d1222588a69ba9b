import { agentsOwn, makeLines, type SessionMark } from "@souffleur/domain"
import { type FileRefused, piecesOf, TrustedFiles } from "@souffleur/process"
import { Effect, type PlatformError, type Scope, Stream } from "effect"
import { fileIdentity } from "./FileIdentity.ts"

const newline = 10

/**
 * Reads the whole lines that came after a mark. A file that was replaced since has none, and a line over `lineLimit`
 * bytes is left out. Fails where the file cannot be read.
 */
export const linesSince = Effect.fn("linesSince")(function* (
  mark: SessionMark,
  lineLimit: number,
  look: (line: string) => void
): Effect.fn.Return<void, FileRefused | PlatformError.PlatformError, Scope.Scope | TrustedFiles> {
  const file = yield* (yield* TrustedFiles).open(mark.path, agentsOwn)
  const info = yield* file.stat
  const { device, inode } = fileIdentity(info)
  if (device !== mark.device || inode !== mark.inode || Number(info.size) <= mark.offset) return
  // The mark may be inside a torn line, which began before the mark. One more byte is read to find out.
  let begun = mark.offset === 0
  const text = new TextDecoder()
  const lines = makeLines(lineLimit, (bytes, whole) => {
    if (whole) look(text.decode(bytes))
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
})
