import { type Conversation, type Frame, isJson, type Json, makeExport, makeTurns, recordOf } from "@souffleur/session"
import { isAnswer, isCall, isPrompt, isResult, payloadAs, payloadOf, wordsOf } from "../session/RolloutItems.ts"
import { sessionIdOf } from "../session/Rollouts.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")

/** Matches the files that a patch changes. */
const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gmu

/** Returns the input of a call. Codex writes it as JSON, or as free text. */
const inputOf = (item: Json): Json => {
  const said = text(item["arguments"]) || text(item["input"])
  return recordOf(said) ?? (said === "" && isJson(item["action"]) ? item["action"] : { input: said })
}

/** Makes a converter of Codex's records. The conversation is in its items alone, and events repeat them. */
const makeConversation = ({ files, ...frame }: Frame): Conversation => {
  const turns = makeTurns(frame)
  const itemOf = (item: Json, encode: (text: string) => string): string => {
    if (isPrompt(item)) return turns.said("User", wordsOf(item).join("\n"))
    if (isAnswer(item)) return turns.said("Assistant", wordsOf(item).join("\n"))
    if (isCall(item)) {
      const input = inputOf(item)
      for (const words of Object.values(input))
        for (const [, path = ""] of text(words).matchAll(patched)) files.edited(encode(path))
      return turns.toolCall(text(item["name"]) || text(item["type"]), input)
    }
    if (!isResult(item)) return ""
    const { output } = item
    return turns.toolResult(typeof output === "string" ? output : (JSON.stringify(output) ?? ""), false)
  }
  const markdown = (record: Json, encode: (text: string) => string): string => {
    if (record["type"] === "compacted")
      return turns.compaction() + turns.said("Summary of what came before", text(payloadOf(record)["message"]))
    if (record["type"] === "session_meta") turns.version(payloadOf(record)["cli_version"])
    const item = payloadAs(record, "response_item")
    return item === undefined ? "" : itemOf(item, encode)
  }
  return {
    counts: turns.counts,
    record: (record, encode) => {
      const written = markdown(record, encode)
      if (written !== "") turns.counts.records += 1
      return encode(written)
    }
  }
}

/** Streams a session file of Codex to Markdown. */
export const exportRollout = makeExport({
  agent: "Codex",
  sessionIdOf,
  isOther: (line) =>
    /^\{"timestamp":"[^"]*","ordinal":\d+,"type":"(?:event_msg|token_usage_record|turn_context|world_state)"/u.test(
      line
    ),
  conversation: makeConversation
})
