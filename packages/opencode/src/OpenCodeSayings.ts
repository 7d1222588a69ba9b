import { failureReason, isJson, type Json, type Saying, textOf, tokensOf } from "@souffleur/session"

/** Tools that only read or plan. They are no progress: a successor that dies after reading its export did no work. */
const looks = new Set(["codesearch", "glob", "grep", "list", "lsp", "read", "skill", "todoread", "todowrite"])
/** Tools that change the file at their `filePath`. */
const edits = new Set(["edit", "multiedit", "write"])
const shell = "bash"

const callOf = (id: string, name: string, said: unknown): Saying => {
  const input = isJson(said) ? said : {}
  const path = edits.has(name) ? textOf(input["filePath"]) : ""
  return { _tag: "Call", id, name, input, spawns: name === shell, edits: path === "" ? [] : [path] }
}

/** Reads a tool. It is written when it begins, with each piece of its output, and when it has ended. */
const toolOf = ({ id: part, state, tool }: Json): ReadonlyArray<Saying> => {
  const [id, name] = [textOf(part), textOf(tool)]
  const { error, input, output, status, time } = isJson(state) ? state : {}
  if (status === "running") return [callOf(id, name, input)]
  const failed = status === "error"
  // A result that OpenCode takes out of the context later is written again.
  if ((status !== "completed" && !failed) || (isJson(time) && time["compacted"] !== undefined)) return []
  const result: Saying = { _tag: "Result", id, text: textOf(failed ? error : output), failed }
  return failed || looks.has(name) ? [result] : [result, { _tag: "Progress" }]
}

/** Reads a text. That of an answer has a time, and an end once it is whole. */
const wordsOf = ({ synthetic, text: said, time }: Json): ReadonlyArray<Saying> => {
  const text = textOf(said)
  if (synthetic === true || text === "") return []
  if (!isJson(time)) return [{ _tag: "Prompt", text }]
  return time["end"] === undefined ? [] : [{ _tag: "Answer", text }]
}

/** Tokens of an answer that the service did not take from a cache. */
const freshTokens = (tokens: Json, cache: Json): number =>
  tokensOf(tokens, ["input", "output", "reasoning"]) + tokensOf(cache, ["write"])

const usedIn = ({ cost, tokens }: Json): ReadonlyArray<Saying> => {
  if (!isJson(tokens)) return []
  const cache = isJson(tokens["cache"]) ? tokens["cache"] : {}
  const dollars = typeof cost === "number" && cost > 0 ? cost : 0
  return [{ _tag: "Used", tokens: freshTokens(tokens, cache), dollars }]
}

const partOf = (part: Json): ReadonlyArray<Saying> => {
  switch (part["type"]) {
    case "text":
      return wordsOf(part)
    case "tool":
      return toolOf(part)
    case "step-finish":
      return usedIn(part)
    // It opens a compaction. The summary is the answer after it.
    case "compaction":
      return [{ _tag: "Compacted", summary: "" }]
    default:
      return []
  }
}

const failureOf = ({ data, name }: Json): Saying => {
  const { message, statusCode } = isJson(data) ? data : {}
  const status = typeof statusCode === "number" ? statusCode : undefined
  const reason =
    name === "ContextOverflowError"
      ? "prompt-too-long"
      : name === "ProviderAuthError"
        ? "account"
        : name === "APIError"
          ? failureReason(status, textOf(message))
          : "other"
  return { _tag: "Failed", reason, resetsAt: undefined }
}

/** Reads the end of an answer. An answer that was cut off ends the turn too, in the middle of the work. */
const endOf = (finish: string): ReadonlyArray<Saying> => {
  if (finish === "stop") return [{ _tag: "Ended" }]
  const asksAgain = finish === "tool-calls" || finish === "unknown"
  return asksAgain ? [] : [{ _tag: "Failed", reason: "other", resetsAt: undefined }]
}

/** Reads an answer as a whole. It is written when it begins, and with each of its ends. */
const answerOf = ({ error, finish, modelID, summary, time, tokens }: Json): ReadonlyArray<Saying> => {
  if (isJson(error)) return [failureOf(error)]
  if (!isJson(time) || time["completed"] === undefined) return finish === undefined ? [{ _tag: "Began" }] : []
  const counts = isJson(tokens) ? tokens : {}
  const cache = isJson(counts["cache"]) ? counts["cache"] : {}
  const inUse = tokensOf(counts, ["input"]) + tokensOf(cache, ["read", "write"])
  // The model of a summary was given what the summary replaces, and OpenCode goes on after it.
  if (summary === true || typeof finish !== "string") return []
  return [
    ...(inUse === 0 ? [] : [{ _tag: "Context", tokens: inUse, window: undefined, model: textOf(modelID) } as const]),
    ...endOf(finish)
  ]
}

/** Reads the data of an event of OpenCode (spec: opencode#records). */
export const openCodeSayings = ({ info, part }: Json): ReadonlyArray<Saying> => {
  if (isJson(part)) return partOf(part)
  if (!isJson(info)) return []
  if (info["role"] === "assistant") return answerOf(info)
  // A user's message is written again, with a summary of what was changed, when a turn has ended.
  if (info["role"] === "user") return info["summary"] === undefined ? [{ _tag: "Began" }] : []
  return typeof info["directory"] === "string"
    ? [{ _tag: "Session", folder: info["directory"], version: info["version"] }]
    : []
}
