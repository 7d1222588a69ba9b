import type { Agent, AgentKind, AgentProgram, Processes, Variables } from "@souffleur/domain"
import type { FileSystem, Layer, Path } from "effect"
import type { TrustedFiles } from "../file/TrustedFiles.ts"
import type { AgentHooks } from "./AgentHooks.ts"

/** The settings of an agent (spec: settings#keys). */
export interface AgentOptions {
  /** The folder of its own files, absolute. */
  readonly agentDir: string
  readonly agentCommand: AgentProgram
  /** souffleur's own environment. An agent gets the part of it that is on an allow list. */
  readonly environment: Variables
  /** Names that the user adds to that list. */
  readonly environmentAllowed?: ReadonlyArray<string>
}

/** The content of an agent package: the agent kind, its hooks, and the port to its sessions. */
export interface AgentPackage extends AgentKind {
  /** Absent: souffleur installs none. */
  readonly hooks?: AgentHooks
  /** The agents that `anyAgent` joined, the first one first. Absent: it is one agent. */
  readonly all?: ReadonlyArray<AgentPackage>
  /** See `AgentKind.kindOf`. */
  readonly kindOf?: (program: string) => AgentPackage
  readonly layer: (
    options: AgentOptions
  ) => Layer.Layer<Agent, never, FileSystem.FileSystem | Path.Path | Processes | TrustedFiles>
}
