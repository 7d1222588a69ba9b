import { errorLine, makeRecordReader, toolLine } from "../kit/agent/OutputRecords.ts"
import { isJson, type Json, jsonOf, textOf } from "../kit/lines/JsonRecord.ts"

const shown = ({ error, part, type }: Json): string => {
  if (type === "error") {
    const { data, name } = jsonOf(error)
    return errorLine(textOf(jsonOf(data)["message"]) || textOf(name))
  }
  if (!isJson(part)) return ""
  if (type === "text") return textOf(part["text"])
  const { command, filePath } = jsonOf(jsonOf(part["state"])["input"])
  return type === "tool_use" ? toolLine(part["tool"], command, filePath) : ""
}

/** Makes a reader of the output of `--format json`: the text of each answer, and a line for each tool. */
export const makeOpenCodeReader = () =>
  makeRecordReader((record) =>
    sessionNamed(record) !== undefined && typeof record["timestamp"] === "number" ? shown(record) : undefined
  )

/** Returns the session that a record of an output names; `undefined`: it names none. */
export const sessionNamed = ({ sessionID: id }: Json): string | undefined => textOf(id) || undefined
