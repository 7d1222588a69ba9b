import { Duration, Effect, Result, Schema } from "effect"
import type { ConfigFile, ConfigKey, ConfigValue } from "./ConfigFile.ts"
import { digestOf } from "../Hashing.ts"
import { clamp, leastPermission, Permission, permissionOf } from "./Permission.ts"
import { dollars, interval, positiveInteger, type Read } from "./SettingText.ts"

/** The config keys of the programs that souffleur runs, and of the variables that agents get. */
export const programKeys = [
  "AGENT_COMMAND",
  "AGENT_ENVIRONMENT",
  "RECOVERY_COMMAND",
  "EXPORT_COMMAND",
  "UNTIL",
  "TERMINAL_COMMAND",
  "NOTIFY"
] as const
/** The config keys of the ceilings of use. */
export const limitKeys = ["MAX_TOKENS", "MAX_DOLLARS", "MAX_TIME"] as const
/** The config keys that say when souffleur acts. Other ones could silence it, or slow it down for days. */
export const paceKeys = [
  "QUIET_HOURS",
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
  "STOP_GRACE",
  "VERIFY_TIMEOUT",
  "IMPLEMENTER_TIMEOUT",
  "REVIEWER_TIMEOUT",
  "LAUNCH_SPACING",
  "LIMIT_MARGIN",
  "RESTART_PAUSE",
  "ROUNDS"
] as const
/** Returns the name of a key in code. */
export const nameOfKey = (key: ConfigKey): string =>
  key.toLowerCase().replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase())
/** Keys that a file which an agent can write may not decide alone. */
export const PinnedKey = Schema.Literals(["MAX_EXTERNAL_PERMISSION", ...programKeys, ...limitKeys, ...paceKeys])
export type PinnedKey = typeof PinnedKey.Type

const Program = Schema.NullOr(Schema.String)
const Programs = Schema.Struct({
  AGENT_COMMAND: Program,
  AGENT_ENVIRONMENT: Program,
  RECOVERY_COMMAND: Program,
  EXPORT_COMMAND: Program,
  UNTIL: Program,
  TERMINAL_COMMAND: Program,
  NOTIFY: Program
})
/** The programs of a config file as it writes them, or in a pin their digests; `null`: the default. */
export type Programs = typeof Programs.Type

const Limit = Schema.NullOr(Schema.String)
const Limits = Schema.Struct({ MAX_TOKENS: Limit, MAX_DOLLARS: Limit, MAX_TIME: Limit })
/** The ceilings of use as a config file writes them; `null`: it sets none that can be read. */
export type Limits = typeof Limits.Type

/** A key that the file does not name is absent. */
const Pace = Schema.Record(Schema.String, Schema.String)
/** The times of a config file, by their keys. */
export type Pace = typeof Pace.Type

/** The ceilings, the times and the programs as a config file writes them; `null`: it names none. */
export const ConfigWord = Schema.Struct({ ceiling: Permission, limits: Limits, pace: Pace, programs: Programs })
export type ConfigWord = typeof ConfigWord.Type

/**
 * The pin of a watch or a run, which holds until a person changes it (spec: behaviour#trust): the ceiling, the ceilings
 * of use, the times, and the digest of each program in the config file (SHA-256, hex). A program's line may hold a key,
 * so the log has no word of it.
 */
export const Pin = ConfigWord.annotate({ identifier: "Pin" })
export type Pin = typeof Pin.Type

/** The programs of a file that names none. */
export const noPrograms: Programs = {
  AGENT_COMMAND: null,
  AGENT_ENVIRONMENT: null,
  RECOVERY_COMMAND: null,
  EXPORT_COMMAND: null,
  UNTIL: null,
  TERMINAL_COMMAND: null,
  NOTIFY: null
}
/** The ceilings of use of a file that sets none. */
export const unlimited: Limits = { MAX_TOKENS: null, MAX_DOLLARS: null, MAX_TIME: null }
/** The pin where no file says anything. */
export const leastPin: Pin = { ceiling: leastPermission, limits: unlimited, pace: {}, programs: noPrograms }

const limitReaders: Readonly<Record<keyof Limits, Read<number>>> = {
  MAX_TOKENS: positiveInteger,
  MAX_DOLLARS: dollars,
  MAX_TIME: (text) => Result.map(interval(text), Duration.toMillis)
}
/** Returns the amount of a ceiling of use. None is the highest. */
const amountOf = (key: keyof Limits, text: string | null): number =>
  text === null ? Number.POSITIVE_INFINITY : Result.getOrElse(limitReaders[key](text), () => Number.POSITIVE_INFINITY)

/** Reads the pinned keys of a config file. A word that is no permission counts as the least. */
export const wordOf = ({ values }: ConfigFile): ConfigWord => {
  const said = (key: ConfigKey) => values.get(key)?.value ?? null
  const limit = (key: keyof Limits) => (amountOf(key, said(key)) === Number.POSITIVE_INFINITY ? null : said(key))
  return {
    ceiling: permissionOf(said("MAX_EXTERNAL_PERMISSION") ?? "") ?? leastPermission,
    limits: { MAX_TOKENS: limit("MAX_TOKENS"), MAX_DOLLARS: limit("MAX_DOLLARS"), MAX_TIME: limit("MAX_TIME") },
    pace: Object.fromEntries(paceKeys.flatMap((key) => (said(key) === null ? [] : [[key, said(key)!]]))),
    programs: {
      AGENT_COMMAND: said("AGENT_COMMAND"),
      AGENT_ENVIRONMENT: said("AGENT_ENVIRONMENT"),
      RECOVERY_COMMAND: said("RECOVERY_COMMAND"),
      EXPORT_COMMAND: said("EXPORT_COMMAND"),
      UNTIL: said("UNTIL"),
      TERMINAL_COMMAND: said("TERMINAL_COMMAND"),
      NOTIFY: said("NOTIFY")
    }
  }
}

/** Makes the pin for the log, with digests. */
export const pinOf = Effect.fnUntraced(function* ({ ceiling, limits, pace, programs }: ConfigWord) {
  const digest = (program: string | null) => (program === null ? Effect.succeed(null) : digestOf(program))
  return { ceiling, limits, pace, programs: yield* Effect.all(mapPrograms(programs, digest)) } satisfies Pin
})

/** Maps each program. */
export const mapPrograms = <A>(programs: Programs, of: (program: string | null, key: keyof Programs) => A) => ({
  AGENT_COMMAND: of(programs.AGENT_COMMAND, "AGENT_COMMAND"),
  AGENT_ENVIRONMENT: of(programs.AGENT_ENVIRONMENT, "AGENT_ENVIRONMENT"),
  RECOVERY_COMMAND: of(programs.RECOVERY_COMMAND, "RECOVERY_COMMAND"),
  EXPORT_COMMAND: of(programs.EXPORT_COMMAND, "EXPORT_COMMAND"),
  UNTIL: of(programs.UNTIL, "UNTIL"),
  TERMINAL_COMMAND: of(programs.TERMINAL_COMMAND, "TERMINAL_COMMAND"),
  NOTIFY: of(programs.NOTIFY, "NOTIFY")
})

/** Returns the lower permission. Each party can lower a ceiling, and none can raise it alone. */
export const lower = (one: Permission, other: Permission): Permission => clamp(one, other)

/** Returns what a config file says on a pinned key; `null`: nothing. */
export const wordAt = ({ ceiling, limits, pace, programs }: ConfigWord, key: PinnedKey): string | null => {
  const said: Readonly<Record<string, string | null>> = {
    MAX_EXTERNAL_PERMISSION: ceiling,
    ...limits,
    ...pace,
    ...programs
  }
  return said[key] ?? null
}

/** Returns the ceilings of use that a file sets higher than they are held. */
const higherLimits = (said: ConfigWord, held: ConfigWord): ReadonlyArray<keyof Limits> =>
  limitKeys.filter((key) => amountOf(key, said.limits[key]) > amountOf(key, held.limits[key]))

/**
 * Returns the keys by which a file asks for more than the pin: a higher ceiling, also of use, another program, or
 * another time. A lower ceiling asks for nothing.
 */
export const overreachOf = (said: Pin, held: Pin): ReadonlyArray<PinnedKey> => [
  ...(lower(said.ceiling, held.ceiling) === said.ceiling ? [] : ["MAX_EXTERNAL_PERMISSION" as const]),
  ...programKeys.filter((key) => said.programs[key] !== held.programs[key]),
  ...higherLimits(said, held),
  ...paceKeys.filter((key) => said.pace[key] !== held.pace[key])
]

/**
 * Returns the file as it counts beside the pin: its ceilings if they are lower, and only times and programs that are
 * pinned.
 */
export const holding = <File extends ConfigFile>(file: File, held: ConfigWord): File => {
  const values = new Map<ConfigKey, ConfigValue>(file.values)
  const set = (key: ConfigKey, value: string | null) =>
    value === null ? values.delete(key) : values.set(key, { value, line: file.values.get(key)?.line ?? 0 })
  if (lower(wordOf(file).ceiling, held.ceiling) !== wordOf(file).ceiling) set("MAX_EXTERNAL_PERMISSION", held.ceiling)
  for (const key of higherLimits(wordOf(file), held)) set(key, held.limits[key])
  for (const key of programKeys) set(key, held.programs[key])
  for (const key of paceKeys) set(key, held.pace[key] ?? null)
  return { ...file, values }
}
