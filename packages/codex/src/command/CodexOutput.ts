import { plain } from "@souffleur/domain"
import { isJson, type Json, recordOf, textOf } from "@souffleur/session"
import { Option } from "effect"

/** UTF-16 units of a command. */
const maxCommand = 100

const toolIn = (item: Json): string => {
  const what = textOf(item["command"]) || textOf(item["tool"])
  return `· ${plain(textOf(item["type"]), 40)}${what === "" ? "" : `: ${plain(what, maxCommand)}`}`
}

/** Makes a reader of Codex's output: the text of each answer and error, and a line for each tool. */
export const makeOutputReader = () => {
  let told = ""
  /** A turn fails with the words of the error before it. */
  const once = (problem: string): string => {
    const words = problem === told ? "" : problem
    told = problem
    return plain(words, 500)
  }
  return (line: string): Option.Option<string> => {
    const { error, item, message, type } = recordOf(line) ?? {}
    // Other programs print such a record too: without words of Codex it is text.
    if (type === "error") return textOf(message) === "" ? Option.none() : Option.some(once(textOf(message)))
    if (!/^(?:thread|turn|item)\.[a-z_]+$/u.test(textOf(type))) return Option.none()
    if (type === "turn.failed") return Option.some(isJson(error) ? once(textOf(error["message"])) : "")
    if (!isJson(item)) return Option.some("")
    if (type === "item.completed" && item["type"] === "agent_message") return Option.some(textOf(item["text"]))
    return Option.some(type === "item.started" ? toolIn(item) : "")
  }
}

/** Returns the session that the first line of an output names. `undefined`: this line does not. */
export const startedIn = ({ thread_id: id, type }: Json): string | undefined =>
  type === "thread.started" && typeof id === "string" ? id : undefined
