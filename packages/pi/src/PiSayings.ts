import { isJson, type Json, failureReason, recordOf, type Saying, textOf, tokensOf } from "@souffleur/session"

type Failed = Extract<Saying, { readonly _tag: "Failed" }>

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = new Set(["read", "grep", "find", "ls"])
/** Tools that change the file at their `path`. */
const edits = new Set(["edit", "write"])
const shells = new Set(["bash", "powershell"])

const partsOf = ({ content }: Json): ReadonlyArray<Json> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content.filter(isJson) : []
/** Returns the words of a message. */
export const wordsOf = (message: Json): string =>
  partsOf(message)
    .flatMap(({ text, type }) => (type === "text" ? [textOf(text)] : []))
    .join("\n")

/** Reads pi's text of an error: the status of HTTP, then the words of the service, often as JSON. */
const failureOf = (message: Json, id: string): Failed => {
  const said = textOf(message["errorMessage"])
  const [, status, rest = ""] = /^(\d{3})\b:?\s*(.*)$/su.exec(said) ?? []
  const resets = recordOf(rest)?.["resets_at"]
  return {
    _tag: "Failed",
    reason: failureReason(status === undefined ? undefined : Number(status), said),
    resetsAt: typeof resets === "number" ? resets * 1000 : undefined,
    id
  }
}

const used = (usage: unknown): ReadonlyArray<Saying> => {
  if (!isJson(usage)) return []
  const cost = isJson(usage["cost"]) ? usage["cost"]["total"] : undefined
  const dollars = typeof cost === "number" && Number.isFinite(cost) && cost > 0 ? cost : 0
  return [{ _tag: "Used", tokens: tokensOf(usage, ["input", "cacheWrite", "output"]), dollars }]
}

const answer = (message: Json, id: string): ReadonlyArray<Saying> => {
  const { model, stopReason, usage } = message
  const tokens = isJson(usage) ? tokensOf(usage, ["input", "cacheRead", "cacheWrite"]) : 0
  const parts = partsOf(message).flatMap(({ arguments: input, id: call, name, text, type }): ReadonlyArray<Saying> => {
    if (type === "text") return [{ _tag: "Answer", text: textOf(text) }]
    if (type !== "toolCall") return []
    const tool = textOf(name)
    const fields = isJson(input) ? input : {}
    const path = edits.has(tool) ? textOf(fields["path"]) : ""
    const edited = path === "" ? [] : [path]
    return [{ _tag: "Call", id: textOf(call), name: tool, input: fields, spawns: shells.has(tool), edits: edited }]
  })
  const end: ReadonlyArray<Saying> =
    stopReason === "stop"
      ? [{ _tag: "Ended" }]
      : stopReason === "error"
        ? [failureOf(message, id)]
        : stopReason === "aborted" || stopReason === "length"
          ? [{ _tag: "Failed", reason: "other", resetsAt: undefined, id }]
          : []
  const context: ReadonlyArray<Saying> =
    tokens === 0 ? [] : [{ _tag: "Context", tokens, window: undefined, model: textOf(model) }]
  return [...parts, ...end, ...context, ...used(usage)]
}

const messageSayings = (message: Json, id: string): ReadonlyArray<Saying> => {
  switch (message["role"]) {
    case "user":
      return [{ _tag: "Prompt", text: wordsOf(message) }]
    case "assistant":
      return answer(message, id)
    case "toolResult": {
      const failed = message["isError"] === true
      const result: Saying = { _tag: "Result", id: textOf(message["toolCallId"]), text: wordsOf(message), failed }
      return failed || looks.has(textOf(message["toolName"])) ? [result] : [result, { _tag: "Progress" }]
    }
    default:
      return []
  }
}

/** Reads a record of pi (spec: pi#records). */
export const piSayings = (record: Json): ReadonlyArray<Saying> => {
  switch (record["type"]) {
    case "session":
      return [{ _tag: "Session", folder: record["cwd"] }]
    case "message":
      return isJson(record["message"]) ? messageSayings(record["message"], textOf(record["id"])) : []
    case "compaction":
      return [{ _tag: "Compacted", summary: textOf(record["summary"]) }, ...used(record["usage"])]
    case "context_edit":
      return record["replacement"] === null ? [{ _tag: "TakenBack", id: textOf(record["targetId"]) }] : []
    case "usage":
      return used(record["usage"])
    default:
      return []
  }
}
