import { type ConfigWord, readGiven, type SettingFlags } from "@souffleur/domain"
import { readSettings } from "@souffleur/process"
import { Effect } from "effect"
import { Installation } from "./Installation.ts"

/**
 * Reads the settings of a project, and what its config file says of the pinned keys. This is the one door to settings:
 * a value of the program outranks flag, environment and file. `held` limits the file. Fails with `BadSetting` where a
 * value, a flag or a variable cannot be used.
 */
export const readHere = Effect.fn("readHere")(function* (projectDir: string, flags: SettingFlags, held?: ConfigWord) {
  const { agent, values = {}, variables } = yield* Installation
  const { said, settings, sources } = yield* readSettings({ agent, projectDir, environment: variables, flags, held })
  return {
    said: { ...said, ceiling: values.maxExternalPermission ?? said.ceiling },
    settings: { ...settings, ...(yield* Effect.fromResult(readGiven(agent, values))) },
    sources
  }
})

/** Reads the settings of a project. Fails with `BadSetting`. */
export const settingsOf = Effect.fn("settingsOf")(function* (projectDir: string, flags: SettingFlags = {}) {
  return (yield* readHere(projectDir, flags)).settings
})
