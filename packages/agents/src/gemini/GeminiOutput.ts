import type { EndWord, EndWords } from "@souffleur/domain"
import { Option } from "effect"
import { errorLine, toolLine } from "../kit/agent/OutputRecords.ts"
import { wordSet } from "../kit/command/WordSet.ts"
import { type Json, jsonOf, recordOf, textOf } from "../kit/lines/JsonRecord.ts"
import { saidEnd } from "../kit/said/Failures.ts"
import type { Saying, Sayings } from "../kit/said/Said.ts"
import { saidCall } from "../kit/said/SaidTools.ts"
import { geminiTools } from "./GeminiSayings.ts"

const types = wordSet("init message tool_use tool_result error result")

/** The types of Gemini CLI's own errors, and its words for a turn that it stops (spec: reasons#gemini-cli). */
export const geminiWords: EndWords["words"] = {
  FatalAuthenticationError: "login",
  FatalTurnLimitedError: "cap",
  FatalCancellationError: "cut",
  FatalInputError: "other",
  FatalSandboxError: "other",
  FatalConfigError: "other",
  FatalToolExecutionError: "other",
  FatalUntrustedWorkspaceError: "other",
  "Maximum session turns exceeded": "cap",
  "Loop detected, stopping execution": "cut"
}
const wordOf = (name: unknown): EndWord | undefined =>
  typeof name === "string" && Object.hasOwn(geminiWords, name) ? geminiWords[name] : undefined
const endBy = (word: EndWord | undefined, words: string, status?: unknown): ReadonlyArray<Saying> => {
  const said = saidEnd(word, words, status)
  return said === undefined ? [] : [said]
}

/**
 * Reads a failure. An error of the service has its status in the words, or its advice for a used-up limit. An outage
 * has such advice too, behind its status.
 */
const failure = ({ message, type }: Json): ReadonlyArray<Saying> => {
  const words = textOf(message)
  if (!words.includes("[API Error:")) return endBy(wordOf(type), words)
  const limit = /quota|rate limit|try again later/iu.test(words) ? "429" : undefined
  const status = /"code"\s*:\s*(\d{3})/u.exec(words)?.[1] ?? limit
  return endBy("status", words, status === undefined ? undefined : Number(status))
}

/** Reads the last record before a `result` with `success`, which also follows a turn that was cut off. */
const ending = ({ message, role, type }: Json): ReadonlyArray<Saying> => {
  if (type === "message" && role === "assistant") return endBy("ended", "")
  // Before a request that the window cannot hold, Gemini CLI stops without a word.
  if (type === "tool_result" || type === "message") return endBy("prompt-too-long", "")
  return type === "error" ? endBy(wordOf(message), textOf(message)) : endBy("cut", "")
}

const sayingsOf = (record: Json): ReadonlyArray<Saying> => {
  const { error, parameters, role, status, tool_id: id, tool_name: name, type } = record
  switch (type) {
    case "init":
      return [{ _tag: "Began" }]
    case "message":
      // The model is asked again once all tools have ended.
      return role === "assistant" ? [{ _tag: "Began" }] : []
    case "tool_use":
      return [saidCall(geminiTools, { id: textOf(id), name: textOf(name), said: parameters })]
    case "tool_result":
      return [{ _tag: "Result", id: textOf(id), text: "", failed: status !== "success" }]
    case "result":
      return failure(jsonOf(error))
    default:
      return []
  }
}

/** Makes a reader of the records of `--output-format stream-json`, the newest first (spec: gemini#output). */
export const makeOutputSayings = (): Sayings => {
  let succeeded = false
  return (record) => {
    const type = textOf(record["type"])
    if (!types.has(type)) return []
    if (type === "result" && record["status"] === "success") {
      succeeded = true
      return []
    }
    return succeeded ? ending(record) : sayingsOf(record)
  }
}

const shown = ({ error, parameters, tool_name: name, type }: Json): string => {
  const { command, file_path: path } = jsonOf(parameters)
  if (type === "result") return errorLine(textOf(jsonOf(error)["message"]))
  return type === "tool_use" ? toolLine(name, command, path) : ""
}

/**
 * Makes a reader of that output: the text of each answer, and a line for each tool. An answer comes in pieces, which
 * are shown once it is whole.
 */
export const makeGeminiReader = () => {
  let pieces = ""
  return (line: string): Option.Option<string> => {
    const record = recordOf(line)
    if (record === undefined || !types.has(textOf(record["type"])) || typeof record["timestamp"] !== "string")
      return Option.none()
    if (record["type"] === "message") {
      if (record["role"] === "assistant") pieces += textOf(record["content"])
      return Option.some("")
    }
    const text = [pieces, shown(record)].filter((one) => one !== "").join("\n")
    pieces = ""
    return Option.some(text)
  }
}
