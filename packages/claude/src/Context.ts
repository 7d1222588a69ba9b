import type { ContextInUse } from "@souffleur/domain"
import { answerOf, type Json, timeOf } from "./Records.ts"

/** The window that is asked for by a suffix of the model's name; without it nothing is certain. */
export const windowOf = (model: string): number | undefined => (model.endsWith("[1m]") ? 1_000_000 : undefined)

const counted = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]

/** What an answer of the model says of the context that it was given; a count of nothing is none. */
export const contextOf = (record: Json, fallback: number): ContextInUse | undefined => {
  const message = answerOf(record)
  const usage = message?.["usage"]
  if (message === undefined || typeof usage !== "object" || usage === null) return undefined
  const tokens = counted.reduce((sum, name) => {
    const count: unknown = Object.entries(usage).find(([key]) => key === name)?.[1]
    return sum + (typeof count === "number" && Number.isFinite(count) && count > 0 ? count : 0)
  }, 0)
  const model = typeof message["model"] === "string" ? message["model"] : ""
  return tokens === 0 ? undefined : { tokens, window: windowOf(model), model, at: timeOf(record, fallback) }
}
