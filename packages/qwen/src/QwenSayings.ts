import { isJson, type Json, failureReason, type Saying, textOf, tokensOf } from "@souffleur/session"

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = new Set(["read_file", "grep_search", "glob", "list_directory", "read_mcp_resource", "tool_search"])
/** Tools that change the file at their `file_path`. */
const edits = new Set(["edit", "write_file"])
const shell = "run_shell_command"

/** Measured with 0.24.4: a retry waits for 300 s at most, and a call for 240 s. */
const asksWithin = 540_000

const partsOf = ({ message }: Json): ReadonlyArray<Json> =>
  isJson(message) && Array.isArray(message["parts"]) ? message["parts"].filter(isJson) : []
/** Returns the words of a message, without the model's thoughts. */
const wordsOf = (record: Json): string =>
  partsOf(record)
    .flatMap(({ text, thought }) => (thought === true || typeof text !== "string" ? [] : [text]))
    .join("\n")

const callOf = (call: Json): Saying => {
  const name = textOf(call["name"])
  const input = isJson(call["args"]) ? call["args"] : {}
  const path = edits.has(name) ? textOf(input["file_path"]) : ""
  return { _tag: "Call", id: textOf(call["id"]), name, input, spawns: name === shell, edits: path === "" ? [] : [path] }
}

const answer = (record: Json): ReadonlyArray<Saying> => {
  const { contextWindowSize, model, usageMetadata } = record
  const usage = isJson(usageMetadata) ? usageMetadata : {}
  const [tokens, total, cached] = ["promptTokenCount", "totalTokenCount", "cachedContentTokenCount"].map((name) =>
    tokensOf(usage, [name])
  ) as [number, number, number]
  const text = wordsOf(record)
  const calls = partsOf(record).flatMap(({ functionCall: call }) => (isJson(call) ? [callOf(call)] : []))
  const window = typeof contextWindowSize === "number" ? contextWindowSize : undefined
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    ...calls,
    ...(calls.length === 0 ? [{ _tag: "Ended" } as const] : []),
    ...(tokens === 0 ? [] : [{ _tag: "Context", tokens, window, model: textOf(model) } as const]),
    { _tag: "Used", tokens: Math.max(0, total - cached), dollars: 0 }
  ]
}

const result = (record: Json): ReadonlyArray<Saying> => {
  const { toolCallResult } = record
  const failed = !isJson(toolCallResult) || toolCallResult["status"] !== "success"
  const refused = isJson(toolCallResult) && toolCallResult["errorType"] === "execution_denied"
  return partsOf(record).flatMap(({ functionResponse: said }): ReadonlyArray<Saying> => {
    if (!isJson(said)) return []
    const { error, output } = isJson(said["response"]) ? said["response"] : {}
    const text = textOf(output) || textOf(error)
    const one: Saying = { _tag: "Result", id: textOf(said["id"]), text, failed, refused }
    return failed || looks.has(textOf(said["name"])) ? [one] : [one, { _tag: "Progress" }]
  })
}

/** Reads an error of the service. A call beside the conversation, such as a compaction, is no part of its turn. */
const failure = (event: Json, sessionId: string): ReadonlyArray<Saying> => {
  const { error_message: words, prompt_id: prompt, status_code: status } = event
  if (event["event.name"] !== "qwen-code.api_error" || !textOf(prompt).startsWith(`${sessionId}########`)) return []
  const reason = failureReason(typeof status === "number" ? status : undefined, textOf(words))
  const again = reason === "usage-limit" || reason === "outage" ? { asksWithin } : {}
  return [{ _tag: "Failed", reason, resetsAt: undefined, ...again }]
}

const systemSayings = ({ sessionId, subtype, systemPayload }: Json): ReadonlyArray<Saying> => {
  if (!isJson(systemPayload)) return []
  const { compressedHistory, uiEvent } = systemPayload
  if (subtype === "ui_telemetry" && isJson(uiEvent)) return failure(uiEvent, textOf(sessionId))
  if (subtype !== "chat_compression") return []
  const [summary] = Array.isArray(compressedHistory) ? compressedHistory.filter(isJson) : []
  return [{ _tag: "Compacted", summary: summary === undefined ? "" : wordsOf({ message: summary }) }]
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
