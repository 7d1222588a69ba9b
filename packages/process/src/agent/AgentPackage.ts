import type { Agent, AgentKind, AgentProgram, Processes, Variables } from "@souffleur/domain"
import type { FileSystem, Layer, Path } from "effect"
import type { TrustedFiles } from "../file/TrustedFiles.ts"
import type { AgentHooks } from "./AgentHooks.ts"

/** What an agent gets from the settings (spec: settings#keys). */
export interface AgentOptions {
  /** The folder of its own files, absolute. */
  readonly agentDir: string
  readonly agentCommand: AgentProgram
  /** souffleur's own environment, of which an agent gets what is on an allow list. */
  readonly environment: Variables
  /** Names that the user adds to the allow list. */
  readonly environmentAllowed?: ReadonlyArray<string>
}

/**
 * Everything that an agent package exports: the facts about its kind of agent, its hooks, and the port to its sessions.
 */
export interface AgentPackage extends AgentKind {
  /** If absent, the agent has no hooks that souffleur could install. */
  readonly hooks?: AgentHooks
  /** The agents that `anyAgent` joined, in order. Absent for a single agent. */
  readonly all?: ReadonlyArray<AgentPackage>
  /** See `AgentKind.kindOf`. */
  readonly kindOf?: (program: string) => AgentPackage
  readonly layer: (
    options: AgentOptions
  ) => Layer.Layer<Agent, never, FileSystem.FileSystem | Path.Path | Processes | TrustedFiles>
}
