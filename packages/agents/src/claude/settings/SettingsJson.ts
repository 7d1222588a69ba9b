import { agentsOwn } from "@souffleur/domain"
import { readTrusted } from "@souffleur/process"
import { Effect, Option } from "effect"
import { isJson } from "../../kit/lines/JsonRecord.ts"

/** Settings of an administrator, which outrank the user's (seen on Linux). */
export const managedFolder = "/etc/claude-code"

/** The user's own settings of a project, within its folder. */
export const localSettings = [".claude", "settings.local.json"] as const

/** Reads a JSON object. Whatever cannot be read counts as none, as it does to the agent. */
export const jsonAt = Effect.fnUntraced(function* (file: string, atMost = 1_000_000) {
  const bytes = yield* Effect.option(readTrusted(file, { ...agentsOwn, atMost }))
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(Option.getOrUndefined(bytes)))
    return isJson(json) ? json : {}
  } catch {
    return {}
  }
})
