import { plain } from "@souffleur/domain"
import { isJson, type Json, recordOf, textOf } from "@souffleur/session"
import { Option } from "effect"

/** UTF-16 units of a command, and of an error. */
const [maxCommand, maxError] = [100, 500]

const shown = (data: Json, type: string): string => {
  if (type === "assistant.message") return textOf(data["content"])
  if (type === "session.error") return plain(textOf(data["message"]), maxError)
  if (type !== "tool.execution_start") return ""
  const input = isJson(data["arguments"]) ? data["arguments"] : {}
  const what = textOf(input["command"]) || textOf(input["path"])
  return `· ${plain(textOf(data["toolName"]), 40)}${what === "" ? "" : `: ${plain(what, maxCommand)}`}`
}

/** Makes a reader of the output of `--output-format json`: the text of each answer, and a line for each tool. */
export const makeOutputReader =
  () =>
  (line: string): Option.Option<string> => {
    const record = recordOf(line)
    const type = textOf(record?.["type"])
    if (type === "result" && typeof record?.["sessionId"] === "string") return Option.some("")
    return isJson(record?.["data"]) && /^(?:assistant|session|system|tool|user)\.[a-z_.]+$/u.test(type)
      ? Option.some(shown(record["data"], type))
      : Option.none()
  }
