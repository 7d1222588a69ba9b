import { plain } from "@souffleur/domain"
import { isJson, type Json, recordOf, textOf } from "@souffleur/session"
import { Option } from "effect"

/** UTF-16 units of a command. */
const maxCommand = 100

const shown = ({ error, item, type }: Json): string => {
  if (type === "turn.failed") return isJson(error) ? plain(textOf(error["message"]), 500) : ""
  if (!isJson(item)) return ""
  if (type === "item.completed" && item["type"] === "agent_message") return textOf(item["text"])
  if (type !== "item.started") return ""
  const what = textOf(item["command"]) || textOf(item["tool"])
  return `· ${plain(textOf(item["type"]), 40)}${what === "" ? "" : `: ${plain(what, maxCommand)}`}`
}

/** Makes a reader of Codex's output: the text of each answer, and a line for each tool. */
export const makeOutputReader =
  () =>
  (line: string): Option.Option<string> => {
    const record = recordOf(line)
    return /^(?:thread|turn|item)\.[a-z_]+$|^error$/u.test(textOf(record?.["type"]))
      ? Option.some(shown(record!))
      : Option.none()
  }

/** Returns the session that the first line of an output names. `undefined`: this line does not. */
export const startedIn = ({ thread_id: id, type }: Json): string | undefined =>
  type === "thread.started" && typeof id === "string" ? id : undefined
