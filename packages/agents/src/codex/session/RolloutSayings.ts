import { Bounds, type EndWords } from "@souffleur/domain"
import {
  freshTokens,
  isJson,
  type Json,
  jsonOf,
  numberIn,
  objectsIn,
  recordOf,
  textOf,
  tokensOf
} from "../../kit/lines/JsonRecord.ts"
import { saidEnd } from "../../kit/said/Failures.ts"
import type { Saying } from "../../kit/said/Said.ts"
import { isAnswer, isCall, isPrompt, isResult, itemWords } from "./RolloutItems.ts"

/** Codex's own words for an error, as its schema of `CodexErrorInfo` has them (spec: reasons#codex). */
export const codexWords: EndWords["words"] = {
  usage_limit_exceeded: "usage-limit",
  rate_limit_exceeded: "usage-limit",
  server_overloaded: "outage",
  flex_unavailable: "outage",
  policy_capacity_unavailable: "outage",
  internal_server_error: "outage",
  context_window_exceeded: "prompt-too-long",
  unauthorized: "login",
  model_not_found: "model",
  session_budget_exceeded: "cap",
  http_connection_failed: "status",
  response_stream_connection_failed: "status",
  response_stream_disconnected: "status",
  response_too_many_failed_attempts: "status",
  bad_request: "other",
  cyber_policy: "other",
  misalignment_policy_violation: "other",
  inference_hook_denied: "other",
  too_many_denials: "other",
  sandbox_error: "other",
  thread_rollback_failed: "other",
  active_turn_not_steerable: "other",
  other: "other"
}

/** Says why a turn failed: by a word, or by an object with one key and the status of HTTP. */
const failure = ({ codex_error_info: info, message }: Json): ReadonlyArray<Saying> => {
  const [name = "", detail] = typeof info === "string" ? [info] : (Object.entries(jsonOf(info))[0] ?? [])
  const status = numberIn(jsonOf(detail)["http_status_code"])
  const word = Object.hasOwn(codexWords, name) ? codexWords[name] : status === undefined ? "other" : "status"
  const said = saidEnd(word, textOf(message), status)
  return said === undefined ? [] : [said]
}

/** Returns the limits of the service, and of those that are used up the latest end. */
const limitsOf = (said: unknown): Saying => {
  const { primary, secondary } = jsonOf(said)
  const ends: Array<number> = []
  const limits = objectsIn([primary, secondary]).flatMap((one) => {
    const { resets_at: end, used_percent: used, window_minutes: minutes } = one
    if (typeof used !== "number" || typeof end !== "number" || end <= 0) return []
    if (used >= 100) ends.push(end * 1000)
    const [resetsAt, span] = [Bounds.time(end * 1000), Bounds.count(numberIn(minutes) ?? 0)]
    return used >= 0 && resetsAt !== undefined && span ? [{ used, resetsAt, span: span * 60_000 }] : []
  })
  return { _tag: "Limits", limits, resetsAt: ends.length === 0 ? undefined : Math.max(...ends) }
}

const contextOf = (info: Json): Saying => ({
  _tag: "Context",
  tokens: tokensOf(info["last_token_usage"], ["input_tokens"]),
  window: Bounds.count(info["model_context_window"]),
  model: ""
})

/** Commands that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = new Set(["read", "list_files", "search"])

/** The exit code of a command that ran until the end of its turn, such as a server. */
const outlived = -1

/** Returns whether an item tells of a tool that did something and did not fail. souffleur's own tools do not count. */
const isProgress = (item: Json): boolean => {
  const { exit_code: code, parsed_cmd: parsed, server, status } = item
  switch (item["type"]) {
    case "CommandExecution":
      return (
        (code === 0 || code === outlived) &&
        !(
          Array.isArray(parsed) &&
          parsed.length > 0 &&
          parsed.every((one) => isJson(one) && looks.has(textOf(one["type"])))
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

const eventSayings = (event: Json): ReadonlyArray<Saying> => {
  const error = isJson(event["error"]) ? event["error"] : undefined
  switch (event["type"]) {
    case "task_started":
      return [{ _tag: "Began" }, contextOf(event)]
    case "task_complete":
      return error === undefined ? [{ _tag: "Ended" }] : failure(error)
    case "turn_aborted":
      return [{ _tag: "Failed", reason: "other" }]
    case "token_count":
      return [limitsOf(event["rate_limits"]), contextOf(jsonOf(event["info"]))]
    case "item_completed":
      return isProgress(jsonOf(event["item"])) ? [{ _tag: "Progress" }] : []
    default:
      return []
  }
}

/** Matches the files that a patch changes. */
const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gmu

/** Returns the input of a call. Codex writes it as JSON, or as free text. */
const inputOf = (item: Json): Json => {
  const said = textOf(item["arguments"]) || textOf(item["input"])
  return recordOf(said) ?? (said === "" && isJson(item["action"]) ? item["action"] : { input: said })
}

const itemSayings = (item: Json): ReadonlyArray<Saying> => {
  if (isPrompt(item)) return [{ _tag: "Prompt", text: itemWords(item).join("\n") }]
  if (isAnswer(item)) return [{ _tag: "Answer", text: itemWords(item).join("\n") }]
  if (isCall(item)) {
    const input = inputOf(item)
    const edits = Object.values(input).flatMap((words) =>
      Array.from(textOf(words).matchAll(patched), ([, path = ""]) => path)
    )
    const name = textOf(item["name"]) || textOf(item["type"])
    return [{ _tag: "Call", id: textOf(item["call_id"]), name, input, spawns: true, edits }]
  }
  if (!isResult(item)) return []
  const { output } = item
  const said = typeof output === "string" ? output : (JSON.stringify(output) ?? "")
  return [{ _tag: "Result", id: textOf(item["call_id"]), text: said, failed: false }]
}

/** Returns the context of an answer whose tool still runs: the count with its window follows the tool. */
const answered = (usage: unknown): Saying => ({
  _tag: "Context",
  tokens: tokensOf(usage, ["input_tokens"]),
  window: "older",
  model: ""
})

const usedBy = (usage: unknown): Saying => ({
  _tag: "Used",
  tokens: freshTokens(usage, ["input_tokens"], ["cached_input_tokens"]) + tokensOf(usage, ["output_tokens"])
})

/**
 * Returns the session that a subagent works for. A subagent has a session of its own, whose first record names the one
 * at the top.
 */
export const worksFor = (record: Json): string | undefined => {
  const { id, session_id: root, thread_source: source } = jsonOf(record["payload"])
  if (record["type"] !== "session_meta" || source !== "subagent" || root === id) return undefined
  return textOf(root) || undefined
}

/** Reads a record of Codex. The conversation is in its items alone, and events repeat them. */
export const rolloutSayings = (record: Json): ReadonlyArray<Saying> => {
  const payload = jsonOf(record["payload"])
  switch (record["type"]) {
    case "session_meta":
      return [{ _tag: "Session", folder: payload["cwd"], version: payload["cli_version"] }]
    case "event_msg":
      return eventSayings(payload)
    case "response_item":
      return itemSayings(payload)
    case "token_usage_record":
      return [usedBy(payload["usage"]), answered(payload["usage"])]
    case "compacted":
      return [{ _tag: "Compacted", summary: textOf(payload["message"]) }]
    default:
      return []
  }
}
