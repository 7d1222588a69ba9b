import { isJson, type Json, jsonOf, messageParts } from "../../kit/lines/JsonRecord.ts"

/**
 * Returns whether a record belongs to the main conversation, rather than to a subagent or to hidden text from the agent
 * to the model.
 */
export const isMain = (record: Json): boolean => record["isSidechain"] !== true && record["isMeta"] !== true

/**
 * Returns the message that the model itself wrote. `undefined`: the agent wrote it, or it is an error of the service.
 */
export const answerOf = (record: Json): Json | undefined => {
  const message = record["message"]
  if (record["type"] !== "assistant" || record["isApiErrorMessage"] === true || !isJson(message)) return undefined
  return message["model"] === "<synthetic>" ? undefined : message
}

/** Returns the texts of a message. */
export const textsOf = (message: unknown): ReadonlyArray<string> => {
  const parts = messageParts(jsonOf(message)["content"])
  return parts.flatMap(({ text, type }) => (type === "text" && typeof text === "string" ? [text] : []))
}
