import type { ContextInUse } from "@souffleur/domain"
import { answerOf, isJson, type Json, timeOf, tokensOf } from "./Records.ts"

/**
 * As Claude Code 2.1.329 takes them, by its status line. It takes 1,000,000 for a model that it does not know: we take
 * nothing.
 */
const windows: ReadonlyMap<string, number> = new Map(
  Object.entries({
    "claude-fable-5": 1_000_000,
    "claude-haiku-4-5": 200_000,
    "claude-opus-4-6": 200_000,
    "claude-opus-4-8": 1_000_000,
    "claude-opus-5-5": 1_000_000,
    "claude-sonnet-4-5": 200_000,
    "claude-sonnet-5": 1_000_000
  })
)

/** The window of a model as it was asked for: the suffix `[1m]` asks for a larger one, a date changes nothing. */
export const windowOf = (model: string): number | undefined =>
  model.endsWith("[1m]") ? 1_000_000 : windows.get(model.replace(/-\d{8}$/u, ""))

const counted = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]

/** What an answer of the model says of the context that it was given; a count of nothing is none. */
export const contextOf = (record: Json, fallback: number): ContextInUse | undefined => {
  const message = answerOf(record)
  const usage = message?.["usage"]
  if (message === undefined || !isJson(usage)) return undefined
  const tokens = tokensOf(usage, counted)
  const model = typeof message["model"] === "string" ? message["model"] : ""
  const window = windowOf(typeof record["requestedModel"] === "string" ? record["requestedModel"] : model)
  if (tokens === 0) return undefined
  // More than fits: it is another window than we know of.
  return {
    tokens,
    window: window !== undefined && tokens > window ? undefined : window,
    model,
    at: timeOf(record, fallback)
  }
}
