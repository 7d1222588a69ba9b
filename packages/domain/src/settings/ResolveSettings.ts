import { Duration, Effect, Option, Path, Result, Runtime, Schema } from "effect"
import type { AgentKind } from "../port/AgentKind.ts"
import type { FoundConfig } from "./ConfigFile.ts"
import { type ConfigWord, holding, wordOf } from "./Pin.ts"
import type { ResolvedSettings } from "./Settings.ts"
import { kebab, type Setting, type SettingName, snake, tableFor } from "./SettingTable.ts"
import { interval, inWords, pageUrl, wait } from "./SettingText.ts"

/** The port of the page by default, so that a link and an open page stay valid after a restart. */
export const usualPagePort = 7433

/** A setting from a flag or the environment that cannot be used (exit 2). `name` is the flag or the variable. */
export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", {
  name: Schema.String,
  value: Schema.optional(Schema.String),
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.name}: ${this.problem}`
  }
}

/**
 * The flag, the variable or the line of the file that gives each setting, by its name in `souffleur config --json`. A
 * setting without one has its default.
 */
export type SettingSourceNames = Readonly<Record<string, string>>

/** Flags that were given, by the setting's name, as text. */
export type SettingFlags = { readonly [Key in SettingName]?: string | undefined }

/** The sources of settings. Flags outrank the environment, and that outranks the config file. */
export interface SettingSources {
  readonly agent: AgentKind
  readonly projectDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly flags: SettingFlags
  /**
   * The pin that limits the file: its ceiling at most, its programs as they are (spec: behaviour#trust). Absent: the
   * file's own word holds.
   */
  readonly held?: ConfigWord | undefined
}

/**
 * Resolves every setting, with the file's own word on the pinned keys. An error in the file is a warning, and the
 * default counts. Fails with `BadSetting` for an error in a flag or the environment. An empty variable counts as unset.
 */
export const resolveSettings = Effect.fn("resolveSettings")(function* (
  found: FoundConfig,
  { agent, environment, flags, held }: Omit<SettingSources, "projectDir">
): Effect.fn.Return<
  { readonly settings: ResolvedSettings; readonly said: ConfigWord; readonly sources: SettingSourceNames },
  BadSetting,
  Path.Path
> {
  const path = yield* Path.Path
  const file = held === undefined ? found : holding(found, held)
  const warnings = [...file.warnings]

  const given = (name: SettingName, { key, outside }: Setting<unknown>) => {
    const flag = flags[name]
    const variable = `SOUFFLEUR_${key}`
    const value = environment[variable]?.trim() ?? ""
    if (!outside && value !== "") warnings.push(`${variable} is not read: ${key} comes from the config file alone`)
    if (!outside) return undefined
    if (flag !== undefined) return { source: `--${kebab(name)}`, value: flag }
    return value === "" ? undefined : { source: variable, value }
  }
  const sources: Record<string, string> = {}
  const resolve = <A>(name: SettingName, one: Setting<A>): Result.Result<A, BadSetting> => {
    const outside = given(name, one)
    if (outside !== undefined) {
      sources[snake(name)] = outside.source
      return Result.mapError(
        one.read(outside.value),
        // A refused value of NOTIFY may hold a secret.
        (problem) =>
          new BadSetting({
            name: outside.source,
            ...(name === "notify" ? {} : { value: outside.value.slice(0, 100) }),
            problem
          })
      )
    }
    const inside = file.values.get(one.key)
    if (inside === undefined) return Result.succeed(one.initial)
    const read = one.read(inside.value)
    if (Result.isSuccess(read)) {
      sources[snake(name)] = `line ${inside.line} of ${file.source}`
      return Result.succeed(read.success)
    }
    warnings.push(`line ${inside.line}: ${one.key} ${read.failure}, its default is used`)
    return Result.succeed(one.initial)
  }

  const resolved: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(tableFor(agent))) {
    resolved[name] = yield* Effect.fromResult(resolve(name as SettingName, one as Setting<unknown>))
  }

  const home = (...below: ReadonlyArray<string>) => {
    const folder = environment["HOME"]
    return folder === undefined || !path.isAbsolute(folder)
      ? Effect.fail(new BadSetting({ name: "HOME", problem: "must be set to an absolute path" }))
      : Effect.succeed(path.join(folder, ...below))
  }
  const folder = (setting: "agent_dir" | "state_dir", ...names: ReadonlyArray<string>) => {
    const name = names.find((name) => (environment[name] ?? "") !== "")
    if (name === undefined) return undefined
    sources[setting] = name
    return Effect.succeed(path.resolve(environment[name]!))
  }
  const stateHome = () => {
    // The XDG specification says to ignore a relative path.
    const xdg = environment["XDG_STATE_HOME"]
    if (xdg === undefined || !path.isAbsolute(xdg)) return undefined
    sources["state_dir"] = "XDG_STATE_HOME"
    return Effect.succeed(path.join(xdg, "souffleur"))
  }

  const address = environment["SOUFFLEUR_PAGE_URL"] ?? ""
  if (address !== "") sources["page_url"] = "SOUFFLEUR_PAGE_URL"
  const reached = address === "" ? Result.succeed(null) : pageUrl(address)
  const answers = environment["SOUFFLEUR_NOTIFY_ANSWERS"] || "no"
  if (answers !== "no") sources["notify_answers"] = "SOUFFLEUR_NOTIFY_ANSWERS"
  if (answers !== "no" && answers !== "yes")
    return yield* new BadSetting({ name: "SOUFFLEUR_NOTIFY_ANSWERS", value: answers, problem: "is neither yes nor no" })

  const settings = {
    ...(resolved as { readonly [Key in SettingName]: ResolvedSettings[Key] }),
    stateDir: yield* folder("state_dir", "SOUFFLEUR_STATE_DIR") ?? stateHome() ?? home(".local", "state", "souffleur"),
    agentDir: yield* folder("agent_dir", ...agent.folder.variables) ?? home(agent.folder.inHome),
    pageUrl: yield* Effect.fromResult(
      Result.mapError(reached, (problem) => new BadSetting({ name: "SOUFFLEUR_PAGE_URL", value: address, problem }))
    ),
    notifyAnswers: answers satisfies ResolvedSettings["notifyAnswers"] as ResolvedSettings["notifyAnswers"],
    warnings,
    source: file.source
  }
  return { settings, said: wordOf(found), sources }
})

type Given<A> = A extends Duration.Duration ? Duration.Input : A

/** Settings that a program gives, where a duration may be written as Effect reads it: `"30 seconds"`. */
export type GivenSettings = {
  readonly [Key in Exclude<keyof ResolvedSettings, "source" | "stateDir" | "warnings">]?: Given<ResolvedSettings[Key]>
}

/** Returns the settings that a program gives. Fails with `BadSetting` where one should be a duration and is none. */
export const readGiven = (
  agent: AgentKind,
  given: GivenSettings
): Result.Result<Partial<ResolvedSettings>, BadSetting> => {
  const settings: Record<string, unknown> = { ...given }
  for (const [name, { read }] of Object.entries(tableFor(agent))) {
    const value = settings[name] as Duration.Input | null | undefined
    if ((read !== interval && read !== wait) || value === undefined || value === null) continue
    const duration = Duration.fromInput(value)
    if (Option.isNone(duration))
      return Result.fail(new BadSetting({ name, problem: 'must be a duration such as "30 seconds"' }))
    settings[name] = duration.value
  }
  return Result.succeed(settings)
}

/** Returns the durations that a program gives as the texts of flags. What is no duration is left to their reader. */
export const flagsOf = <Name extends SettingName>(
  given: Readonly<Partial<Record<Name, Duration.Input | undefined>>>
): SettingFlags => {
  const texts = Object.entries(given).map(([name, value]) => [
    name,
    value === undefined
      ? undefined
      : Option.match(Duration.fromInput(value as Duration.Input), { onNone: () => String(value), onSome: inWords })
  ])
  return Object.fromEntries(texts) as SettingFlags
}
