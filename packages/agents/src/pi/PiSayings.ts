import type { EndWords } from "@souffleur/domain"
import { wordSet } from "../kit/command/WordSet.ts"
import { type Json, jsonOf, numberIn, messageParts, recordOf, textOf, tokensOf } from "../kit/lines/JsonRecord.ts"
import { saidEnd } from "../kit/said/Failures.ts"
import type { Saying } from "../kit/said/Said.ts"
import { saidCall, saidResult } from "../kit/said/SaidTools.ts"

const tools = { spawning: wordSet("bash powershell"), editing: wordSet("edit write"), path: "path" }
/** Tools that only read. */
const looks = wordSet("read grep find ls")

/** Returns the words of a message. */
export const piWordsOf = (message: Json): string =>
  messageParts(message["content"])
    .flatMap(({ text, type }) => (type === "text" ? [textOf(text)] : []))
    .join("\n")

/** The reasons for which an answer of pi stops (spec: reasons#pi). */
export const piWords: EndWords["words"] = {
  stop: "ended",
  toolUse: "asks",
  pending: "asks",
  deferred: "asks",
  length: "cut",
  aborted: "cut",
  error: "status"
}

/** Reads the end of an answer. Text of an error is the status of HTTP, then the service's own words, often as JSON. */
const endOf = (message: Json, id: string): ReadonlyArray<Saying> => {
  const name = textOf(message["stopReason"])
  const text = textOf(message["errorMessage"])
  const [, status, rest = ""] = /^(\d{3})\b:?\s*(.*)$/su.exec(text) ?? []
  // Whatever a service calls it, an answer without a tool ends the turn.
  const calls = messageParts(message["content"]).some(({ type }) => type === "toolCall")
  const word = Object.hasOwn(piWords, name) ? piWords[name] : calls ? "asks" : "ended"
  const said = saidEnd(word, text, status === undefined ? undefined : Number(status))
  if (said?._tag !== "Failed") return said === undefined ? [] : [said]
  const resets = numberIn(recordOf(rest)?.["resets_at"])
  return [{ ...said, id, resetsAt: resets === undefined ? undefined : resets * 1000 }]
}

const used = (usage: unknown): Saying => {
  const dollars = numberIn(jsonOf(jsonOf(usage)["cost"])["total"]) ?? 0
  const tokens = tokensOf(usage, ["input", "cacheWrite", "output"])
  return { _tag: "Used", tokens, dollars: Number.isFinite(dollars) && dollars > 0 ? dollars : 0 }
}

const partSayings = ({ arguments: said, id, name, text, type }: Json): ReadonlyArray<Saying> => {
  if (type === "text") return [{ _tag: "Answer", text: textOf(text) }]
  return type === "toolCall" ? [saidCall(tools, { id: textOf(id), name: textOf(name), said })] : []
}

const answer = (message: Json, id: string): ReadonlyArray<Saying> => {
  const { model, usage } = message
  const tokens = tokensOf(usage, ["input", "cacheRead", "cacheWrite"])
  return [
    ...messageParts(message["content"]).flatMap(partSayings),
    ...endOf(message, id),
    { _tag: "Context", tokens, model: textOf(model) },
    used(usage)
  ]
}

const messageSayings = (message: Json, id: string): ReadonlyArray<Saying> => {
  switch (message["role"]) {
    case "user":
      return [{ _tag: "Prompt", text: piWordsOf(message) }]
    case "assistant":
      return answer(message, id)
    case "toolResult": {
      const result = {
        id: textOf(message["toolCallId"]),
        text: piWordsOf(message),
        failed: message["isError"] === true
      }
      return saidResult(result, !looks.has(textOf(message["toolName"])))
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
      return messageSayings(jsonOf(record["message"]), textOf(record["id"]))
    case "compaction":
      return [{ _tag: "Compacted", summary: textOf(record["summary"]) }, used(record["usage"])]
    case "context_edit":
      return record["replacement"] === null ? [{ _tag: "TakenBack", id: textOf(record["targetId"]) }] : []
    case "usage":
      return [used(record["usage"])]
    default:
      return []
  }
}
