import { plain } from "@souffleur/domain"
import { isJson, type Json, recordOf, textOf } from "@souffleur/session"
import { Option } from "effect"
import { wordsOf } from "./PiSayings.ts"

/** UTF-16 units of a command, and of an error. */
const [maxCommand, maxError] = [100, 500]

const shown = ({ args, message, toolName, type }: Json): string => {
  if (type === "message_end" && isJson(message) && message["role"] === "assistant")
    return wordsOf(message) || plain(textOf(message["errorMessage"]), maxError)
  if (type !== "tool_execution_start") return ""
  const what = isJson(args) ? textOf(args["command"]) || textOf(args["path"]) : ""
  return `· ${plain(textOf(toolName), 40)}${what === "" ? "" : `: ${plain(what, maxCommand)}`}`
}

/** Makes a reader of the output of `--mode json`: the text of each answer, and a line for each tool. */
export const makeOutputReader =
  () =>
  (line: string): Option.Option<string> => {
    const record = recordOf(line)
    return /^(?:session$|(?:agent|turn|message|tool_execution|auto_retry|compaction|queue|entry)_)/u.test(
      textOf(record?.["type"])
    )
      ? Option.some(shown(record!))
      : Option.none()
  }
