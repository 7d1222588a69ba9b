import type { Agent, AgentKind, AgentProgram, Errands, Permission, Processes, Variables } from "@souffleur/domain"
import type { Effect, FileSystem, Layer, Path } from "effect"
import type { TrustedFiles } from "../file/TrustedFiles.ts"
import type { AgentHooks, OnSettings } from "./AgentHooks.ts"
import type { AgentPlugin } from "./AgentPlugin.ts"

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

/** An agent that is to commit without a person. */
export interface CommitPlace {
  /** The folder of its work, absolute. */
  readonly project: string
  /** The folder of its own files, absolute. */
  readonly agentDir: string
  /** The environment that says where its other files are. */
  readonly variables: Variables
  /** Its program and arguments, some of which may change what counts. */
  readonly words: ReadonlyArray<string>
  readonly permission: Permission
}

/** What an agent's own rules keep it from, and what a person does about it. */
export interface RuleProblem {
  readonly detail: string
  readonly todo: string
  /** The rules by which `allow` mends it. Empty: it does not. */
  readonly rules: ReadonlyArray<string>
}

/** What an agent's own rules say of what it runs in print mode, where asking a person means a refusal. */
export interface RulesSaid {
  /** What keeps it from a commit; `null`: nothing that can be known. */
  readonly commit: RuleProblem | null
  /** What keeps it from one of the programs; `null`: nothing that can be known. */
  readonly programs: RuleProblem | null
  /** Why something else may decide, as a clause. Absent: nothing does. */
  readonly unless?: string
}

/** A settings file as it is to become. Nothing is written yet. */
export interface SettingsDraft {
  readonly path: string
  /** Empty: there is no such file. */
  readonly before: string
  readonly after: string
  /** Fails unless the file still is as it was. */
  readonly write: OnSettings<void>
}

/** Looks after the agent's own rules about commits. */
export interface AgentCommits {
  /**
   * Returns whether its settings bring a key of their own, or another service. A session needs no login there, whatever
   * the agent says of that.
   */
  readonly ownKey: (
    place: Pick<CommitPlace, "agentDir" | "project">
  ) => Effect.Effect<boolean, never, FileSystem.FileSystem | Path.Path | TrustedFiles>
  /** Judges commits and these programs, each as the agent would type it. It never fails. */
  readonly judge: (
    place: CommitPlace,
    programs: ReadonlyArray<string>
  ) => Effect.Effect<RulesSaid, never, FileSystem.FileSystem | Path.Path | TrustedFiles>
  /** Adds rules to the user's own settings of a project; without any, those for commits. */
  readonly allow: (project: string, rules?: ReadonlyArray<string>) => OnSettings<SettingsDraft>
}

/**
 * Everything that an agent package exports: the facts about its kind of agent, its hooks, and the port to its sessions.
 */
export interface AgentPackage extends AgentKind {
  /** The package of npm that has its program. Absent: a person is not told how to install it. */
  readonly npm?: string
  /** If absent, the agent has no hooks that souffleur could install. */
  readonly hooks?: AgentHooks
  /** If absent, souffleur has no plugin for it. */
  readonly plugin?: AgentPlugin
  /** Absent: the permission alone decides whether it can commit. */
  readonly commits?: AgentCommits
  /** The agents that `anyAgent` joined, in order. Absent for a single agent. */
  readonly all?: ReadonlyArray<AgentPackage>
  /** See `AgentKind.kindOf`. */
  readonly kindOf?: (program: string, args?: ReadonlyArray<string>) => AgentPackage
  readonly layer: (
    options: AgentOptions
  ) => Layer.Layer<Agent, never, Errands | FileSystem.FileSystem | Path.Path | Processes | TrustedFiles>
}
