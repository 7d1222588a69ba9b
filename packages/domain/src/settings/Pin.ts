import { Effect, Schema } from "effect"
import type { ConfigFile, ConfigKey, ConfigValue } from "./ConfigFile.ts"
import { digestOf } from "../Hashing.ts"
import { clamp, leastPermission, Permission, permissionOf } from "./Permission.ts"

/** The config keys of the programs that souffleur runs, and of the variables that agents get. */
export const programKeys = [
  "AGENT_COMMAND",
  "AGENT_ENVIRONMENT",
  "RECOVERY_COMMAND",
  "EXPORT_COMMAND",
  "TERMINAL_COMMAND",
  "NOTIFY"
] as const
/** Keys that a file which an agent can write may not decide alone. */
export const PinnedKey = Schema.Literals(["MAX_EXTERNAL_PERMISSION", ...programKeys])
export type PinnedKey = typeof PinnedKey.Type

const Program = Schema.NullOr(Schema.String)
const Programs = Schema.Struct({
  AGENT_COMMAND: Program,
  AGENT_ENVIRONMENT: Program,
  RECOVERY_COMMAND: Program,
  EXPORT_COMMAND: Program,
  TERMINAL_COMMAND: Program,
  NOTIFY: Program
})
/** The programs of a config file as it writes them, or in a pin their digests; `null`: the default. */
export type Programs = typeof Programs.Type

/** The ceiling and the programs as a config file writes them; `null`: it names none. */
export const ConfigWord = Schema.Struct({ ceiling: Permission, programs: Programs })
export type ConfigWord = typeof ConfigWord.Type

/**
 * The pin of a watch or a run, which holds until a person changes it (spec: behaviour#trust): the ceiling, and the
 * digest of each program in the config file (SHA-256, hex). A program's line may hold a key, so the log has no word of
 * it.
 */
export const Pin = ConfigWord.annotate({ identifier: "Pin" })
export type Pin = typeof Pin.Type

/** The programs of a file that names none. */
export const noPrograms: Programs = {
  AGENT_COMMAND: null,
  AGENT_ENVIRONMENT: null,
  RECOVERY_COMMAND: null,
  EXPORT_COMMAND: null,
  TERMINAL_COMMAND: null,
  NOTIFY: null
}
/** The pin where no file says anything. */
export const leastPin: Pin = { ceiling: leastPermission, programs: noPrograms }

/** Reads the pinned keys of a config file. A word that is no permission counts as the least. */
export const wordOf = ({ values }: ConfigFile): ConfigWord => {
  const said = (key: ConfigKey) => values.get(key)?.value ?? null
  return {
    ceiling: permissionOf(said("MAX_EXTERNAL_PERMISSION") ?? "") ?? leastPermission,
    programs: {
      AGENT_COMMAND: said("AGENT_COMMAND"),
      AGENT_ENVIRONMENT: said("AGENT_ENVIRONMENT"),
      RECOVERY_COMMAND: said("RECOVERY_COMMAND"),
      EXPORT_COMMAND: said("EXPORT_COMMAND"),
      TERMINAL_COMMAND: said("TERMINAL_COMMAND"),
      NOTIFY: said("NOTIFY")
    }
  }
}

/** Makes the pin for the log, with digests. */
export const pinOf = Effect.fnUntraced(function* ({ ceiling, programs }: ConfigWord) {
  const digest = (program: string | null) => (program === null ? Effect.succeed(null) : digestOf(program))
  return { ceiling, programs: yield* Effect.all(mapPrograms(programs, digest)) } satisfies Pin
})

/** Maps each program. */
export const mapPrograms = <A>(programs: Programs, of: (program: string | null, key: keyof Programs) => A) => ({
  AGENT_COMMAND: of(programs.AGENT_COMMAND, "AGENT_COMMAND"),
  AGENT_ENVIRONMENT: of(programs.AGENT_ENVIRONMENT, "AGENT_ENVIRONMENT"),
  RECOVERY_COMMAND: of(programs.RECOVERY_COMMAND, "RECOVERY_COMMAND"),
  EXPORT_COMMAND: of(programs.EXPORT_COMMAND, "EXPORT_COMMAND"),
  TERMINAL_COMMAND: of(programs.TERMINAL_COMMAND, "TERMINAL_COMMAND"),
  NOTIFY: of(programs.NOTIFY, "NOTIFY")
})

/** Returns the lower permission. Each party can lower a ceiling, and none can raise it alone. */
export const lower = (one: Permission, other: Permission): Permission => clamp(one, other)

/**
 * Returns the keys by which a file asks for more than the pin: a higher ceiling, another program. A lower ceiling asks
 * for nothing.
 */
export const overreachOf = (said: Pin, held: Pin): ReadonlyArray<PinnedKey> => [
  ...(lower(said.ceiling, held.ceiling) === said.ceiling ? [] : ["MAX_EXTERNAL_PERMISSION" as const]),
  ...programKeys.filter((key) => said.programs[key] !== held.programs[key])
]

/** Returns the file as it counts beside the pin: its ceiling if that is lower, and only programs that are pinned. */
export const holding = <File extends ConfigFile>(file: File, held: ConfigWord): File => {
  const values = new Map<ConfigKey, ConfigValue>(file.values)
  const set = (key: ConfigKey, value: string | null) =>
    value === null ? values.delete(key) : values.set(key, { value, line: file.values.get(key)?.line ?? 0 })
  if (lower(wordOf(file).ceiling, held.ceiling) !== wordOf(file).ceiling) set("MAX_EXTERNAL_PERMISSION", held.ceiling)
  for (const key of programKeys) set(key, held.programs[key])
  return { ...file, values }
}
