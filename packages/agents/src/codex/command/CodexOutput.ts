import { errorLine, makeRecordReader, toolLine } from "../../kit/agent/OutputRecords.ts"
import { isJson, type Json, textOf } from "../../kit/lines/JsonRecord.ts"

/** Makes a reader of Codex's output: the text of each answer and error, and a line for each tool. */
export const makeCodexReader = () => {
  let told = ""
  /** A turn fails with the words of the error before it. */
  const once = (problem: string): string => {
    const words = problem === told ? "" : problem
    told = problem
    return errorLine(words)
  }
  return makeRecordReader(({ error, item, message, type }) => {
    // Other programs print such a record too: without words of Codex it is text.
    if (type === "error") return textOf(message) === "" ? undefined : once(textOf(message))
    if (!/^(?:thread|turn|item)\.[a-z_]+$/u.test(textOf(type))) return undefined
    if (type === "turn.failed") return isJson(error) ? once(textOf(error["message"])) : ""
    if (!isJson(item)) return ""
    const { command, text, tool, type: kind } = item
    if (type === "item.completed" && kind === "agent_message") return textOf(text)
    return type === "item.started" ? toolLine(kind, command, tool) : ""
  })
}

/** Returns the session that the first line of an output names. `undefined`: this line does not. */
export const startedIn = ({ thread_id: id, type }: Json): string | undefined =>
  type === "thread.started" && typeof id === "string" ? id : undefined
