import type { EndWord, EndWords, SessionMode } from "@souffleur/domain"
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
import { saidEnd } from "../kit/said/Failures.ts"
import type { Saying } from "../kit/said/Said.ts"
import { saidCall, saidResult } from "../kit/said/SaidTools.ts"

const tools = { spawning: wordSet("bash powershell"), editing: wordSet("create edit apply_patch"), path: "path" }

const answer = ({ content, toolRequests }: Json): ReadonlyArray<Saying> => {
  const text = textOf(content)
  const calls = objectsIn(toolRequests).map(({ arguments: said, name, toolCallId }) =>
    saidCall(tools, { id: textOf(toolCallId), name: textOf(name), said })
  )
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    ...calls,
    ...(calls.length === 0 ? [{ _tag: "Ended" } as const] : [])
  ]
}

/** Reads a tool's result. It names no tool: it did something where it ran a process or changed a file. */
const result = (data: Json): ReadonlyArray<Saying> => {
  const { error, fileEdits, result: said, shellExecution, success, toolCallId } = data
  const text = textOf(isJson(said) ? said["content"] : jsonOf(error)["message"])
  const refused = jsonOf(error)["code"] === "denied"
  const did = isJson(shellExecution) || (Array.isArray(fileEdits) && fileEdits.length > 0)
  return saidResult({ id: textOf(toolCallId), text, failed: success !== true, refused }, did)
}

/** The service charges billionths of a credit. */
const nanoInOne = 1e9

const used = ({ usage }: Json): ReadonlyArray<Saying> => {
  const { copilotUsage: charge, interactionType, maxPromptTokens, model } = jsonOf(usage)
  const tokens = tokensOf(usage, ["inputTokens"])
  const context = { _tag: "Context", tokens, window: numberIn(maxPromptTokens), model: textOf(model) } as const
  return [
    ...(interactionType === "conversation-agent" ? [context] : []),
    {
      _tag: "Used",
      tokens: freshTokens(usage, ["inputTokens", "outputTokens"], ["cacheReadTokens"]),
      credits: Math.max(0, numberIn(jsonOf(charge)["totalNanoAiu"]) ?? 0) / nanoInOne
    }
  ]
}

/**
 * The words of Copilot CLI for an error: its kinds, and the codes of a quota and of a break
 * (spec: reasons#copilot-cli).
 */
export const copilotWords: EndWords["words"] = {
  rate_limit: "usage-limit",
  context_limit: "prompt-too-long",
  authentication: "login",
  authorization: "account",
  policy: "account",
  quota: "account",
  session_quota_exceeded: "cap",
  autopilot_credit_limit: "cap",
  user_initiated: "cut",
  user_abort: "cut",
  remote_command: "cut",
  query: "status"
}

const wordOf = (name: unknown): EndWord | undefined =>
  typeof name === "string" && Object.hasOwn(copilotWords, name) ? copilotWords[name] : undefined

/** Reads an error, or a break of the turn. A word that is not known leaves it to the status. */
const failure = ({ errorCode, errorType, message, reason, statusCode }: Json): ReadonlyArray<Saying> => {
  const word = wordOf(errorCode) ?? wordOf(errorType) ?? wordOf(reason)
  const said = saidEnd(
    word ?? (reason === undefined ? "status" : "other"),
    textOf(message) || textOf(reason),
    statusCode
  )
  return said === undefined ? [] : [said]
}

/**
 * Returns the mode of a session by a prompt, or by a person's change. Its mode `plan` changes nothing. `undefined`: the
 * record tells none.
 */
export const copilotMode = ({ data, type }: Json): SessionMode | undefined => {
  const { agentMode, newMode } = jsonOf(data)
  const mode = type === "session.mode_changed" ? newMode : type === "user.message" ? agentMode : undefined
  if (typeof mode !== "string") return undefined
  return mode === "plan" ? "plan" : "bypassPermissions"
}

/** Reads a record of Copilot CLI (spec: copilot#records). */
export const copilotSayings = ({ data, type }: Json): ReadonlyArray<Saying> => {
  if (!isJson(data)) return []
  // A subagent's records name the call that began it. They are work, and none of the conversation.
  return typeof data["parentToolCallId"] === "string"
    ? sayingsOf(type, data).filter(({ _tag }) => _tag === "Progress" || _tag === "Used")
    : sayingsOf(type, data)
}

const sayingsOf = (type: unknown, data: Json): ReadonlyArray<Saying> => {
  switch (type) {
    case "session.start": {
      const { cwd: folder } = jsonOf(data["context"])
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
    case "abort":
      return failure(data)
    case "session.compaction_complete":
      return data["success"] === true ? [{ _tag: "Compacted", summary: textOf(data["summaryContent"]) }] : []
    default:
      return []
  }
}
