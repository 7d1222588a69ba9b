import { isJson, type Json, type Saying, textOf, tokensOf } from "@souffleur/session"

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = new Set(["read_file", "read_many_files", "grep_search", "search_file_content", "glob", "list_directory"])
/** Tools that change the file at their `file_path`. */
const edits = new Set(["replace", "write_file"])
const shell = "run_shell_command"

/** Returns the call of a tool by its name and input. */
export const callOf = (id: string, name: string, args: unknown): Saying => {
  const input = isJson(args) ? args : {}
  const path = edits.has(name) ? textOf(input["file_path"]) : ""
  return { _tag: "Call", id, name, input, spawns: name === shell, edits: path === "" ? [] : [path] }
}

const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isJson) : [])
const wordsOf = (content: unknown): string =>
  textOf(content) ||
  listOf(content)
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
  const said = listOf(call["result"]).flatMap(({ functionResponse: one }) => (isJson(one) ? [one["response"]] : []))
  const { error, output } = isJson(said[0]) ? said[0] : {}
  const failed = call["status"] !== "success"
  const text = textOf(output) || textOf(error)
  const result: Saying = { _tag: "Result", id, text, failed }
  return [callOf(id, name, call["args"]), result, ...(failed || looks.has(name) ? [] : [{ _tag: "Progress" } as const])]
}

/** Reads an answer. It is written again, with its tools, once they have ended. */
const answer = ({ content, model, tokens, toolCalls }: Json): ReadonlyArray<Saying> => {
  if (toolCalls !== undefined) return listOf(toolCalls).flatMap(resultOf)
  const usage = isJson(tokens) ? tokens : {}
  const [input, total, cached] = ["input", "total", "cached"].map((name) => tokensOf(usage, [name])) as [
    number,
    number,
    number
  ]
  const text = wordsOf(content)
  return [
    ...(text === "" ? [] : [{ _tag: "Answer", text } as const]),
    { _tag: "Unclear" },
    ...(input === 0 ? [] : [{ _tag: "Context", tokens: input, window: undefined, model: textOf(model) } as const]),
    { _tag: "Used", tokens: Math.max(0, total - cached), dollars: 0 }
  ]
}

/** Reads a new history. A resume repeats the summary of an earlier compaction, whose time is its own. */
const history = ({ lastUpdated, messages }: Json): ReadonlyArray<Saying> => {
  let compacted = false
  return listOf(messages).flatMap(({ content, timestamp, type }): ReadonlyArray<Saying> => {
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
  return type === "gemini" && (words !== "" || listOf(toolCalls).length + listOf(thoughts).length > 0)
}

/**
 * Tells whether Gemini CLI finds something to resume. `undefined`: an older record tells. A new history takes the place
 * of all that is older: without a prompt and an answer it finds nothing.
 */
export const resumable = (record: Json): boolean | undefined => {
  const messages = isJson(record["$set"]) ? record["$set"]["messages"] : undefined
  if (messages !== undefined) return listOf(messages).some(isConversation)
  return isConversation(record) ? true : undefined
}

/** Reads a record of Gemini CLI (spec: gemini#records). None of them tells that a turn has ended. */
export const geminiSayings = (record: Json): ReadonlyArray<Saying> => {
  if (isJson(record["$set"])) return history(record["$set"])
  if (record["type"] === "gemini") return answer(record)
  const words = record["type"] === "user" ? wordsOf(record["content"]) : ""
  return words === "" || words.startsWith(context) ? [] : [{ _tag: "Prompt", text: words }]
}
