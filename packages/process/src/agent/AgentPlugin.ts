import type { HookProgram, OnSettings } from "./AgentHooks.ts"

/** The files of a plugin that an agent finds in its own folder. */
export interface PluginStatus {
  /** The file with its command. */
  readonly path: string
  /** `outdated`: another version of souffleur wrote it. `foreign`: souffleur did not write it. */
  readonly is: "none" | "current" | "outdated" | "foreign"
  /** Files of the program that it starts which do not exist. */
  readonly missing: ReadonlyArray<string>
}

/** A change of those files. */
export interface PluginChanged {
  readonly path: string
  readonly changed: boolean
}

/** Adds a command to an agent by which it starts a watchdog of another agent, or of itself. */
export interface AgentPlugin {
  /** What is typed, such as `/souffleur PID:… SESSION_ID:…`. */
  readonly typed: string
  /** Writes the plugin into the agent's folder. It replaces an earlier one, and nothing of others. */
  readonly install: (agentDir: string, self: HookProgram["self"]) => OnSettings<PluginChanged>
  /** Removes what `install` wrote, and nothing else. */
  readonly uninstall: (agentDir: string) => OnSettings<PluginChanged>
  readonly status: (agentDir: string) => OnSettings<PluginStatus>
}
