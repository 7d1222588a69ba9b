import type { SessionSigns } from "@souffleur/domain"
import type { FileRefused, TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, type PlatformError } from "effect"
import { recordOf } from "../../kit/lines/JsonRecord.ts"
import { fromTheEnd, stateOf, writtenAtOf } from "../../kit/lines/Tail.ts"
import { noLimits, type OwnLimits } from "../settings/OwnLimits.ts"
import { subagentsOf } from "./SessionFile.ts"
import { makeReading } from "./TurnState.ts"

/** Limits in bytes. The agent's own records between two words of the conversation hold prompts and results of tools. */
const limits = { bytes: 8 << 20, line: 4 << 20 }

/**
 * Returns when a subagent of the session last wrote its own file, in epoch milliseconds; 0: never. Subagents work on in
 * the background, also after the turn.
 */
const subagentsWroteAt = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const times = yield* Effect.forEach(
    yield* subagentsOf(file),
    (one) =>
      fs.stat(one).pipe(
        Effect.map(writtenAtOf),
        Effect.orElseSucceed(() => 0)
      ),
    { concurrency: 8 }
  )
  return times.reduce((newest, at) => Math.max(newest, at), 0)
})

/** Reads what the end of a session file says, and when the file was last written. */
const readEnd = Effect.fnUntraced(function* (file: string, set: OwnLimits) {
  const reading = makeReading(set)
  const writtenAt = yield* fromTheEnd(file, limits, (line, at) => {
    const record = recordOf(line)
    return record === undefined ? "more" : reading.take(record, at)
  })
  return { writtenAt, said: reading.result() }
})

/**
 * Makes a reader of the state at the end of a session file. The last write is the file's, or a subagent's. `None`: it
 * cannot be read. A file that is the same as before is not read again. A recovery asks four times, for up to 8 MB.
 * `set`: the limits that the user gave the agent.
 */
export const makeSessionSigns = () => {
  let known: (Effect.Success<ReturnType<typeof readEnd>> & { readonly state: string }) | undefined
  return Effect.fn("sessionSigns")(function* (
    file: string,
    set = noLimits
  ): Effect.fn.Return<
    SessionSigns,
    FileRefused | PlatformError.PlatformError,
    FileSystem.FileSystem | Path.Path | TrustedFiles
  > {
    const fs = yield* FileSystem.FileSystem
    const state = [file, stateOf(yield* fs.stat(file)), ...Object.values(set)].join(" ")
    const read = known?.state === state ? known : { state, ...(yield* readEnd(file, set)) }
    known = read
    return {
      writtenAt: Math.max(read.writtenAt, yield* subagentsWroteAt(file)),
      ...read.said,
      ...(set.API_TIMEOUT_MS > 0 ? { callLimit: set.API_TIMEOUT_MS } : {})
    }
  }, Effect.option)
}

/** Returns whether a session ended with the end of a turn. A session whose file cannot be read did not. */
export const lastTurnEnded = (signs: Option.Option<SessionSigns>): boolean =>
  Option.exists(signs, ({ turn }) => turn?._tag === "Finished")

/**
 * Returns whether the agent removed its pid file, as it does when it ends by itself. A killed agent leaves the file
 * behind (spec: claude-code#pid-file).
 */
export const leftNoPidFile = Effect.fn("SessionSigns.leftNoPidFile")(function* (claudeDir: string, pid: number) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return yield* fs.exists(path.resolve(claudeDir, "sessions", `${pid}.json`)).pipe(
    Effect.map((there) => !there),
    Effect.orElseSucceed(() => false)
  )
})
