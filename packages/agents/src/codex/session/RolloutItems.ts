import { type Json, jsonOf, objectsIn, textOf } from "../../kit/lines/JsonRecord.ts"

/** Returns the words of a message, part by part. */
export const itemWords = ({ content }: Json): ReadonlyArray<string> =>
  objectsIn(content).map(({ text }) => textOf(text))

/** Returns whether a message comes from a person or a launch. Codex writes its own instructions as a user's too. */
export const isPrompt = (message: Json): boolean => {
  if (message["type"] !== "message" || message["role"] !== "user") return false
  const kinds = jsonOf(message["internal_chat_message_metadata_passthrough"])["content_item_kinds"]
  return Array.isArray(kinds)
    ? kinds.includes("user.text")
    : !itemWords(message).some((text) => /^<(?:environment_context|user_instructions)>|^# AGENTS\.md/u.test(text))
}

/** Recognises words of the model. */
export const isAnswer = (item: Json): boolean => item["type"] === "message" && item["role"] === "assistant"

/** Recognises a call of a tool. Its result has the same `call_id`. */
export const isCall = (item: Json): boolean => textOf(item["type"]).endsWith("_call") && textOf(item["call_id"]) !== ""
/** Recognises the result of a tool. */
export const isResult = (item: Json): boolean => textOf(item["type"]).endsWith("_call_output")
