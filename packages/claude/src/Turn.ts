import { Effect, FileSystem, Path, Predicate } from "effect"

/** Bytes of the end of a session file in which the last turn is looked for. */
const tail = 1 << 20

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

const parsed = (line: string): Json | undefined => {
  try {
    const record: unknown = JSON.parse(line)
    return isJson(record) ? record : undefined
  } catch {
    return undefined
  }
}

/** A record of the main conversation: somebody said something. */
const isSaid = (record: Json) =>
  (record["type"] === "user" || record["type"] === "assistant") && record["isSidechain"] !== true && record["isMeta"] !== true

/** The agent said its last word: it wanted no tool, and the word is no error of the service. */
const ends = (record: Json): boolean => {
  const message = record["message"]
  if (record["type"] !== "assistant" || record["isApiErrorMessage"] === true || !isJson(message)) return false
  if (message["model"] === "<synthetic>" || message["stop_reason"] !== "end_turn") return false
  const content = message["content"]
  return !(Array.isArray(content) && content.some((block) => isJson(block) && block["type"] === "tool_use"))
}

/** Whether the last thing said in a session file is the end of a turn. What cannot be read is no end. */
export const lastTurnEnded = Effect.fn("Turn.lastEnded")(
  function* (file: string) {
    const fs = yield* FileSystem.FileSystem
    return yield* Effect.scoped(
      Effect.gen(function* () {
        const source = yield* fs.open(file, { flag: "r" })
        const size = Number((yield* source.stat).size)
        const bytes = new Uint8Array(Math.min(size, tail))
        let filled = 0
        while (filled < bytes.length) {
          const read = yield* source.read(bytes.subarray(filled), { position: BigInt(size - bytes.length + filled) })
          if (read === 0) return false
          filled += read
        }
        const lines = new TextDecoder().decode(bytes).split("\n")
        for (const line of lines.toReversed()) {
          const record = parsed(line)
          if (record !== undefined && isSaid(record)) return ends(record)
        }
        return false
      })
    )
  },
  Effect.orElseSucceed(() => false)
)

/** The agent removes its pid file when it ends by itself, and leaves it behind when it is killed (claude-code.md). */
export const leftNoPidFile = Effect.fn("Turn.leftNoPidFile")(function* (claudeDir: string, pid: number) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  return yield* fs.exists(path.resolve(claudeDir, "sessions", `${pid}.json`)).pipe(
    Effect.map((there) => !there),
    Effect.orElseSucceed(() => false)
  )
})
