import type { HandoffTaken } from "@souffleur/domain"
import { Effect, FileSystem, Option } from "effect"
import { identityOf } from "./CompactBoundary.ts"
import { contextOf } from "./Context.ts"
import { newLines } from "../lines/NewLines.ts"
import { answerOf, type Json, recordOf, textsOf, timeOf } from "./Records.ts"
import { writtenAtOf } from "../lines/Tail.ts"

/** Bytes of a line that is looked at; a launch's prompt has a few thousand, an answer is written block by block. */
const lineLimit = 1 << 20

/** The line stands alone, or the agent set it into marks of its own, as it does with a command's arguments. */
const announces = (record: Json, launchId: string): boolean =>
  record["type"] === "user" &&
  textsOf(record["message"]).some((text) =>
    text.split(/[\n<>]/u).some((line) => line.trim() === `Hand-off ${launchId}`)
  )

/** How far a session file was read for a launch: nothing before it is read again. */
interface Read {
  readonly file: string
  readonly offset: number
  readonly announced: boolean
}

/**
 * The model's first real answer after the prompt of a launch, in the order of the file: what was said to the model is
 * in the file before it answers, so a prompt alone proves nothing. Streams, in bounded memory; asked again, it goes on
 * from where it stood, unless another file has come in its place.
 */
export const makeHandoffReceipt = () => {
  const known = new Map<string, Read>()
  return Effect.fn("Handoff.taken")(
    function* (path: string, launchId: string) {
      const fs = yield* FileSystem.FileSystem
      const info = yield* fs.stat(path)
      const { device, inode } = identityOf(info)
      const [file, key] = [`${device}/${inode}`, `${launchId} ${path}`]
      const before = known.get(key)
      const same = before !== undefined && before.file === file && before.offset <= Number(info.size)
      let { announced, offset } = same ? before : { announced: false, offset: 0 }
      const writtenAt = writtenAtOf(info)
      let taken: HandoffTaken | undefined
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
      // Who has taken it has; the answer is found again from where it was looked for.
      if (taken === undefined) known.set(key, { file, offset, announced })
      return Option.fromUndefinedOr(taken)
    },
    Effect.orElseSucceed(() => Option.none<HandoffTaken>())
  )
}
