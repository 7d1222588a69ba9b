import { wordSet } from "../kit/command/WordSet.ts"
import { freshTokens, isJson, type Json, jsonOf, objectsIn, textOf, tokensOf } from "../kit/lines/JsonRecord.ts"
import type { Saying } from "../kit/said/Said.ts"
import { saidCall, saidResult } from "../kit/said/SaidTools.ts"

/** The tools of Gemini CLI. */
export const geminiTools = {
  spawning: wordSet("run_shell_command"),
  editing: wordSet("replace write_file"),
  path: "file_path"
}
/** Tools that only read. */
const looks = wordSet("read_file read_many_files grep_search search_file_content glob list_directory")

const wordsOf = (content: unknown): string =>
  textOf(content) ||
  objectsIn(content)
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n")

/** The agent's own first words to its model, with the folder of the session. */
const context = "<session_context>"
const folderIn = (words: string): unknown => /\*\*Workspace Directories:\*\*\n\s*- (\/[^\n]*)/u.exec(words)?.[1]
/** How the summary of a compaction begins. */
const snapshot = "<state_snapshot>"
/** The answer that Gemini CLI itself puts behind a summary. */
const acknowledged = "Got it. Thanks for the additional context!"

const resultOf = (call: Json): ReadonlyArray<Saying> => {
  const [id, name] = [textOf(call["id"]), textOf(call["name"])]
  const [said] = objectsIn(call["result"]).flatMap(({ functionResponse: one }) =>
    isJson(one) ? [one["response"]] : []
  )
  const { error, output } = jsonOf(said)
  const result = { id, text: textOf(output) || textOf(error), failed: call["status"] !== "success" }
  return [saidCall(geminiTools, { id, name, said: call["args"] }), ...saidResult(result, !looks.has(name))]
}

/** Reads an answer. It is written again, with its tools, once they have ended. */
const answer = ({ content, model, tokens: usage, toolCalls }: Json): ReadonlyArray<Saying> => {
  if (toolCalls !== undefined) return objectsIn(toolCalls).flatMap(resultOf)
  const text = wordsOf(content)
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    { _tag: "Unclear" },
    { _tag: "Context", tokens: tokensOf(usage, ["input"]), model: textOf(model) },
    { _tag: "Used", tokens: freshTokens(usage, ["total"], ["cached"]) }
  ]
}

/** Reads a new history. A resume repeats the summary of an earlier compaction, whose time is its own. */
const history = ({ lastUpdated, messages }: Json): ReadonlyArray<Saying> => {
  let compacted = false
  return objectsIn(messages).flatMap(({ content, timestamp, type }): ReadonlyArray<Saying> => {
    const words = wordsOf(content)
    if (words.startsWith(context)) return [{ _tag: "Session", folder: folderIn(words) }]
    if (words.startsWith(snapshot) && timestamp === lastUpdated) {
      compacted = true
      return [{ _tag: "Compacted", summary: words }]
    }
    // The newest words stay behind the summary.
    if (!compacted || words === "" || words === acknowledged) return []
    return [{ _tag: type === "user" ? "Prompt" : "Answer", text: words }]
  })
}

/** How words begin that Gemini CLI does not count as a prompt of a person. */
const uncounted = ["/", "?", context, "<hook_context>"]

const isConversation = ({ content, thoughts, toolCalls, type }: Json): boolean => {
  const words = wordsOf(content).trim()
  if (type === "user") return words !== "" && !uncounted.some((beginning) => words.startsWith(beginning))
  return type === "gemini" && (words !== "" || objectsIn(toolCalls).length + objectsIn(thoughts).length > 0)
}

/**
 * Tells whether Gemini CLI finds something to resume. `undefined`: an older record tells. A new history takes the place
 * of all that is older: without a prompt and an answer it finds nothing.
 */
export const resumable = (record: Json): boolean | undefined => {
  const messages = jsonOf(record["$set"])["messages"]
  if (messages !== undefined) return objectsIn(messages).some(isConversation)
  return isConversation(record) ? true : undefined
}

/** Reads a record of Gemini CLI (spec: gemini#records). None of them tells that a turn has ended. */
export const geminiSayings = (record: Json): ReadonlyArray<Saying> => {
  if (isJson(record["$set"])) return history(record["$set"])
  if (record["type"] === "gemini") return answer(record)
  const words = record["type"] === "user" ? wordsOf(record["content"]) : ""
  return words === "" || words.startsWith(context) ? [] : [{ _tag: "Prompt", text: words }]
}
