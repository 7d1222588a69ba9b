import type { SessionSigns } from "@souffleur/domain"
import type { TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path } from "effect"
import { recordOf } from "./Records.ts"
import { extension } from "./SessionFile.ts"
import { fromTheEnd, writtenAtOf } from "../lines/Tail.ts"
import { makeReading } from "./TurnState.ts"

/** Limits in bytes. The agent's own records between two words of the conversation hold prompts and results of tools. */
const limits = { bytes: 8 << 20, line: 4 << 20 }

/**
 * Returns when a subagent of the session last wrote its own file, in epoch milliseconds; 0: never. Subagents work on in
 * the background, also after the turn.
 */
const subagentsWroteAt = Effect.fnUntraced(
  function* (file: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join(file.slice(0, -extension.length), "subagents")
    const names = yield* fs.readDirectory(folder)
    const times = yield* Effect.forEach(
      names.filter((name) => name.endsWith(extension)),
      (name) =>
        fs.stat(path.join(folder, name)).pipe(
          Effect.map(writtenAtOf),
          Effect.orElseSucceed(() => 0)
        ),
      { concurrency: 8 }
    )
    return times.reduce((newest, at) => Math.max(newest, at), 0)
  },
  Effect.orElseSucceed(() => 0)
)

/**
 * Reads the state at the end of a session file, and the time of its last write or a subagent's. `None`: it cannot be
 * read.
 */
export const sessionSigns = Effect.fn("sessionSigns")(function* (
  file: string
): Effect.fn.Return<Option.Option<SessionSigns>, never, FileSystem.FileSystem | Path.Path | TrustedFiles> {
  const reading = makeReading()
  return yield* fromTheEnd(file, limits, (line, writtenAt) => {
    const record = recordOf(line)
    return record === undefined ? "more" : reading.take(record, writtenAt)
  }).pipe(
    Effect.zipWith(subagentsWroteAt(file), (own, subagents) => ({
      writtenAt: Math.max(own, subagents),
      ...reading.result()
    })),
    Effect.option
  )
})

/** Whether a session file ends with the end of a turn. A file that cannot be read does not. */
export const lastTurnEnded = (file: string) =>
  Effect.map(sessionSigns(file), (signs) => Option.isSome(signs) && signs.value.turn?._tag === "Finished")

/**
 * Whether the agent removed its pid file. It does so when it ends by itself, and leaves it behind when it is killed
 * (spec: claude-code#pid-file).
 */
export const leftNoPidFile = Effect.fn("SessionSigns.leftNoPidFile")(function* (claudeDir: string, pid: number) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return yield* fs.exists(path.resolve(claudeDir, "sessions", `${pid}.json`)).pipe(
    Effect.map((there) => !there),
    Effect.orElseSucceed(() => false)
  )
})
