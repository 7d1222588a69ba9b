import type { HandoffReceipt } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { makeFollower } from "../../kit/lines/Follower.ts"
import { type Json, timeOf } from "../../kit/lines/JsonRecord.ts"
import { contextOf } from "./Context.ts"
import { answerOf, textsOf } from "./Records.ts"

/** Finds the launch's line in a record: alone, or in marks of the agent's own, as for a command's arguments. */
const announces = (record: Json, launchId: string): boolean =>
  record["type"] === "user" &&
  textsOf(record["message"]).some((text) =>
    text.split(/[\n<>]/u).some((line) => line.trim() === `Hand-off ${launchId}`)
  )

/** Progress of reading a session file for a launch. */
interface Read {
  readonly launchId: string
  announced: boolean
  taken: HandoffReceipt | undefined
}

/**
 * Finds the model's first real answer after the prompt of a launch, in the order of the file. A prompt is in the file
 * before the model answers, so a prompt alone proves nothing. A file that cannot be read has none.
 */
export const makeHandoffReceipt = () => {
  const follow = makeFollower(
    (launchId): Read => ({ launchId, announced: false, taken: undefined }),
    (read, record, writtenAt) => {
      if (record["isSidechain"] === true) return
      if (!read.announced) read.announced = announces(record, read.launchId)
      else if (answerOf(record) !== undefined)
        read.taken ??= { at: timeOf(record, writtenAt), context: contextOf(record, writtenAt) }
    },
    ({ announced, launchId, taken }, line) => taken !== undefined || (!announced && !line.includes(launchId))
  )
  return Effect.fn("handoffTaken")(
    function* (path: string, launchId: string) {
      const { taken } = yield* follow(path, launchId)
      return Option.fromUndefinedOr(taken)
    },
    Effect.orElseSucceed(() => Option.none<HandoffReceipt>())
  )
}
