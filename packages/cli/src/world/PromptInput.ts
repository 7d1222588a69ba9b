import { CommandRefused } from "@souffleur/domain"
import { Effect, FileSystem, Option, Stdio, Stream } from "effect"

/** Bytes of a prompt at most. It is kept beside the watch. */
const maxBytes = 1_000_000

/**
 * Reads a prompt from standard input to its end. It is empty where that is a terminal, to which a person types. Fails
 * with `CommandRefused` where it is too long.
 */
export const promptInput = Effect.gen(function* () {
  const { stdin, stdinIsTerminal } = yield* Stdio.Stdio
  if (yield* stdinIsTerminal) return ""
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* stdin.pipe(
    Stream.mapError(({ message }) => new CommandRefused({ message: `standard input cannot be read: ${message}` })),
    Stream.runForEach((chunk) => {
      bytes += chunk.length
      chunks.push(chunk)
      return bytes > maxBytes
        ? Effect.fail(new CommandRefused({ message: `the prompt on standard input has more than ${maxBytes} bytes` }))
        : Effect.void
    })
  )
  const text = new TextDecoder().decode(Buffer.concat(chunks))
  return text.trim() === "" ? "" : text
})

/** Returns whether something was piped or redirected to standard input. It reads nothing of it. */
export const hasPipedInput = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat("/dev/stdin"))
  return Option.exists(info, ({ type }) => type === "FIFO" || type === "File")
})
