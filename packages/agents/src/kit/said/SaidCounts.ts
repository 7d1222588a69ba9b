import { Bounds, type HandoffReceipt, handoffLine, nothingSpent } from "@souffleur/domain"
import { makeFollower } from "../lines/Follower.ts"
import { timeOf } from "../lines/JsonRecord.ts"
import type { Sayings } from "./Said.ts"

/** Makes a reader of the count of tool results in a session file, and of whether there was any. */
export const makeResults = (sayings: Sayings) =>
  makeFollower(
    () => ({ progress: 0, any: false }),
    (state, record) => {
      for (const { _tag } of sayings(record)) {
        if (_tag === "Progress") state.progress += 1
        if (_tag === "Result") state.any = true
      }
    }
  )

/** Makes a reader of what answers used since a moment (epoch ms), which is the key. */
export const makeUseCount = (sayings: Sayings) =>
  makeFollower(
    (key) => ({ ...nothingSpent, since: Number(key) }),
    (state, record) => {
      for (const said of sayings(record)) {
        if (timeOf(record, state.since) < state.since) continue
        if (said._tag === "Call") state.calls += 1
        if (said._tag !== "Used") continue
        state.tokens = Bounds.sum([state.tokens, said.tokens])
        state.dollars += said.dollars ?? 0
        state.credits += said.credits ?? 0
        state.turns += 1
      }
    }
  )

/** Makes a reader of the model's first answer after the prompt of a launch, whose id is the key. */
export const makeReceipt = (sayings: Sayings) =>
  makeFollower(
    (launchId): { readonly line: string; announced: boolean; taken: HandoffReceipt | undefined } => ({
      line: handoffLine(launchId),
      announced: false,
      taken: undefined
    }),
    (state, record, writtenAt) => {
      for (const said of sayings(record)) {
        if (said._tag === "Prompt") state.announced ||= said.text.split("\n").some((one) => one.trim() === state.line)
        else if (state.announced && state.taken === undefined && (said._tag === "Answer" || said._tag === "Call"))
          state.taken = { at: timeOf(record, writtenAt), context: undefined }
      }
    }
  )
