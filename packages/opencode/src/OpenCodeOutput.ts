import { plain } from "@souffleur/domain"
import { isJson, type Json, recordOf, textOf } from "@souffleur/session"
import { Option } from "effect"

/** UTF-16 units of a command, and of an error. */
const [maxCommand, maxError] = [100, 500]

const shown = ({ error, part, type }: Json): string => {
  if (type === "error") {
    const { data, name } = isJson(error) ? error : {}
    return plain((isJson(data) ? textOf(data["message"]) : "") || textOf(name), maxError)
  }
  if (!isJson(part)) return ""
  if (type === "text") return textOf(part["text"])
  if (type !== "tool_use") return ""
  const input = isJson(part["state"]) && isJson(part["state"]["input"]) ? part["state"]["input"] : {}
  const what = textOf(input["command"]) || textOf(input["filePath"])
  return `· ${plain(textOf(part["tool"]), 40)}${what === "" ? "" : `: ${plain(what, maxCommand)}`}`
}

/** Makes a reader of the output of `--format json`: the text of each answer, and a line for each tool. */
export const makeOutputReader =
  () =>
  (line: string): Option.Option<string> => {
    const record = recordOf(line)
    return record !== undefined && sessionNamed(record) !== undefined && typeof record["timestamp"] === "number"
      ? Option.some(shown(record))
      : Option.none()
  }

/** Returns the session that a record of an output names; `undefined`: it names none. */
export const sessionNamed = ({ sessionID: id }: Json): string | undefined =>
  typeof id === "string" && id !== "" ? id : undefined
