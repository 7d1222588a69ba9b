import { Option } from "effect"

/** UTF-16 units of a line that may be a record in the agent's format for programs. A longer line is text. */
const maxRecord = 1 << 20

/** Makes the words of a line in the agent's format for programs. `None`: the line is text. */
export type ReadLine = (line: string) => Option.Option<string>

/**
 * Makes what is shown of an output, piece by piece. Text is shown as it comes. A line that may be a record waits for
 * its end, and `words` has what is shown of it.
 */
export const makeOutputLines = (text: (part: string) => string, words: ReadLine) => {
  let held: Array<string> = []
  let heldLength = 0
  let inText = false
  const taken = (more: string): string => {
    const all = held.join("") + more
    held = []
    heldLength = 0
    return all
  }
  return {
    push: (piece: string): string => {
      let all = ""
      for (let start = 0; start < piece.length;) {
        const end = piece.indexOf("\n", start) + 1
        const part = piece.slice(start, end === 0 ? piece.length : end)
        const mayBeRecord = !inText && (heldLength > 0 || part.startsWith("{"))
        start += part.length
        if (mayBeRecord && end === 0 && heldLength + part.length <= maxRecord) {
          held.push(part)
          heldLength += part.length
          break
        }
        const line = taken(part)
        all += Option.getOrElse(mayBeRecord && end > 0 ? words(line.slice(0, -1)) : Option.none(), () => text(line))
        inText = end === 0
      }
      return all
    },
    /** Ends the output. The torn last line is shown as it is. */
    end: (): string => text(taken(""))
  }
}

/** Returns what is shown of the words of a record: nothing where it has none. */
export const wordLine = (words: string): string => (words === "" ? "" : `${words}\n`)

/** Bytes as a string with one character for each, and back. `TextDecoder` has no such encoding. */
export const byteString = {
  of: (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1"),
  bytes: (text: string): Uint8Array => Buffer.from(text, "latin1")
}

/** Makes the byte string of an output for a pipe, piece by piece. Only a line that `read` understands changes. */
export const makePipeOutput = (read: ReadLine) =>
  makeOutputLines(
    (part) => part,
    (line) =>
      Option.map(read(Buffer.from(line, "latin1").toString()), (words) => byteString.of(Buffer.from(wordLine(words))))
  )
