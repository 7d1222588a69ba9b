import { letterDistance } from "../LetterDistance.ts"

/** The keys that `.orchestra_configs/souffleur` may have (spec: settings#keys); case-sensitive. */
export const configKeys = [
  "FORCE_COMPACT",
  "MAX_EXTERNAL_PERMISSION",
  "AGENT_COMMAND",
  "AGENT_ENVIRONMENT",
  "RECOVERY",
  "RECOVERY_COMMAND",
  "EXPORT_COMMAND",
  "UNTIL",
  "ROUNDS",
  "LAUNCHER",
  "TERMINAL_COMMAND",
  "TRIM_CHARS",
  "WATCHER_INITIAL_WAIT",
  "WATCHER_INTERVAL",
  "HEARTBEAT_STALE_AFTER",
  "TASK_STALE_AFTER",
  "MONITOR_INITIAL_WAIT",
  "MONITOR_INTERVAL",
  "MONITOR_STALE_AFTER",
  "VALIDATION_RETRY_INTERVAL",
  "COMPACT_POLL_INTERVAL",
  "COMPACT_TIMEOUT",
  "STALL_AFTER",
  "HANDOFF_WITHIN",
  "MAX_TOKENS",
  "MAX_DOLLARS",
  "MAX_TIME",
  "QUIET_HOURS",
  "STOP_GRACE",
  "VERIFY_TIMEOUT",
  "IMPLEMENTER_TIMEOUT",
  "REVIEWER_TIMEOUT",
  "LAUNCH_SPACING",
  "LIMIT_MARGIN",
  "RESTART_PAUSE",
  "KEEP_AWAKE",
  "NOTIFY"
] as const
/** A key that a config file may have. */
export type ConfigKey = (typeof configKeys)[number]

/** A value as it was written, not yet judged; `line` counts from 1. */
export interface ConfigValue {
  readonly value: string
  readonly line: number
}

/** A config file as it was read. No value is judged yet. */
export interface ConfigFile {
  readonly values: ReadonlyMap<ConfigKey, ConfigValue>
  /** Sentences for a person, with line and key. They never repeat a line that was not understood. */
  readonly warnings: ReadonlyArray<string>
}

/** The nearest config file; `source` is its path, or `null` where there is none. */
export interface FoundConfig extends ConfigFile {
  readonly source: string | null
  /** Why the file is not used at all; `null` where it is, or there is none. */
  readonly refused: string | null
}

const nearest = (key: string) => configKeys.find((known) => letterDistance(key.toUpperCase(), known) <= 2)

const isConfigKey = (key: string): key is ConfigKey => (configKeys as ReadonlyArray<string>).includes(key)

/**
 * Reads `KEY=value` lines, with `#` comments on lines of their own and spaces around both. A malformed line, an unknown
 * key, a repeated key (the last wins) and an empty value each give a warning (spec: settings#config-file). `Settings`
 * reads the values.
 */
export const parseConfigFile = (text: string): ConfigFile => {
  const values = new Map<ConfigKey, ConfigValue>()
  const warnings: Array<string> = []
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1
    // `trim` removes a byte order mark too.
    const content = raw.trim()
    if (content === "" || content.startsWith("#")) continue
    const equals = content.indexOf("=")
    const key = content.slice(0, Math.max(equals, 0)).trim()
    const value = content.slice(equals + 1).trim()
    if (key === "") {
      warnings.push(`line ${line}: not KEY=value, ignored`)
    } else if (!isConfigKey(key)) {
      // A word that does not look like a key may be a pasted secret.
      const told = /^[A-Za-z][A-Za-z_]{0,39}$/.test(key) ? key : ""
      const likely = told === "" ? undefined : nearest(told)
      warnings.push(
        `line ${line}: unknown key${told === "" ? "" : ` ${told}`}, ignored${likely === undefined ? "" : `: did you mean ${likely}?`}`
      )
    } else {
      const earlier = values.get(key)
      if (earlier !== undefined)
        warnings.push(`line ${line}: ${key} is repeated, the value of line ${earlier.line} is replaced`)
      if (value === "") warnings.push(`line ${line}: ${key} is empty, its default is used`)
      values.set(key, { value, line })
    }
  }
  for (const [key, { value }] of values) if (value === "") values.delete(key)
  return { values, warnings }
}
