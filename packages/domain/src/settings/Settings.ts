import { Context, Duration, Effect, Path, Result, Runtime, Schema } from "effect"
import { parseAgentEnvironment } from "./AgentEnvironment.ts"
import type { ConfigKey, FoundConfig } from "./ConfigFile.ts"
import { type ConfigWord, holding, type Pin, wordOf } from "./Pin.ts"
import { leastPermission, Permission } from "./Permission.ts"
import { formatChannel, type NotifyChannel, parseNotify } from "./NotifyChannel.ts"
import { formatQuietHours, isQuietHours, type QuietHours } from "./QuietHours.ts"
import {
  dollars,
  inWords,
  interval,
  literal,
  positiveInteger,
  quietHours,
  type Read,
  text,
  wait
} from "./SettingText.ts"
import type { AgentKind } from "../port/AgentKind.ts"

/** The places where a Conductor may be launched (spec: settings#launcher). `auto` follows souffleur's own place. */
export const LauncherChoice = Schema.Literals(["auto", "kitty", "tmux", "headless"])
export type LauncherChoice = typeof LauncherChoice.Type

/**
 * How a killed or hung agent comes back first: in its own session, or from an export. Without a choice it is the first
 * without comms, and the second with comms (spec: behaviour#resume).
 */
export const RecoveryChoice = Schema.Literals(["resume", "export"])
export type RecoveryChoice = typeof RecoveryChoice.Type

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

interface Setting<A> {
  readonly key: ConfigKey
  readonly read: Read<A>
  readonly initial: A
  /** `false`: the setting has no flag and no variable. */
  readonly outside: boolean
}
const setting = <A>(key: ConfigKey, read: Read<A>, initial: NoInfer<A>, outside = true): Setting<A> => ({
  key,
  read,
  initial,
  outside
})

/** Every setting with a key in the file, in the order of `souffleur config`. */
const tableFor = (agent: AgentKind) => ({
  forceCompactThresholdTokens: setting("FORCE_COMPACT", positiveInteger, 400_000, false),
  maxExternalPermission: setting("MAX_EXTERNAL_PERMISSION", literal(Permission.literals), leastPermission, false),
  agentCommand: setting("AGENT_COMMAND", text, agent.program),
  agentEnvironment: setting<ReadonlyArray<string>>("AGENT_ENVIRONMENT", parseAgentEnvironment(agent.marks), []),
  recovery: setting<RecoveryChoice | null>("RECOVERY", literal(RecoveryChoice.literals), null),
  exportCommand: setting<string | null>("EXPORT_COMMAND", text, null),
  launcher: setting("LAUNCHER", literal(LauncherChoice.literals), "auto"),
  trimChars: setting("TRIM_CHARS", positiveInteger, 800_000),
  watcherInitialWait: setting("WATCHER_INITIAL_WAIT", wait, Duration.seconds(240)),
  watcherInterval: setting("WATCHER_INTERVAL", interval, Duration.seconds(60)),
  heartbeatStaleAfter: setting("HEARTBEAT_STALE_AFTER", interval, Duration.seconds(240)),
  monitorInitialWait: setting("MONITOR_INITIAL_WAIT", wait, Duration.seconds(360)),
  monitorInterval: setting("MONITOR_INTERVAL", interval, Duration.seconds(180)),
  monitorStaleAfter: setting("MONITOR_STALE_AFTER", interval, Duration.seconds(180)),
  validationRetryInterval: setting("VALIDATION_RETRY_INTERVAL", interval, Duration.seconds(30)),
  compactPollInterval: setting("COMPACT_POLL_INTERVAL", interval, Duration.seconds(1)),
  compactTimeout: setting("COMPACT_TIMEOUT", interval, Duration.seconds(300)),
  stallAfter: setting("STALL_AFTER", interval, agent.stall),
  handoffWithin: setting("HANDOFF_WITHIN", interval, Duration.minutes(15)),
  maxTokens: setting<number | null>("MAX_TOKENS", positiveInteger, null),
  maxDollars: setting<number | null>("MAX_DOLLARS", dollars, null),
  maxTime: setting<Duration.Duration | null>("MAX_TIME", interval, null),
  quietHours: setting<QuietHours | null>("QUIET_HOURS", quietHours, null),
  stopGrace: setting("STOP_GRACE", wait, Duration.seconds(10)),
  implementerTimeout: setting("IMPLEMENTER_TIMEOUT", interval, Duration.minutes(60)),
  reviewerTimeout: setting("REVIEWER_TIMEOUT", interval, Duration.minutes(30)),
  launchSpacing: setting("LAUNCH_SPACING", wait, Duration.seconds(5)),
  limitMargin: setting("LIMIT_MARGIN", wait, Duration.seconds(60)),
  restartPause: setting("RESTART_PAUSE", wait, Duration.seconds(1)),
  notify: setting<ReadonlyArray<NotifyChannel>>("NOTIFY", parseNotify, [])
})
type Table = ReturnType<typeof tableFor>
type Name = keyof Table

/**
 * All settings of souffleur, resolved (spec: settings#sources): flag, else environment, else the config file, else the
 * default.
 */
export type ResolvedSettings = {
  readonly [Key in Name]: Table[Key] extends Setting<infer A> ? A : never
} & {
  /** Absolute; holds `souffleur.db`, `launches/`, `exports/`. */
  readonly stateDir: string
  /** Absolute; the agent's own folder. */
  readonly agentDir: string
  /** The problems of the config file, as sentences. */
  readonly warnings: ReadonlyArray<string>
  /** The config file in use, or `null`. */
  readonly source: string | null
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const snake = (name: string) => kebab(name).replaceAll("-", "_")

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
   * that reads back as the same.
   */
  static readonly json = (settings: ResolvedSettings): Record<string, string | number | null | ReadonlyArray<string>> =>
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
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
 * The settings of a recovery cycle or a turn of a run, with the config at that time (spec: behaviour#cycle). So a
 * changed threshold or ceiling is seen. By default, the settings of the start of the process.
 */
export const CycleSettings = Context.Reference<Effect.Effect<FoundSettings, never, Settings>>(
  "@souffleur/domain/CycleSettings",
  {
    defaultValue: () => Effect.service(Settings)
  }
)

/**
 * The flag, the variable or the line of the file that gives each setting, by its name in `souffleur config --json`. A
 * setting without one has its default.
 */
export type SettingSourceNames = Readonly<Record<string, string>>

/** Flags that were given, by the setting's name, as text. */
export type SettingFlags = { readonly [Key in Name]?: string | undefined }

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

  const given = (name: Name, { key, outside }: Setting<unknown>) => {
    const flag = flags[name]
    const variable = `SOUFFLEUR_${key}`
    if (!outside) return undefined
    if (flag !== undefined) return { source: `--${kebab(name)}`, value: flag }
    const value = environment[variable]?.trim()
    return value === undefined || value === "" ? undefined : { source: variable, value }
  }
  const sources: Record<string, string> = {}
  const resolve = <A>(name: Name, one: Setting<A>): Result.Result<A, BadSetting> => {
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
    resolved[name] = yield* Effect.fromResult(resolve(name as Name, one as Setting<unknown>))
  }

  const home = (...below: ReadonlyArray<string>) => {
    const folder = environment["HOME"]
    return folder === undefined || !path.isAbsolute(folder)
      ? Effect.fail(new BadSetting({ name: "HOME", problem: "must be set to an absolute path" }))
      : Effect.succeed(path.join(folder, ...below))
  }
  const folder = (...names: ReadonlyArray<string>) => {
    const value = names.map((name) => environment[name]).find((text) => text !== undefined && text !== "")
    return value === undefined ? undefined : Effect.succeed(path.resolve(value))
  }
  // The XDG specification says to ignore a relative path.
  const xdg = environment["XDG_STATE_HOME"]
  const stateHome = xdg !== undefined && path.isAbsolute(xdg) ? Effect.succeed(path.join(xdg, "souffleur")) : undefined

  const settings = {
    ...(resolved as { readonly [Key in Name]: ResolvedSettings[Key] }),
    stateDir: yield* folder("SOUFFLEUR_STATE_DIR") ?? stateHome ?? home(".local", "state", "souffleur"),
    agentDir: yield* folder(...agent.folder.variables) ?? home(agent.folder.inHome),
    warnings,
    source: file.source
  }
  return { settings, said: wordOf(found), sources }
})
