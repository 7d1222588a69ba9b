import type { EndWord, EndWords, SessionMode } from "@souffleur/domain"
import { wordSet } from "../kit/command/WordSet.ts"
import { isJson, type Json, jsonOf, numberIn, textOf, tokensOf } from "../kit/lines/JsonRecord.ts"
import { saidEnd } from "../kit/said/Failures.ts"
import type { Saying } from "../kit/said/Said.ts"
import { saidCall, saidResult } from "../kit/said/SaidTools.ts"

const tools = { spawning: wordSet("bash"), editing: wordSet("edit multiedit write"), path: "filePath" }
/** Tools that only read or plan. */
const looks = wordSet("codesearch glob grep list lsp read skill todoread todowrite")

/** Reads a tool. It is written when it begins, with each piece of its output, and when it has ended. */
const toolOf = ({ id: part, state, tool }: Json): ReadonlyArray<Saying> => {
  const [id, name] = [textOf(part), textOf(tool)]
  const { error, input, output, status, time } = jsonOf(state)
  if (status === "running") return [saidCall(tools, { id, name, said: input })]
  const failed = status === "error"
  // A result that OpenCode takes out of the context later is written again.
  if ((status !== "completed" && !failed) || jsonOf(time)["compacted"] !== undefined) return []
  return saidResult({ id, text: textOf(failed ? error : output), failed }, !looks.has(name))
}

/** Reads a text. An answer's text has a time, and an end once it is whole. */
const wordsOf = ({ synthetic, text: said, time }: Json): ReadonlyArray<Saying> => {
  const text = textOf(said)
  if (synthetic === true || text === "") return []
  if (!isJson(time)) return [{ _tag: "Prompt", text }]
  return time["end"] === undefined ? [] : [{ _tag: "Answer", text }]
}

/** Reads the use of an answer, without what the service took from a cache. */
const usedIn = ({ cost, tokens }: Json): Saying => ({
  _tag: "Used",
  tokens: tokensOf(tokens, ["input", "output", "reasoning"]) + tokensOf(jsonOf(tokens)["cache"], ["write"]),
  dollars: Math.max(0, numberIn(cost) ?? 0)
})

const partOf = (part: Json): ReadonlyArray<Saying> => {
  switch (part["type"]) {
    case "text":
      return wordsOf(part)
    case "tool":
      return toolOf(part)
    case "step-finish":
      return isJson(part["tokens"]) ? [usedIn(part)] : []
    // It opens a compaction. The summary is the answer after it.
    case "compaction":
      return [{ _tag: "Compacted", summary: "" }]
    default:
      return []
  }
}

/** The names of OpenCode's errors, and the words by which an answer finishes (spec: reasons#opencode). */
export const openCodeWords: EndWords["words"] = {
  APIError: "status",
  ContextOverflowError: "prompt-too-long",
  ProviderAuthError: "login",
  MessageOutputLengthError: "cut",
  MessageAbortedError: "cut",
  ContentFilterError: "other",
  StructuredOutputError: "other",
  UnknownError: "other",
  stop: "ended",
  other: "ended",
  "tool-calls": "asks",
  unknown: "asks",
  length: "cut",
  "content-filter": "cut",
  error: "cut"
}
const wordOf = (name: unknown): EndWord | undefined =>
  typeof name === "string" && Object.hasOwn(openCodeWords, name) ? openCodeWords[name] : undefined

const endBy = (word: EndWord | undefined, words: string, status?: unknown): ReadonlyArray<Saying> => {
  const said = saidEnd(word, words, status)
  return said === undefined ? [] : [said]
}

const failureOf = ({ data, name }: Json): ReadonlyArray<Saying> => {
  const { message, statusCode } = jsonOf(data)
  const words = textOf(message) || textOf(name)
  return endBy(wordOf(name), words, statusCode)
}

/** Reads an answer as a whole. It is written when it begins, and with each of its ends. */
const answerOf = ({ error, finish, modelID, summary, time, tokens }: Json): ReadonlyArray<Saying> => {
  if (isJson(error)) return failureOf(error)
  if (!isJson(time) || time["completed"] === undefined) return finish === undefined ? [{ _tag: "Began" }] : []
  const inUse = tokensOf(tokens, ["input"]) + tokensOf(jsonOf(tokens)["cache"], ["read", "write"])
  // The model of a summary was given what the summary replaces, and OpenCode continues after it.
  if (summary === true || typeof finish !== "string") return []
  return [{ _tag: "Context", tokens: inUse, model: textOf(modelID) }, ...endBy(wordOf(finish) ?? "ended", "")]
}

/**
 * Returns the mode of a session, by the agent of OpenCode that a prompt went to. Its agent `plan` writes nothing.
 * `undefined`: the record is of no prompt.
 */
export const openCodeMode = ({ info }: Json): SessionMode | undefined => {
  const { agent, role } = jsonOf(info)
  if (role !== "user" || typeof agent !== "string") return undefined
  return agent === "plan" ? "plan" : "bypassPermissions"
}

/** Reads the data of an event of OpenCode (spec: opencode#records). */
export const openCodeSayings = ({ info, part }: Json): ReadonlyArray<Saying> => {
  if (isJson(part)) return partOf(part)
  if (!isJson(info)) return []
  if (info["role"] === "assistant") return answerOf(info)
  // A user's message is written again, with a summary of what was changed, when a turn has ended.
  if (info["role"] === "user") return info["summary"] === undefined ? [{ _tag: "Began" }] : []
  return typeof info["directory"] === "string"
    ? [{ _tag: "Session", folder: info["directory"], version: info["version"] }]
    : []
}
