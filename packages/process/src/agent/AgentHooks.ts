import { type Effect, type FileSystem, type Path, type PlatformError, Runtime, Schema } from "effect"
import type { FileRefused, TrustedFiles } from "../file/TrustedFiles.ts"

/** The program that a hook starts. */
export interface HookProgram {
  readonly stateDir: string
  /** The interpreter and its first arguments, absolute: a hook runs in any folder. */
  readonly self: readonly [string, ...ReadonlyArray<string>]
}

/** A file of the agent's settings that is not as such a file is; nothing was written. `problem` says what and where. */
export class HookSettingsUnusable extends Schema.TaggedError<HookSettingsUnusable>()("HookSettingsUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.path} ${this.problem}`
  }
}

/** What became of a file of settings. */
export interface HooksChanged {
  readonly path: string
  readonly changed: boolean
  /** The file as it was before, where there is one. */
  readonly backup: string | null
  /**
   * `removed`: it was not there before the hooks; `restored`: byte for byte as it was; `edited`: others have changed
   * it, too.
   */
  readonly how: "installed" | "removed" | "restored" | "edited" | "nothing to do"
}

/** Which of our hooks a file of settings holds, and whether they can run. */
export interface HooksStatus {
  readonly path: string
  readonly events: ReadonlyArray<string>
  /** Events that are asked for today and are not there. */
  readonly absent: ReadonlyArray<string>
  readonly programs: ReadonlyArray<HookProgram>
  /** Files of those programs that are not there. */
  readonly missing: ReadonlyArray<string>
}

/**
 * Reads or writes a file of the agent's settings, and fails where that is not as such a file is, or not of this user.
 */
export type OnSettings<A> = Effect.Effect<
  A,
  FileRefused | HookSettingsUnusable | PlatformError.PlatformError,
  FileSystem.FileSystem | Path.Path | TrustedFiles
>

/** How souffleur's hooks come into the settings of an agent. */
export interface AgentHooks {
  /** The agent's own words for what is asked to be told. */
  readonly events: ReadonlyArray<string>
  /** The settings of a project, from its folder. */
  readonly ofProject: ReadonlyArray<string>
  /** The user's own settings, from the agent's folder. */
  readonly ofUser: ReadonlyArray<string>
  /** The line that the agent runs. */
  readonly command: (program: HookProgram) => string
  /**
   * Adds the command for every event beside the hooks of others; a command of ours that was there is replaced by it.
   */
  readonly install: (path: string, command: string) => OnSettings<HooksChanged>
  /** Takes out what `install` added, and no more. */
  readonly uninstall: (path: string) => OnSettings<HooksChanged>
  readonly status: (path: string) => OnSettings<HooksStatus>
}
