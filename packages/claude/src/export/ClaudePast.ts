import { jsonOf, makeSessionPast, messageParts, type Saying, textOf, tokensOf } from "@souffleur/session"
import { contextOf } from "../session/Context.ts"
import { answerOf, isMain } from "../session/Records.ts"
import { isOther } from "./ClaudeExport.ts"

const counted = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]

/** Reads what a session file of Claude Code tells of its use over time, and the list of its agent's own work. */
export const claudePast = makeSessionPast(() => {
  /** The answer of the last record. Its blocks are records of their own, and the newest of them has the final count. */
  let last: unknown
  return (record) => {
    if (!isMain(record)) return []
    const answer = answerOf(record)
    const blocks = messageParts(jsonOf(record["message"])["content"])
    const said = blocks.flatMap((block): ReadonlyArray<Saying> => {
      const type = textOf(block["type"])
      if (type === "tool_use") {
        const [id, name] = [textOf(block["id"]), textOf(block["name"])]
        return [{ _tag: "Call", id, name, input: jsonOf(block["input"]), spawns: false, edits: [] }]
      }
      if (type !== "tool_result") return []
      const text = messageParts(block["content"]).map((part) => textOf(part["text"]))
      return [{ _tag: "Result", id: textOf(block["tool_use_id"]), text: text.join("\n"), failed: false }]
    })
    if (answer === undefined || (answer["id"] !== undefined && answer["id"] === last)) return said
    last = answer["id"]
    const context = contextOf(record, 0)
    const used: Saying = { _tag: "Used", tokens: tokensOf(answer["usage"], counted) }
    return [...said, ...(context === undefined ? [] : [{ _tag: "Context", ...context } as const]), used]
  }
}, isOther)
