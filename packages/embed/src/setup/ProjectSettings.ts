import { overreachInWords, type Permission, type PinnedKey, Settings } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { trustOf } from "../world/ConfigTrust.ts"

/** A setting of a project. */
export interface ProjectSetting {
  /** In snake case, such as `max_external_permission`. */
  readonly name: string
  /** A duration is text that reads back as the same; `null`: none. */
  readonly value: string | number | null | ReadonlyArray<string>
  /** The variable, or the line in the file. `null`: it is the default, or the program itself gives it. */
  readonly from: string | null
}

/** The config file of a project, and what a person has trusted of it. */
export interface ProjectConfig {
  /** The file in use; `null`: there is none. */
  readonly file: string | null
  readonly trusted: "yes" | "no" | "not yet"
  /** The highest permission that the file asks for. */
  readonly ceiling: Permission
  /** The keys that ask for more than is trusted. */
  readonly asks_for: ReadonlyArray<PinnedKey>
  /** The sentence about those keys; `null`: there are none. */
  readonly problem: string | null
  /** The problems of the file, as sentences. */
  readonly warnings: ReadonlyArray<string>
}

/** The settings of a project that are in force, and its config file (spec: command-line#config). */
export interface ProjectSettings {
  readonly settings: ReadonlyArray<ProjectSetting>
  readonly config: ProjectConfig
}

/** Reads the settings of a project that are in force for a new watch or run. It trusts nothing. */
export const projectSettings = Effect.fn("projectSettings")(function* (project: string) {
  const { keys, said, says, settings, sources, trusted } = yield* trustOf(project)
  const { source, warnings } = settings
  const { source: _, warnings: __, ...values } = Settings.json(settings)
  return {
    settings: Object.entries(values).map(([name, value]) => ({ name, value, from: sources[name] ?? null })),
    config: {
      file: source,
      trusted: keys.length === 0 ? ("yes" as const) : Option.isNone(trusted) ? ("not yet" as const) : ("no" as const),
      ceiling: said.ceiling,
      asks_for: keys,
      problem: keys.length === 0 ? null : overreachInWords({ keys, said: says }),
      warnings
    }
  } satisfies ProjectSettings
})
