import { makeLines } from "@souffleur/domain"
import { Effect, Option, Predicate, Schema, type Stdio, Stream } from "effect"

/** Bytes of one line. No tool needs that many. */
const maxLineBytes = 1_000_000

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const newline = "\n"

/** Returns whether a line can be a message of JSON-RPC: an object, or the list of a batch. */
const isMessage = (text: string): boolean =>
  Option.exists(decode(text), (found) => Predicate.isObject(found) || Array.isArray(found))

const parseError = (message: string) =>
  `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message } })}\n`

/**
 * Screens standard input for an MCP server. A line that is no JSON, or is too long, is left out. It gets a parse error
 * (JSON-RPC 2.0, §5.1). A server that read such a line itself would lose the lines after it.
 */
export const screened = (stdio: Stdio.Stdio): Stdio.Stdio => {
  const answer = (message: string) => Stream.run(Stream.make(parseError(message)), stdio.stdout({ endOnDone: false }))
  const input = Stream.suspend(() => {
    const found: Array<string> = []
    const decoder = new TextDecoder()
    const lines = makeLines(maxLineBytes, (bytes, whole) => {
      if (whole) found.push(decoder.decode(bytes))
    })
    let refused = 0
    return stdio.stdin.pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (chunk) {
          lines.push(chunk)
          // An empty line is no message. The server would take it for a torn one.
          const texts = found.splice(0).filter((text) => text.trim() !== "")
          const good = texts.filter(isMessage)
          const tooLong = lines.tooLong() - refused
          refused += tooLong
          for (let n = good.length; n < texts.length; n += 1)
            yield* answer("a line is not JSON: send one message a line")
          for (let n = 0; n < tooLong; n += 1) yield* answer(`a line is longer than ${maxLineBytes} bytes`)
          return new TextEncoder().encode(good.map((text) => text + newline).join(""))
        })
      ),
      Stream.filter((bytes) => bytes.length > 0)
    )
  })
  return { ...stdio, stdin: input }
}
