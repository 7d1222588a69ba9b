import { Bounds, type Variables } from "@souffleur/domain"
import { Effect, Path } from "effect"
import { isJson, type Json } from "../../kit/lines/JsonRecord.ts"
import { jsonAt, localSettings, managedFolder } from "./SettingsJson.ts"

/** The variables by which a user raises the limits of Claude Code (spec: claude-code#limits-of-tools). */
export const limitVariables = [
  "API_TIMEOUT_MS",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
  "MCP_TOOL_TIMEOUT"
] as const

/** What the user allows, ms; 0: no setting says more than the agent does by itself. */
export type OwnLimits = Readonly<Record<(typeof limitVariables)[number], number>>
/** No limit that a user has set. */
export const noLimits: OwnLimits = {
  API_TIMEOUT_MS: 0,
  BASH_DEFAULT_TIMEOUT_MS: 0,
  BASH_MAX_TIMEOUT_MS: 0,
  MCP_TOOL_TIMEOUT: 0
}

/**
 * Reads how long the user lets the agent's calls and tools take, by the environment and by `env` in each settings file.
 * The greatest value counts: one that is too great only puts a hang off.
 */
export const ownLimits = Effect.fn("ownLimits")(function* (
  { agentDir, environment }: { readonly agentDir: string; readonly environment: Variables },
  project: string | undefined,
  managed = managedFolder
) {
  const path = yield* Path.Path
  const inProject =
    project === undefined
      ? []
      : [[".claude", "settings.json"], localSettings].map((name) => path.join(project, ...name))
  const files = [path.join(managed, "managed-settings.json"), path.join(agentDir, "settings.json"), ...inProject]
  const set: ReadonlyArray<Json | Variables> = [
    environment,
    ...(yield* Effect.forEach(files, (file) => Effect.map(jsonAt(file), ({ env }) => (isJson(env) ? env : {}))))
  ]
  const greatest = (name: keyof OwnLimits) => Math.max(0, ...set.map((one) => Bounds.setLimit(one[name]) ?? 0))
  return {
    API_TIMEOUT_MS: greatest("API_TIMEOUT_MS"),
    BASH_DEFAULT_TIMEOUT_MS: greatest("BASH_DEFAULT_TIMEOUT_MS"),
    BASH_MAX_TIMEOUT_MS: greatest("BASH_MAX_TIMEOUT_MS"),
    MCP_TOOL_TIMEOUT: greatest("MCP_TOOL_TIMEOUT")
  } satisfies OwnLimits
})
