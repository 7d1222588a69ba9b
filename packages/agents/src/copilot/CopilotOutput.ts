import { errorLine, makeRecordReader, toolLine } from "../kit/agent/OutputRecords.ts"
import { isJson, type Json, jsonOf, textOf } from "../kit/lines/JsonRecord.ts"

const types = /^(?:assistant|session|system|tool|user)\.[a-z_.]+$/u

const shown = (data: Json, type: string): string => {
  const { command, path } = jsonOf(data["arguments"])
  switch (type) {
    case "assistant.message":
      return textOf(data["content"])
    case "session.error":
      return errorLine(textOf(data["message"]))
    case "tool.execution_start":
      return toolLine(data["toolName"], command, path)
    default:
      return ""
  }
}

/** Makes a reader of the output of `--output-format json`: the text of each answer, and a line for each tool. */
export const makeCopilotReader = () =>
  makeRecordReader(({ data, sessionId, type: said }) => {
    const type = textOf(said)
    if (type === "result" && typeof sessionId === "string") return ""
    return isJson(data) && types.test(type) ? shown(data, type) : undefined
  })
