import { Effect, FileSystem, Option } from "effect"

/** Maximum bytes of the end of an agent's output that are searched for its verdict. */
const maxTailBytes = 1 << 20

/** Reads the end of an agent's output; empty where there is no file. */
export const printedAt = Effect.fn("SaidOutput.printedAt")(
  function* (path: string) {
    const fs = yield* FileSystem.FileSystem
    const { size } = yield* fs.stat(path)
    const skip = Number(size) > maxTailBytes ? Number(size) - maxTailBytes : 0
    const bytes = new Uint8Array(Number(size) - skip)
    const file = yield* fs.open(path, { flag: "r" })
    let filled = 0
    while (filled < bytes.length) {
      const read = yield* file.read(bytes.subarray(filled), { position: BigInt(skip + filled) })
      if (read === 0) break
      filled += read
    }
    return new TextDecoder().decode(bytes.subarray(0, filled))
  },
  Effect.scoped,
  Effect.orElseSucceed(() => "")
)

/**
 * Returns what an agent said in its output. Where it prints records, they alone are its words. Other lines are of its
 * program, such as a late warning. An empty line parts two answers.
 */
export const saidIn = (printed: string, read: (line: string) => Option.Option<string>): string => {
  const records = printed.split("\n").flatMap((line) => Option.toArray(read(line)))
  return records.length === 0 ? printed : records.join("\n\n")
}

/** Returns the flag that a program says it does not know, as its parser puts it; `undefined`: it says no such thing. */
export const unknownFlagIn = (printed: string): string | undefined =>
  /^error: (?:unknown option|unexpected argument) '(--?[\w-]{1,40})/mu.exec(printed)?.[1]
