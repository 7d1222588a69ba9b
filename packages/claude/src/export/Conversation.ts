import { Predicate } from "effect"
import type { FilesModified } from "./FilesModified.ts"
import { closed, codeBlock, inline, shorten, trimmed, visible } from "./Markdown.ts"

/** Bytes kept of a tool call's input, and of a tool's result. */
const inputLimit = 4_000
const resultLimit = 8_000

type Json = Readonly<Record<string, unknown>>

/** Counts and facts of the conversation so far. */
export interface Counts {
  records: number
  version: string
  inputsCut: number
  resultsCut: number
  attachments: number
}

/** Turns the records of a session file, in their order, into Markdown. */
export interface Conversation {
  /**
   * Renders a record; empty: it is unknown, or no part of the conversation. `encode` turns its own strings into the
   * written form.
   */
  readonly record: (record: Json, encode: (text: string) => string) => string
  readonly counts: Readonly<Counts>
}

// Records are checked by hand: a schema for each of a million records would cost more than everything else here.
const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const blocksOf = (content: unknown): ReadonlyArray<Json> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content.filter(isJson) : []

/** Matches a line that looks like the heading of a turn. */
const turnLike = /^ {0,3}#{1,6}[ \t]+(?:User|Assistant|Summary of what came before)\b/gim
/** Escapes such a line: Markdown shows the same text, but not as a heading. */
const quoted = (what: string): string =>
  what.includes("#") ? what.replace(turnLike, (line) => line.replace("#", "\\#")) : what

/**
 * Makes a converter. `boundaryMarker` is the line for a compaction. `mark` ends the heading of each turn, and no text
 * can contain it.
 */
export const makeConversation = (boundaryMarker: string, mark: string, files: FilesModified): Conversation => {
  const counts: Counts = { records: 0, version: "unknown", inputsCut: 0, resultsCut: 0, attachments: 0 }
  let speaker = ""

  /** Returns a heading if the speaker changes. */
  const turnOf = (who: string): string => {
    const heading = speaker === who ? "" : `## ${who} ${mark}\n\n`
    speaker = who
    return heading
  }

  const said = (who: string, what: string): string => {
    const body = quoted(closed(trimmed(visible(what))))
    return body === "" ? "" : `${turnOf(who)}${body}\n\n`
  }

  const cut = (what: string, limit: number, count: "inputsCut" | "resultsCut"): string => {
    if (what.length > limit) counts[count] += 1
    return visible(shorten(what, limit))
  }

  const attached = (block: Json): string => {
    counts.attachments += 1
    const source = isJson(block["source"]) ? block["source"] : {}
    const name = text(block["title"]) || text(block["name"]) || text(source["media_type"])
    return `[${inline(`${text(block["type"])} ${name}`, 200)}, not embedded]`
  }

  const toolCall = (block: Json): string => {
    const input = isJson(block["input"]) ? block["input"] : {}
    let fields = ""
    for (const name of Object.keys(input)) {
      const value = input[name]
      const shown = typeof value === "string" ? value : JSON.stringify(value)
      fields += `${name}:${shown.includes("\n") ? "\n" : " "}${shown}\n`
    }
    return `${turnOf("Assistant")}**Tool call: ${inline(text(block["name"]), 200)}**\n\n${codeBlock(cut(fields, inputLimit, "inputsCut"))}\n`
  }

  const toolResult = (block: Json): string => {
    const parts = blocksOf(block["content"]).map((part) =>
      part["type"] === "text" ? text(part["text"]) : attached(part)
    )
    const heading = block["is_error"] === true ? "**Tool result (error)**" : "**Tool result**"
    const body = parts.join("\n")
    return body === "" ? `${heading}: empty\n\n` : `${heading}\n\n${codeBlock(cut(body, resultLimit, "resultsCut"))}\n`
  }

  const blockOf =
    (who: string) =>
    (block: Json): string => {
      const type = text(block["type"])
      if (type === "text") return said(who, text(block["text"]))
      if (type === "tool_use" || type === "server_tool_use") return toolCall(block)
      if (type.endsWith("tool_result")) return toolResult(block)
      if (type === "image" || type === "document") return said(who, attached(block))
      // A successor cannot use thinking as context, and blocks that a newer agent adds are unknown.
      return ""
    }

  const message = (record: Json, who: string): string => {
    const content = isJson(record["message"]) ? record["message"]["content"] : undefined
    return blocksOf(content).map(blockOf(who)).join("")
  }

  const attachment = (value: unknown): string => {
    if (!isJson(value)) return ""
    // A message that the user typed while the agent was working.
    if (value["type"] === "queued_command" && value["isMeta"] !== true)
      return blocksOf(value["prompt"]).map(blockOf("User")).join("")
    if (value["type"] !== "file") return ""
    return said("User", attached({ type: "file", name: text(value["displayPath"]) || text(value["filename"]) }))
  }

  const collect = (record: Json, encode: (text: string) => string): void => {
    if (counts.version === "unknown" && /^[\w.+-]{1,40}$/.test(text(record["version"])))
      counts.version = text(record["version"])
    if (record["type"] !== "assistant" || !isJson(record["message"])) return
    for (const block of blocksOf(record["message"]["content"])) {
      if (block["type"] === "tool_use" && isJson(block["input"]))
        files.toolCall(text(block["name"]), block["input"], encode)
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
        if (record["subtype"] !== "compact_boundary") return ""
        speaker = ""
        return `${boundaryMarker}\n\n`
      default:
        return ""
    }
  }

  return {
    counts,
    record: (record, encode) => {
      collect(record, encode)
      const written = markdown(record)
      if (written !== "") counts.records += 1
      return encode(written)
    }
  }
}
