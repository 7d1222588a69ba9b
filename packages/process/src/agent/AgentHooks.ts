import { type Effect, type FileSystem, type Path, type PlatformError, Runtime, Schema } from "effect"
import type { FileRefused, TrustedFiles } from "../file/TrustedFiles.ts"

/** The program that a hook starts. */
export interface HookProgram {
  readonly stateDir: string
  /** The program of the agent, as its hook names it. Absent: the first agent. */
  readonly agent?: string
  /** True if the first prompt of a session begins a watch of it. Absent: the hooks report alone. */
  readonly watch?: true
  /** The interpreter and its first arguments, absolute: a hook runs in any folder. */
  readonly self: readonly [string, ...ReadonlyArray<string>]
}

/**
 * A file of the agent's settings that does not have the form of one; nothing was written. `problem` says what is wrong,
 * and where.
 */
export class AgentSettingsUnusable extends Schema.TaggedError<AgentSettingsUnusable>()("AgentSettingsUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.path} ${this.problem}`
  }
}

/** The change of a settings file. */
export interface HooksChanged {
  readonly path: string
  readonly changed: boolean
  /** The copy of the earlier file; `null`: there was none. */
  readonly backup: string | null
  /**
   * `removed`: the file did not exist before the hooks. `restored`: it is byte for byte as it was. `edited`: other
   * programs have changed it too.
   */
  readonly how: "installed" | "removed" | "restored" | "edited" | "nothing to do"
}

/** Which of souffleur's hooks a settings file holds, and whether they can run. */
export interface HooksStatus {
  readonly path: string
  readonly events: ReadonlyArray<string>
  /** Events that souffleur needs today and the file does not have. */
  readonly absent: ReadonlyArray<string>
  readonly programs: ReadonlyArray<HookProgram>
  /** Files of those programs that do not exist. */
  readonly missing: ReadonlyArray<string>
  /** The setting in the file by which the agent runs no hook at all; `null`: there is none. */
  readonly off: string | null
  /** Events whose hooks a person has not approved as they are. Absent: the agent asks for no approval. */
  readonly unapproved?: ReadonlyArray<string>
}

/**
 * Reads or writes a file of the agent's settings. Fails with `AgentSettingsUnusable` when the file does not have that
 * form. Fails with `FileRefused` when it is not this user's, and with `PlatformError`.
 */
export type OnSettings<A> = Effect.Effect<
  A,
  FileRefused | AgentSettingsUnusable | PlatformError.PlatformError,
  FileSystem.FileSystem | Path.Path | TrustedFiles
>

/** Installs souffleur's hooks in the settings of an agent, and removes them. */
export interface AgentHooks {
  /** The agent's own names of the events that souffleur needs. */
  readonly events: ReadonlyArray<string>
  /**
   * The path of a project's settings, from its folder. Absent: each such file belongs into git, and a hook has paths of
   * this machine.
   */
  readonly ofProject?: ReadonlyArray<string>
  /** The path of the user's settings, from the agent's folder. */
  readonly ofUser: ReadonlyArray<string>
  /** Says on which condition the agent runs them, and what a person does for it. Absent: it always does. */
  readonly onlyIf?: string
  /** The line that the agent runs. */
  readonly command: (program: HookProgram) => string
  /** Adds the command for every event, beside the hooks of others. It replaces an earlier command of souffleur. */
  readonly install: (path: string, command: string) => OnSettings<HooksChanged>
  /** Removes what `install` added, and nothing else. */
  readonly uninstall: (path: string) => OnSettings<HooksChanged>
  readonly status: (path: string) => OnSettings<HooksStatus>
}
