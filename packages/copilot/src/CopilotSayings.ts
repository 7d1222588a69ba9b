import { failureReason, isJson, type Json, type Saying, textOf, tokensOf } from "@souffleur/session"

/** Tools that run a process. */
const shells = new Set(["bash", "powershell"])
/** Tools that change the file at their `path`. */
const edits = new Set(["create", "edit", "apply_patch"])

const callOf = (call: Json): Saying => {
  const name = textOf(call["name"])
  const input = isJson(call["arguments"]) ? call["arguments"] : {}
  const path = edits.has(name) ? textOf(input["path"]) : ""
  const edited = path === "" ? [] : [path]
  return { _tag: "Call", id: textOf(call["toolCallId"]), name, input, spawns: shells.has(name), edits: edited }
}

const answer = ({ content, toolRequests }: Json): ReadonlyArray<Saying> => {
  const text = textOf(content)
  const calls = Array.isArray(toolRequests) ? toolRequests.filter(isJson).map(callOf) : []
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    ...calls,
    ...(calls.length === 0 ? [{ _tag: "Ended" } as const] : [])
  ]
}

/** Reads a tool's result. It names no tool: it did something where it ran a process or changed a file. */
const result = ({
  error,
  fileEdits,
  result: said,
  shellExecution,
  success,
  toolCallId
}: Json): ReadonlyArray<Saying> => {
  const failed = success !== true
  const content = isJson(said) ? said["content"] : isJson(error) ? error["message"] : undefined
  const refused = isJson(error) && error["code"] === "denied"
  const one: Saying = { _tag: "Result", id: textOf(toolCallId), text: textOf(content), failed, refused }
  const did = isJson(shellExecution) || (Array.isArray(fileEdits) && fileEdits.length > 0)
  return failed || !did ? [one] : [one, { _tag: "Progress" }]
}

const used = ({ usage }: Json): ReadonlyArray<Saying> => {
  if (!isJson(usage)) return []
  const tokens = tokensOf(usage, ["inputTokens"])
  const { interactionType, maxPromptTokens, model } = usage
  const window = typeof maxPromptTokens === "number" ? maxPromptTokens : undefined
  const fresh = tokensOf(usage, ["inputTokens", "outputTokens"]) - tokensOf(usage, ["cacheReadTokens"])
  return [
    ...(tokens === 0 || interactionType !== "conversation-agent"
      ? []
      : [{ _tag: "Context", tokens, window, model: textOf(model) } as const]),
    { _tag: "Used", tokens: Math.max(0, fresh), dollars: 0 }
  ]
}

const failure = ({ message, statusCode }: Json): Saying => ({
  _tag: "Failed",
  reason: failureReason(typeof statusCode === "number" ? statusCode : undefined, textOf(message)),
  resetsAt: undefined
})

/** Reads a record of Copilot CLI (spec: copilot#records). */
export const copilotSayings = ({ data, type }: Json): ReadonlyArray<Saying> => {
  // A subagent's records name the call that began it.
  if (!isJson(data) || typeof data["parentToolCallId"] === "string") return []
  switch (type) {
    case "session.start": {
      const folder = isJson(data["context"]) ? data["context"]["cwd"] : undefined
      return [{ _tag: "Session", folder, version: data["copilotVersion"] }]
    }
    case "user.message":
      return [{ _tag: "Prompt", text: textOf(data["content"]) }]
    case "assistant.turn_start":
      return [{ _tag: "Began" }]
    case "assistant.message":
      return answer(data)
    case "tool.execution_complete":
      return result(data)
    case "session.usage_record":
      return used(data)
    case "session.error":
      return [failure(data)]
    case "session.compaction_complete":
      return data["success"] === true ? [{ _tag: "Compacted", summary: textOf(data["summaryContent"]) }] : []
    default:
      return []
  }
}
