import { Bounds, type ContextInUse, type SessionSigns, type TurnState } from "@souffleur/domain"
import { isJson, type Json, timeOf } from "@souffleur/session"
import { isAnswer, isCall, isPrompt, isResult, payloadAs } from "./RolloutItems.ts"

type Failed = Extract<TurnState, { readonly _tag: "Failed" }>

/** Reasons by Codex's own word of an error. */
const reasons: Readonly<Record<string, Failed["reason"]>> = {
  usage_limit_exceeded: "usage-limit",
  context_window_exceeded: "prompt-too-long",
  internal_server_error: "outage",
  server_overloaded: "outage",
  unauthorized: "account"
}

/** Returns the reason of an error: a word, or an object with one key and the status of HTTP. */
const reasonOf = (info: unknown): Failed["reason"] => {
  if (typeof info === "string") return Object.hasOwn(reasons, info) ? reasons[info]! : "other"
  const [said] = isJson(info) ? Object.values(info) : []
  const status = isJson(said) ? said["http_status_code"] : undefined
  if (typeof status !== "number") return said === undefined ? "other" : "outage"
  if (status === 429) return "usage-limit"
  return status === 401 || status === 402 || status === 403 ? "account" : status >= 500 ? "outage" : "other"
}

/** Returns the end of a used-up limit in epoch milliseconds, the latest of several. */
const resetOf = (limits: unknown): number | undefined => {
  const windows = isJson(limits) ? [limits["primary"], limits["secondary"]].filter(isJson) : []
  const ends = windows.flatMap(({ resets_at: end, used_percent: used }) =>
    typeof used === "number" && used >= 100 && typeof end === "number" && end > 0 ? [end * 1000] : []
  )
  return ends.length === 0 ? undefined : Bounds.time(Math.max(...ends))
}

const contextOf = (info: unknown, at: number): ContextInUse | undefined => {
  const used = isJson(info) ? info["last_token_usage"] : undefined
  const tokens = isJson(used) ? (Bounds.count(used["input_tokens"]) ?? 0) : 0
  if (!isJson(info) || tokens === 0) return undefined
  const window = Bounds.count(info["model_context_window"])
  // A count beyond the window means another window.
  return { tokens, window: window !== undefined && tokens <= window ? window : undefined, model: "", at }
}

/** Takes the records of a session, the newest first, until the state of the session is known. */
export interface Reading {
  readonly take: (record: Json, writtenAt: number) => "more" | "enough"
  readonly result: () => Pick<SessionSigns, "context" | "turn">
}

/** Reads the state of the turn from the newest records: a turn ends with `task_complete`, whatever the exit code is. */
export const makeReading = (): Reading => {
  let turn: TurnState | undefined
  let decided = false
  let context: ContextInUse | undefined
  let contextDone = false
  const answered = new Set<unknown>()
  /** When the newest record of the turn was written, where it called no tool yet. */
  let asked: number | undefined

  const decide = (known: TurnState) => {
    turn = known
    decided = true
  }
  const fromEvent = (event: Json, at: number) => {
    const { codex_error_info: info } = isJson(event["error"]) ? event["error"] : {}
    if (event["type"] === "task_complete")
      decide(
        isJson(event["error"])
          ? { _tag: "Failed", at, reason: reasonOf(info), resetsAt: undefined }
          : { _tag: "Finished", at }
      )
    else if (event["type"] === "turn_aborted") decide({ _tag: "Failed", at, reason: "other", resetsAt: undefined })
    else if (event["type"] === "task_started") decide({ _tag: "Asked", at: asked ?? at })
  }
  const fromItem = (item: Json, at: number) => {
    if (isResult(item)) {
      answered.add(item["call_id"])
      asked ??= at
    } else if (isCall(item) && !answered.has(item["call_id"]))
      decide({ _tag: "Tool", at, name: String(item["name"] ?? item["type"]), limit: undefined, spawns: true })
    else if (isAnswer(item)) asked ??= at
    else if (isPrompt(item)) decide({ _tag: "Asked", at: asked ?? at })
  }

  return {
    take: (record, writtenAt) => {
      const at = timeOf(record, writtenAt)
      if (record["type"] === "compacted") {
        contextDone = true
        if (!decided) decide({ _tag: "Asked", at: asked ?? at })
      }
      const event = payloadAs(record, "event_msg")
      const item = payloadAs(record, "response_item")
      if (event?.["type"] === "token_count") {
        if (!contextDone) context = contextOf(event["info"], at)
        contextDone ||= context !== undefined
        // The service states its limits with the request that they ended.
        if (turn?._tag === "Failed" && turn.reason === "usage-limit" && turn.resetsAt === undefined)
          turn = { ...turn, resetsAt: resetOf(event["rate_limits"]) }
      }
      const before = decided
      if (!decided && event !== undefined) fromEvent(event, at)
      if (!decided && item !== undefined) fromItem(item, at)
      const limited = turn?._tag === "Failed" && turn.reason === "usage-limit" && turn.resetsAt === undefined
      const begins = before && event?.["type"] === "task_started"
      return decided && contextDone && (!limited || begins) ? "enough" : "more"
    },
    result: () => ({ turn: turn ?? (asked === undefined ? undefined : { _tag: "Asked", at: asked }), context })
  }
}
