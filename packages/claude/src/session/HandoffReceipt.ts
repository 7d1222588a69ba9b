import type { HandoffReceipt } from "@souffleur/domain"
import { fileIdentity, type Json, newLines, recordOf, timeOf, writtenAtOf } from "@souffleur/session"
import { Effect, FileSystem, Option } from "effect"
import { contextOf } from "./Context.ts"
import { answerOf, textsOf } from "./Records.ts"

/** Bytes of a line at most. A launch's prompt has a few thousand, and an answer is written block by block. */
const lineLimit = 1 << 20

/** Finds the launch's line in a record: alone, or in marks of the agent's own, as for a command's arguments. */
const announces = (record: Json, launchId: string): boolean =>
  record["type"] === "user" &&
  textsOf(record["message"]).some((text) =>
    text.split(/[\n<>]/u).some((line) => line.trim() === `Hand-off ${launchId}`)
  )

/** Progress of reading a session file for a launch. No byte is read twice. */
interface Read {
  readonly file: string
  readonly offset: number
  readonly announced: boolean
}

/**
 * Finds the model's first real answer after the prompt of a launch, in the order of the file. A prompt is in the file
 * before the model answers, so a prompt alone proves nothing. Reads in bounded memory. The next call continues there,
 * unless the file was replaced.
 */
export const makeHandoffReceipt = () => {
  const known = new Map<string, Read>()
  return Effect.fn("handoffTaken")(
    function* (path: string, launchId: string) {
      const fs = yield* FileSystem.FileSystem
      const info = yield* fs.stat(path)
      const { device, inode } = fileIdentity(info)
      const [file, key] = [`${device}/${inode}`, `${launchId} ${path}`]
      const before = known.get(key)
      const same = before !== undefined && before.file === file && before.offset <= Number(info.size)
      let { announced, offset } = same ? before : { announced: false, offset: 0 }
      const writtenAt = writtenAtOf(info)
      let taken: HandoffReceipt | undefined
      yield* newLines(
        path,
        { limit: lineLimit, offset },
        (line) => {
          if (taken !== undefined || (!announced && !line.includes(launchId))) return
          const record = recordOf(line)
          if (record === undefined || record["isSidechain"] === true) return
          if (!announced) announced = announces(record, launchId)
          else if (answerOf(record) !== undefined)
            taken = { at: timeOf(record, writtenAt), context: contextOf(record, writtenAt) }
        },
        (end) => {
          if (taken === undefined) offset = end
        }
      )
      // A taken hand-off stays taken; the answer is found again from the same offset.
      if (taken === undefined) known.set(key, { file, offset, announced })
      return Option.fromUndefinedOr(taken)
    },
    Effect.orElseSucceed(() => Option.none<HandoffReceipt>())
  )
}
