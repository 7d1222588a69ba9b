import type { SessionSigns } from "@souffleur/domain"
import { Effect, FileSystem, Option, Path } from "effect"
import { recordOf } from "./Records.ts"
import { fromTheEnd } from "./Tail.ts"
import { makeReading } from "./Turn.ts"

/** A file of the agent's own holds prompts and tools' results between two words of the conversation. */
const limits = { bytes: 8 << 20, line: 4 << 20 }

/** What the end of a session file states; `None` where it cannot be read. */
export const sessionSigns = Effect.fn("SessionSigns.read")(function* (
  file: string
): Effect.fn.Return<Option.Option<SessionSigns>, never, FileSystem.FileSystem> {
  const reading = makeReading()
  return yield* fromTheEnd(file, limits, (line, writtenAt) => {
    const record = recordOf(line)
    return record === undefined ? "more" : reading.take(record, writtenAt)
  }).pipe(
    Effect.map((writtenAt) => ({ writtenAt, ...reading.result() })),
    Effect.option
  )
})

/** Whether the last thing said in a session file is the end of a turn. What cannot be read is no end. */
export const lastTurnEnded = (file: string) =>
  Effect.map(sessionSigns(file), (signs) => Option.isSome(signs) && signs.value.turn?._tag === "Finished")

/** The agent removes its pid file when it ends by itself, and leaves it behind when it is killed (claude-code.md). */
export const leftNoPidFile = Effect.fn("SessionSigns.leftNoPidFile")(function* (claudeDir: string, pid: number) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  return yield* fs.exists(path.resolve(claudeDir, "sessions", `${pid}.json`)).pipe(
    Effect.map((there) => !there),
    Effect.orElseSucceed(() => false)
  )
})
