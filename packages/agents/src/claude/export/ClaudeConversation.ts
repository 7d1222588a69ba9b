import type { Speaker } from "@souffleur/domain"
import type { Conversation, Frame } from "../../kit/export/Conversation.ts"
import { isJson, type Json, jsonOf, messageParts, textOf } from "../../kit/lines/JsonRecord.ts"

/** The field of an edit tool that has the path of its file. */
const pathField: Readonly<Record<string, string>> = {
  Edit: "file_path",
  MultiEdit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path"
}

/**
 * Makes a converter of Claude Code's records. It checks them by hand: a schema for each of a million records would cost
 * more than everything else here.
 */
export const makeConversation = ({ files, turns }: Frame): Conversation => {
  const attached = (block: Json): string => {
    const source = jsonOf(block["source"])
    const name = textOf(block["title"]) || textOf(block["name"]) || textOf(source["media_type"])
    return turns.attached(`${textOf(block["type"])} ${name}`)
  }
  const toolResult = (block: Json): string => {
    const parts = messageParts(block["content"]).map((part) =>
      part["type"] === "text" ? textOf(part["text"]) : attached(part)
    )
    return turns.toolResult(parts.join("\n"), block["is_error"] === true, textOf(block["tool_use_id"]))
  }

  const blockOf =
    (who: Speaker) =>
    (block: Json): string => {
      const type = textOf(block["type"])
      if (type === "text") return turns.said(who, textOf(block["text"]))
      if (type === "tool_use" || type === "server_tool_use")
        return turns.toolCall(textOf(block["name"]), jsonOf(block["input"]), textOf(block["id"]))
      if (type.endsWith("tool_result")) return toolResult(block)
      if (type === "image" || type === "document") return turns.said(who, attached(block))
      // A successor cannot use thinking as context, and blocks that a newer agent adds are unknown.
      return ""
    }

  const message = (record: Json, who: Speaker): string => {
    const content = jsonOf(record["message"])["content"]
    return messageParts(content).map(blockOf(who)).join("")
  }

  const attachment = (value: unknown): string => {
    if (!isJson(value)) return ""
    // A message that the user typed while the agent was working.
    if (value["type"] === "queued_command" && value["isMeta"] !== true)
      return messageParts(value["prompt"]).map(blockOf("User")).join("")
    if (value["type"] !== "file") return ""
    const name = textOf(value["displayPath"]) || textOf(value["filename"])
    return turns.said("User", attached({ type: "file", name }))
  }

  const collect = (record: Json, encode: (text: string) => string): void => {
    turns.version(record["version"])
    if (record["type"] !== "assistant" || !isJson(record["message"])) return
    for (const { input, name: tool, type } of messageParts(record["message"]["content"])) {
      const name = textOf(tool)
      const path = type === "tool_use" && isJson(input) && Object.hasOwn(pathField, name) ? input[pathField[name]!] : ""
      if (typeof path === "string" && path !== "") files.edited(encode(path))
    }
  }

  const markdown = (record: Json): string => {
    // A subagent's conversation reached the Conductor as a tool result. Meta records are the agent program's own text.
    if (record["isSidechain"] === true || (record["isMeta"] === true && record["type"] !== "system")) return ""
    switch (record["type"]) {
      case "user":
        return message(record, record["isCompactSummary"] === true ? "Summary of what came before" : "User")
      case "assistant":
        return message(record, "Assistant")
      case "attachment":
        return attachment(record["attachment"])
      case "system":
        return record["subtype"] === "compact_boundary" ? turns.compaction() : ""
      default:
        return ""
    }
  }

  return {
    counts: turns.counts,
    record: (record, encode) => {
      collect(record, encode)
      const written = markdown(record)
      if (written !== "") turns.counts.records += 1
      return encode(written)
    }
  }
}
