import { Bounds, type Variables } from "@souffleur/domain"
import { Effect, Path } from "effect"
import type { OwnTimes } from "../../kit/agent/AgentDialect.ts"
import { wordSet } from "../../kit/command/WordSet.ts"
import { isJson, type Json } from "../../kit/lines/JsonRecord.ts"
import type { ToolLimit } from "../../kit/said/SaidTurn.ts"
import { jsonAt, localSettings, managedFolder } from "./SettingsJson.ts"

/** The variables by which a user raises the limits of Claude Code (spec: claude-code#limits-of-tools). */
export const claudeLimitVariables = [
  "API_TIMEOUT_MS",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
  "MCP_TOOL_TIMEOUT"
] as const

/** What the user allows, ms; 0: no setting says more than the agent does by itself. */
export type OwnLimits = Readonly<Record<(typeof claudeLimitVariables)[number], number>>
/** No limit that a user has set. */
const noLimits: OwnLimits = {
  API_TIMEOUT_MS: 0,
  BASH_DEFAULT_TIMEOUT_MS: 0,
  BASH_MAX_TIMEOUT_MS: 0,
  MCP_TOOL_TIMEOUT: 0
}

/**
 * Milliseconds of a Bash call without a timeout. This is the agent's maximum, as a user may have raised its default of
 * two minutes where souffleur does not see it.
 */
const bashLimit = 600_000
/** Tools that take no time: they read and write files. */
const instant = wordSet("Edit Glob Grep MultiEdit NotebookEdit Read TodoWrite Write")

/** Makes the reader of the milliseconds that a tool call may take, by the limits that the user gave the agent. */
export const toolLimit =
  (set: OwnLimits = noLimits): ToolLimit =>
  (name, input) => {
    if (instant.has(name)) return 0
    const most = Math.max(set.BASH_MAX_TIMEOUT_MS, set.BASH_DEFAULT_TIMEOUT_MS)
    if (name !== "Bash") {
      // A subagent may run such a call, too.
      const longest = name.startsWith("mcp__") ? set.MCP_TOOL_TIMEOUT : most
      return longest > Bounds.maxToolMillis ? longest : undefined
    }
    return Bounds.toolLimit(input["timeout"], most) ?? Math.max(bashLimit, set.BASH_DEFAULT_TIMEOUT_MS)
  }

/**
 * Reads how long the user lets the agent's calls and tools take, by the environment and by `env` in each settings file.
 * The greatest value counts: one that is too great only puts a hang off.
 */
export const ownLimits = Effect.fn("ownLimits")(function* (
  { agentDir, environment }: { readonly agentDir: string; readonly environment: Variables },
  project: string,
  managed = managedFolder
) {
  const path = yield* Path.Path
  const inProject =
    project === "" ? [] : [[".claude", "settings.json"], localSettings].map((name) => path.join(project, ...name))
  const files = [path.join(managed, "managed-settings.json"), path.join(agentDir, "settings.json"), ...inProject]
  const set: ReadonlyArray<Json | Variables> = [
    environment,
    ...(yield* Effect.forEach(files, (file) => Effect.map(jsonAt(file), ({ env }) => (isJson(env) ? env : {}))))
  ]
  const greatest = (name: keyof OwnLimits) => Math.max(0, ...set.map((one) => Bounds.setLimit(one[name]) ?? 0))
  const limits: OwnLimits = {
    API_TIMEOUT_MS: greatest("API_TIMEOUT_MS"),
    BASH_DEFAULT_TIMEOUT_MS: greatest("BASH_DEFAULT_TIMEOUT_MS"),
    BASH_MAX_TIMEOUT_MS: greatest("BASH_MAX_TIMEOUT_MS"),
    MCP_TOOL_TIMEOUT: greatest("MCP_TOOL_TIMEOUT")
  }
  const state = Object.values(limits).join(" ")
  return { call: limits.API_TIMEOUT_MS, ofTool: toolLimit(limits), state } satisfies OwnTimes
})
