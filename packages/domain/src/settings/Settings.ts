import { Context, Duration, Effect } from "effect"
import { withoutWindow } from "./ExportLimits.ts"
import { formatChannel } from "./NotifyChannel.ts"
import type { Pin } from "./Pin.ts"
import { formatQuietHours, isQuietHours } from "./QuietHours.ts"
import { type Setting, type SettingName, type SettingTable, snake } from "./SettingTable.ts"
import { inWords } from "./SettingText.ts"

/**
 * All settings of souffleur, resolved (spec: settings#sources): flag, else environment, else the config file, else the
 * default.
 */
export type ResolvedSettings = {
  readonly [Key in SettingName]: SettingTable[Key] extends Setting<infer A> ? A : never
} & {
  /** Absolute; holds `souffleur.db`, `launches/`, `exports/`. */
  readonly stateDir: string
  /** Absolute; the agent's own folder. */
  readonly agentDir: string
  /** The origin by which a person reaches the page from elsewhere, or `null`. The environment alone names it. */
  readonly pageUrl: string | null
  /** Notices have buttons that a person presses on a phone. The environment alone says so. */
  readonly notifyAnswers: "no" | "yes"
  /** The problems of the config file, as sentences. */
  readonly warnings: ReadonlyArray<string>
  /** The config file in use, or `null`. */
  readonly source: string | null
}

/**
 * The settings in force for a project, each with a default.
 *
 * @example
 * ```ts
 * import { type AgentKind, Settings } from "@souffleur/domain"
 * import { loadSettings } from "@souffleur/process"
 * import { Layer } from "effect"
 *
 * const settings = (agent: AgentKind) =>
 *   Layer.effect(Settings, loadSettings({ agent, projectDir: "/home/me/app", environment: process.env, flags: {} }))
 * ```
 */
export class Settings extends Context.Service<Settings, ResolvedSettings>()("@souffleur/domain/Settings") {
  /**
   * Returns the output of `souffleur config --json` (spec: command-line#config): snake_case keys, and durations as text
   * that reads back as the same. A limit that the window decides has its number for a window that is not known.
   */
  static readonly json = (settings: ResolvedSettings): Record<string, string | number | null | ReadonlyArray<string>> =>
    Object.fromEntries(
      Object.entries({
        ...settings,
        forceCompactThresholdTokens: settings.forceCompactThresholdTokens ?? withoutWindow.threshold,
        trimChars: settings.trimChars ?? withoutWindow.trimChars
      }).map(([name, value]) => [
        snake(name),
        name === "notify"
          ? settings.notify.map(formatChannel)
          : Duration.isDuration(value)
            ? inWords(value)
            : isQuietHours(value)
              ? formatQuietHours(value)
              : (value as string)
      ])
    )
}

/** The settings of a cycle; `said`: the pinned keys as the file has them, where it was read. */
export interface FoundSettings extends ResolvedSettings {
  readonly said?: Pin
}

/**
 * The settings of a recovery cycle or a turn of a run, with the config as it is at that time, so that a changed
 * threshold or ceiling is seen (spec: behaviour#cycle). By default, the settings from the start of the process.
 */
export const CycleSettings = Context.Reference<Effect.Effect<FoundSettings, never, Settings>>(
  "@souffleur/domain/CycleSettings",
  {
    defaultValue: () => Effect.service(Settings)
  }
)
