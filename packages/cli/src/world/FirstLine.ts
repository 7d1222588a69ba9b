import { Effect, Option, Stdio, Stream } from "effect"

/** Reads the first line of standard input. */
export const firstLine = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const line = yield* stdio.stdin.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.runHead)
  return Option.getOrElse(line, () => "").trim()
})
