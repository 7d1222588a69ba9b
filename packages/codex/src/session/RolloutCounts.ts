import { Bounds, type HandoffReceipt, handoffLine } from "@souffleur/domain"
import { isJson, type Json, makeFollower, timeOf } from "@souffleur/session"
import { isAnswer, isCall, isPrompt, isResult, payloadAs, payloadOf, wordsOf } from "./RolloutItems.ts"

/** Commands that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = new Set(["read", "list_files", "search"])

/** Holds if an event tells of a tool that did something, and did not fail. souffleur's own tools do not count. */
const isProgress = ({ item, type }: Json): boolean => {
  if (type !== "item_completed" || !isJson(item)) return false
  const { exit_code: code, parsed_cmd: parsed, server, status } = item
  switch (item["type"]) {
    case "CommandExecution":
      return (
        code === 0 &&
        !(
          Array.isArray(parsed) &&
          parsed.length > 0 &&
          parsed.every((one) => isJson(one) && looks.has(String(one["type"])))
        )
      )
    case "FileChange":
      return status === "completed"
    case "McpToolCall":
      return status === "completed" && server !== "souffleur"
    default:
      return false
  }
}

/** Makes a reader of the count of tool results in a session file, and of whether there was any. */
export const makeResults = () =>
  makeFollower(
    () => ({ progress: 0, any: false }),
    (state, record) => {
      const event = payloadAs(record, "event_msg")
      if (event !== undefined && isProgress(event)) state.progress += 1
      const item = payloadAs(record, "response_item")
      if (item !== undefined && isResult(item)) state.any = true
    }
  )

/** Makes a reader of the tokens of answers since a moment (epoch ms), without those that a cache gave. */
export const makeSpend = (since: number) =>
  makeFollower(
    () => ({ tokens: 0 }),
    (state, record) => {
      if (record["type"] !== "token_usage_record" || timeOf(record, since) < since) return
      const { usage } = payloadOf(record)
      if (!isJson(usage)) return
      const count = (name: string) => Bounds.count(usage[name]) ?? 0
      const read = count("input_tokens") - count("cached_input_tokens")
      state.tokens = Bounds.sum([state.tokens, Math.max(0, read), count("output_tokens")])
    }
  )

/** Makes a reader of the model's first answer after the prompt of a launch. */
export const makeReceipt = (launchId: string) =>
  makeFollower(
    (): { announced: boolean; taken: HandoffReceipt | undefined } => ({ announced: false, taken: undefined }),
    (state, record, writtenAt) => {
      const item = payloadAs(record, "response_item")
      if (item === undefined || state.taken !== undefined) return
      const line = handoffLine(launchId)
      if (isPrompt(item))
        state.announced ||= wordsOf(item).some((text) => text.split("\n").some((one) => one.trim() === line))
      else if (state.announced && (isAnswer(item) || isCall(item)))
        state.taken = { at: timeOf(record, writtenAt), context: undefined }
    }
  )
