import type { HandoffTaken, SessionMark } from "@souffleur/domain"
import { Effect, FileSystem, Option, Stream } from "effect"
import { identityOf } from "./Compaction.ts"
import { contextOf } from "./Context.ts"
import { makeLines } from "./Lines.ts"
import { answerOf, type Json, recordOf, textsOf, timeOf } from "./Records.ts"
import { writtenAtOf } from "./Tail.ts"

/** Bytes of a line that is looked at; a launch's prompt has a few thousand, an answer is written block by block. */
const lineLimit = 1 << 20

/** The line stands alone, or the agent set it into marks of its own, as it does with a command's arguments. */
const announces = (record: Json, launchId: string): boolean =>
  record["type"] === "user" &&
  textsOf(record["message"]).some((text) => text.split(/[\n<>]/u).some((line) => line.trim() === `Hand-off ${launchId}`))

/**
 * The model's first real answer after the prompt of a launch, in the order of the file: what was said to the model is in the file
 * before it answers, so a prompt alone proves nothing. Streams, in bounded memory, and ends at the answer.
 */
export const handoffTaken = Effect.fn("Handoff.taken")(
  function* (file: string, launchId: string, since: SessionMark | undefined) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* fs.stat(file)
    const { device, inode } = identityOf(info)
    // Of another file than the marked one, all is new.
    const same = since !== undefined && since.device === device && since.inode === inode && since.offset <= Number(info.size)
    const writtenAt = writtenAtOf(info)
    const text = new TextDecoder()
    let announced = false
    let taken: HandoffTaken | undefined
    const lines = makeLines(lineLimit, (bytes) => {
      if (taken !== undefined) return
      const line = text.decode(bytes)
      if (!announced && !line.includes(launchId)) return
      const record = recordOf(line)
      if (record === undefined || record["isSidechain"] === true) return
      if (!announced) announced = announces(record, launchId)
      else if (answerOf(record) !== undefined) taken = { at: timeOf(record, writtenAt), context: contextOf(record, writtenAt) }
    })
    yield* fs.stream(file, { offset: same ? since.offset : 0 }).pipe(
      Stream.runForEachWhile((chunk) =>
        Effect.sync(() => {
          lines.push(chunk)
          return taken === undefined
        })
      )
    )
    lines.end()
    return Option.fromUndefinedOr(taken)
  },
  Effect.orElseSucceed(() => Option.none<HandoffTaken>())
)
