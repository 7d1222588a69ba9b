import { resolveSettings, type SettingSources } from "@souffleur/domain"
import { Effect } from "effect"
import { findConfig } from "./FindConfig.ts"

/**
 * Reads the config file of a project and resolves every setting. Fails with `BadSetting` when a flag or a variable
 * cannot be used.
 */
export const readSettings = Effect.fn("readSettings")(function* (sources: SettingSources) {
  return yield* resolveSettings(yield* findConfig(sources.projectDir), sources)
})

/** Reads the settings without their sources. Fails with `BadSetting`. */
export const loadSettings = (sources: SettingSources) => Effect.map(readSettings(sources), ({ settings }) => settings)
