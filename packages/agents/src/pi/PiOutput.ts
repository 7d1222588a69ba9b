import { errorLine, makeRecordReader, toolLine } from "../kit/agent/OutputRecords.ts"
import { type Json, jsonOf, textOf } from "../kit/lines/JsonRecord.ts"
import { piWordsOf } from "./PiSayings.ts"

const types = /^(?:session$|(?:agent|turn|message|tool_execution|auto_retry|compaction|queue|entry)_)/u

const shown = ({ args, message, toolName, type }: Json): string => {
  const said = jsonOf(message)
  const { command, path } = jsonOf(args)
  if (type === "message_end" && said["role"] === "assistant")
    return piWordsOf(said) || errorLine(textOf(said["errorMessage"]))
  return type === "tool_execution_start" ? toolLine(toolName, command, path) : ""
}

/** Makes a reader of the output of `--mode json`: the text of each answer, and a line for each tool. */
export const makePiReader = () =>
  makeRecordReader((record) => (types.test(textOf(record["type"])) ? shown(record) : undefined))
