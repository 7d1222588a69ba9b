import { Bounds, type Speaker } from "@souffleur/domain"
import { blocksOf } from "../../kit/agent/StreamJson.ts"
import { wordSet } from "../../kit/command/WordSet.ts"
import { isJson, type Json, jsonOf, messageParts, textOf, tokensOf } from "../../kit/lines/JsonRecord.ts"
import type { Saying, Sayings } from "../../kit/said/Said.ts"
import { apiFailure, resetOf } from "./ApiFailure.ts"
import { contextSaid } from "./Context.ts"
import { answerOf, isMain } from "./Records.ts"

/** Tools that only read. They are no progress: a successor that dies after reading its export has done no work. */
const looks = wordSet("Read Glob Grep LS")
/** The call by which the agent answers by a schema. */
const answering = "StructuredOutput"
/** Tools that end when a person has answered. */
const questions = wordSet("AskUserQuestion ExitPlanMode")
/** The field of an edit tool that has the path of its file. */
const edited: Readonly<Record<string, string>> = {
  Edit: "file_path",
  MultiEdit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path"
}
/** Counts that matter. Tokens that are read from a cache cost a tenth, and would hide all others. */
const counted = ["input_tokens", "cache_creation_input_tokens", "output_tokens"]
/** The dearest session that is believed, in dollars. */
const maxDollars = 1e9

/**
 * The reasons of an answer without a tool call after which the agent goes on by itself, or says why not in its next
 * record (spec: claude-code#ends). Any other reason ends the turn, whatever a gateway calls it.
 */
const unfinished = wordSet("tool_use max_tokens model_context_window_exceeded compaction refusal")

const fileOf = (block: Json): string => {
  const source = jsonOf(block["source"])
  const name = textOf(block["title"]) || textOf(block["name"]) || textOf(source["media_type"])
  return `${textOf(block["type"])} ${name}`
}

const resultOf = (block: Json, more: { readonly refused?: boolean; readonly byService?: boolean } = {}): Saying => {
  const parts = messageParts(block["content"])
  const [texts, others] = [parts.filter(({ type }) => type === "text"), parts.filter(({ type }) => type !== "text")]
  const text = texts.map((part) => textOf(part["text"])).join("\n")
  const failed = block["is_error"] === true
  return { _tag: "Result", id: textOf(block["tool_use_id"]), text, failed, files: others.map(fileOf), ...more }
}

const callOf = (block: Json): Saying => {
  const [id, name, input] = [textOf(block["id"]), textOf(block["name"]), jsonOf(block["input"])]
  const path = Object.hasOwn(edited, name) ? textOf(input[edited[name]!]) : ""
  return {
    _tag: "Call",
    id,
    name,
    input,
    spawns: name === "Bash",
    edits: path === "" ? [] : [path],
    asks: questions.has(name),
    byService: block["type"] !== "tool_use"
  }
}

/** Says what only a conversation shows of a block. A block that a newer agent adds is unknown. */
const shown = (who: Speaker, block: Json): ReadonlyArray<Saying> => {
  const type = textOf(block["type"])
  if (type === "text") return [{ _tag: "Shown", who, text: textOf(block["text"]) }]
  if (type === "tool_use" || type === "server_tool_use") return [callOf(block)]
  if (type.endsWith("tool_result")) return [resultOf(block, { byService: true })]
  return type === "image" || type === "document" ? [{ _tag: "Attached", who, file: fileOf(block) }] : []
}

/** Says which tools were called that get nowhere, and which came to something. A subagent's count too. */
const progress = (record: Json): ReadonlyArray<Saying> =>
  blocksOf(record["message"]).flatMap((block): ReadonlyArray<Saying> => {
    const name = textOf(block["name"])
    // By a tool of souffleur's own a Conductor could ask for a recovery in each generation.
    if (block["type"] === "tool_use")
      return name === answering || looks.has(name) || name.startsWith("mcp__souffleur__")
        ? [{ _tag: "Look", id: textOf(block["id"]), answers: name === answering }]
        : []
    return block["type"] === "tool_result" && block["is_error"] !== true
      ? [{ _tag: "Progress", of: textOf(block["tool_use_id"]) }]
      : []
  })

/**
 * Recognises the output of the agent's own command, such as `/model`, which does not ask the model. (A shell command
 * does.)
 */
const isLocal = (text: string): boolean => /^<local-command-(?:stdout|stderr)>/u.test(text.trimStart())

const fromUser = (record: Json): ReadonlyArray<Saying> => {
  const parts = messageParts(jsonOf(record["message"])["content"])
  if (record["isCompactSummary"] === true)
    return parts.flatMap((part) => (part["type"] === "text" ? [{ _tag: "Summary", text: textOf(part["text"]) }] : []))
  const refused = jsonOf(record["permissionDecision"])["decision"] === "reject"
  if (parts.some(({ type }) => type === "tool_result"))
    return [
      ...parts.flatMap((part) =>
        part["type"] === "tool_result" ? [resultOf(part, { refused })] : shown("User", part)
      ),
      // An answer by a schema is a call of a tool, and the model says nothing after it.
      ...(record["toolEndsTurn"] === true ? [{ _tag: "Part", of: undefined, ends: "turn" } as const] : [])
    ]
  const said = parts.flatMap((part): ReadonlyArray<Saying> =>
    part["type"] === "text" ? [{ _tag: "Prompt", text: textOf(part["text"]) }] : shown("User", part)
  )
  return [
    ...(said.some(({ _tag }) => _tag === "Prompt") ? [] : [{ _tag: "Prompt", text: "" } as const]),
    ...said,
    ...(said.some((one) => one._tag === "Prompt" && isLocal(one.text)) ? [{ _tag: "Ended" } as const] : [])
  ]
}

const fromModel = (record: Json, message: Json): ReadonlyArray<Saying> => {
  const reason = message["stop_reason"]
  const said = messageParts(message["content"]).flatMap((block): ReadonlyArray<Saying> =>
    block["type"] === "text" ? [{ _tag: "Answer", text: textOf(block["text"]) }] : shown("Assistant", block)
  )
  const calls = said.some((one) => one._tag === "Call" && one.byService !== true)
  const over = typeof reason === "string" && !unfinished.has(reason)
  return [
    ...said,
    // Thinking is no words, and yet the model has answered.
    ...(said.some(({ _tag }) => _tag === "Answer" || _tag === "Call") ? [] : [{ _tag: "Answer", text: "" } as const]),
    ...contextSaid(record, message),
    {
      _tag: "Part",
      of: message["id"],
      ends: calls ? "calls" : over ? "turn" : reason === "tool_use" ? "asks" : "unsaid"
    }
  ]
}

/**
 * Says what the agent put into the model's mouth. It is an error of the service, or a restart, after which nothing is
 * outstanding.
 */
const fromAgent = (record: Json): ReadonlyArray<Saying> => [
  ...messageParts(jsonOf(record["message"])["content"]).flatMap((block) => shown("Assistant", block)),
  apiFailure(record) ?? { _tag: "Unclear" }
]

const fromSystem = (record: Json): ReadonlyArray<Saying> => {
  const { compactMetadata: metadata, maxRetries, retryAttempt, retryInMs, subtype } = record
  // A compaction by hand ends the turn. An automatic one continues it, with the summary.
  if (subtype === "compact_boundary")
    return [{ _tag: "Compacted" }, { _tag: jsonOf(metadata)["trigger"] === "manual" ? "Ended" : "Began" }]
  if (subtype !== "api_error") return []
  const resetsAt = resetOf(record)
  const [attempt = 0, attempts = 0] = [Bounds.count(retryAttempt), Bounds.count(maxRetries)]
  return [
    { _tag: "Limits", limits: [], resetsAt },
    { _tag: "Retrying", attempt, attempts, resetsAt, wait: Bounds.wait(retryInMs) ?? 0 }
  ]
}

const fromAttachment = (attachment: Json): ReadonlyArray<Saying> => {
  switch (attachment["type"]) {
    // A message that the user typed while the agent was working.
    case "queued_command":
      return attachment["isMeta"] === true
        ? []
        : messageParts(attachment["prompt"]).flatMap((part) => shown("User", part))
    case "file":
      return [
        {
          _tag: "Attached",
          who: "User",
          file: `file ${textOf(attachment["displayPath"]) || textOf(attachment["filename"])}`
        }
      ]
    // The most turns that its user allows.
    case "max_turns_reached":
      return [{ _tag: "Failed", reason: "cap" }]
    default:
      return []
  }
}

/** Reads a record of Claude Code (spec: claude-code#files). Records of its own, and its hidden text, say nothing. */
export const claudeSayings: Sayings = (record) => {
  const { cwd, totalCostUSD: dollars, type, version } = record
  if (type === "cost-state")
    return typeof dollars === "number" && dollars >= 0 && dollars <= maxDollars ? [{ _tag: "Cost", dollars }] : []
  const begun: ReadonlyArray<Saying> =
    cwd === undefined && version === undefined ? [] : [{ _tag: "Session", folder: cwd, version }]
  const message = answerOf(record)
  const aside = record["isSidechain"] === true
  const used: ReadonlyArray<Saying> =
    message === undefined
      ? []
      : [{ _tag: "Used", tokens: tokensOf(message["usage"], counted), of: message["id"], aside }]
  // A boundary is meta, and yet of the conversation.
  if (!isMain(record) && (aside || record["subtype"] !== "compact_boundary"))
    return [...begun, ...progress(record), ...used]
  if (message !== undefined) return [...begun, ...used, ...progress(record), ...fromModel(record, message)]
  switch (type) {
    case "user":
      return [...begun, ...progress(record), ...fromUser(record)]
    case "assistant":
      return [...begun, ...fromAgent(record)]
    case "system":
      return [...begun, ...fromSystem(record)]
    case "attachment":
      return isJson(record["attachment"]) ? [...begun, ...fromAttachment(record["attachment"])] : begun
    default:
      return begun
  }
}
