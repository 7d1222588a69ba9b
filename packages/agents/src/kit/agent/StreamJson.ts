import { plain } from "@souffleur/domain"
import { Option, Predicate } from "effect"
import { isJson, type Json, jsonOf, objectsIn, recordOf, textOf } from "../lines/JsonRecord.ts"

/** Types of the records of `--output-format stream-json`, which all name their session. */
const types = new Set(["system", "assistant", "user", "result", "stream_event", "rate_limit_event", "control_response"])

/** Inputs of tools that say most, the best first. */
const telling = ["command", "file_path", "notebook_path", "path", "pattern", "query", "url", "skill", "description"]

/** Returns the blocks of a message. */
export const blocksOf = (message: unknown): ReadonlyArray<Json> => objectsIn(jsonOf(message)["content"])

/** UTF-16 units of a tool's argument. */
const maxArgument = 100

const toolLine = ({ input, name }: Json): string => {
  const words = jsonOf(input)
  const argument = [...telling.map((key) => words[key]), ...Object.values(words)].find(Predicate.isString) ?? ""
  return `· ${plain(textOf(name), maxArgument)}${argument === "" ? "" : `: ${plain(argument, maxArgument)}`}`
}

const blockText = (block: Json): ReadonlyArray<string> =>
  block["type"] === "text" && typeof block["text"] === "string"
    ? [block["text"]]
    : block["type"] === "tool_use"
      ? [toolLine(block)]
      : []

/**
 * Makes a reader of an output for programs that several agents write. `stream-json` has a record for each answer, and
 * repeats the last one as the result. `json` has only the result. A subagent's answers are its own, and are not shown.
 */
export const makeStreamJsonReader = () => {
  let answered = false
  const shown = (record: Json): string => {
    if (Predicate.isString(record["parent_tool_use_id"])) return ""
    if (record["type"] === "assistant") {
      answered = true
      return blocksOf(record["message"]).flatMap(blockText).join("\n")
    }
    const { is_error: failed, result, structured_output: form, type } = record
    if (type === "result" && isJson(form)) return JSON.stringify(form)
    return type === "result" && Predicate.isString(result) && (failed === true || !answered) ? result : ""
  }
  return (line: string): Option.Option<string> => {
    const record = recordOf(line)
    return record !== undefined && types.has(textOf(record["type"])) && Predicate.isString(record["session_id"])
      ? Option.some(shown(record))
      : Option.none()
  }
}
