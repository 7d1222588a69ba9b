import { isJson, type Json, textOf, tokensOf } from "../../kit/lines/JsonRecord.ts"
import type { Saying } from "../../kit/said/Said.ts"

/**
 * Windows in tokens, as the status line of Claude Code 2.1.329 shows them. For an unknown model it assumes 1,000,000,
 * and souffleur assumes nothing.
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

/**
 * Returns the window of a model as it was asked for. The suffix `[1m]` asks for a larger one; a date changes nothing.
 * `undefined`: it is unknown.
 */
export const windowOf = (model: string): number | undefined =>
  model.endsWith("[1m]") ? 1_000_000 : windows.get(model.replace(/-\d{8}$/u, ""))

const counted = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]

/** Says the context in use, as an answer of the model states it. */
export const contextSaid = (record: Json, message: Json): ReadonlyArray<Saying> => {
  const usage = message["usage"]
  if (!isJson(usage)) return []
  const model = textOf(message["model"])
  const { requestedModel } = record
  const window = windowOf(typeof requestedModel === "string" ? requestedModel : model)
  return [{ _tag: "Context", tokens: tokensOf(usage, counted), window, model }]
}
