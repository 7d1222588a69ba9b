import { wordSet } from "../kit/command/WordSet.ts"
import {
  freshTokens,
  isJson,
  type Json,
  jsonOf,
  numberIn,
  objectsIn,
  textOf,
  tokensOf
} from "../kit/lines/JsonRecord.ts"
import { failureReason } from "../kit/said/Failures.ts"
import type { Saying } from "../kit/said/Said.ts"
import { saidCall, saidResult } from "../kit/said/SaidTools.ts"

const tools = { spawning: wordSet("run_shell_command"), editing: wordSet("edit write_file"), path: "file_path" }
/** Tools that only read. */
const looks = wordSet("read_file grep_search glob list_directory read_mcp_resource tool_search")

/** Measured with 0.24.4: a retry waits for 300 s at most, and a call for 240 s. */
const asksWithin = 540_000

const partsOf = ({ message }: Json): ReadonlyArray<Json> => objectsIn(jsonOf(message)["parts"])
/** Returns the words of a message, without the model's thoughts. */
const wordsOf = (record: Json): string =>
  partsOf(record)
    .flatMap(({ text, thought }) => (thought === true || typeof text !== "string" ? [] : [text]))
    .join("\n")

const answer = (record: Json): ReadonlyArray<Saying> => {
  const { contextWindowSize, model, usageMetadata: usage } = record
  const text = wordsOf(record)
  const calls = partsOf(record).flatMap(({ functionCall: call }) =>
    isJson(call) ? [saidCall(tools, { id: textOf(call["id"]), name: textOf(call["name"]), said: call["args"] })] : []
  )
  const tokens = tokensOf(usage, ["promptTokenCount"])
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    ...calls,
    ...(calls.length === 0 ? [{ _tag: "Ended" } as const] : []),
    { _tag: "Context", tokens, window: numberIn(contextWindowSize), model: textOf(model) },
    { _tag: "Used", tokens: freshTokens(usage, ["totalTokenCount"], ["cachedContentTokenCount"]) }
  ]
}

const result = (record: Json): ReadonlyArray<Saying> => {
  const { errorType, status } = jsonOf(record["toolCallResult"])
  const refused = errorType === "execution_denied"
  return partsOf(record).flatMap(({ functionResponse: said }): ReadonlyArray<Saying> => {
    if (!isJson(said)) return []
    const { error, output } = jsonOf(said["response"])
    // A subagent's file has no status.
    const failed = record["isSidechain"] === true ? error !== undefined : status !== "success"
    const one = { id: textOf(said["id"]), text: textOf(output) || textOf(error), failed, refused }
    return saidResult(one, !looks.has(textOf(said["name"])))
  })
}

/** Reads an error of the service. A call beside the conversation, such as a compaction, is no part of its turn. */
const failure = (event: Json, sessionId: string): ReadonlyArray<Saying> => {
  const { error_message: words, prompt_id: prompt, status_code: status } = event
  if (event["event.name"] !== "qwen-code.api_error" || !textOf(prompt).startsWith(`${sessionId}########`)) return []
  const reason = failureReason(status, textOf(words))
  const again = reason === "usage-limit" || reason === "outage" ? { asksWithin } : {}
  return [{ _tag: "Failed", reason, words: textOf(words), ...again }]
}

const systemSayings = ({ sessionId, subtype, systemPayload }: Json): ReadonlyArray<Saying> => {
  if (!isJson(systemPayload)) return []
  const { compressedHistory, uiEvent } = systemPayload
  if (subtype === "ui_telemetry" && isJson(uiEvent)) return failure(uiEvent, textOf(sessionId))
  if (subtype !== "chat_compression") return []
  const [message] = objectsIn(compressedHistory)
  return [{ _tag: "Compacted", summary: wordsOf({ message }) }]
}

/** Reads a record of Qwen Code (spec: qwen#records). */
export const qwenSayings = (record: Json): ReadonlyArray<Saying> => {
  switch (record["type"]) {
    case "user": {
      const session: Saying = { _tag: "Session", folder: record["cwd"], version: record["version"] }
      return record["provenance"] === "real_user" ? [session, { _tag: "Prompt", text: wordsOf(record) }] : []
    }
    case "assistant":
      return answer(record)
    case "tool_result":
      return result(record)
    case "system":
      return systemSayings(record)
    default:
      return []
  }
}
