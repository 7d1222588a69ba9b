import { Duration, Schema } from "effect"
import type { AgentKind } from "../port/AgentKind.ts"
import { parseAgentEnvironment } from "./AgentEnvironment.ts"
import type { ConfigKey } from "./ConfigFile.ts"
import { type NotifyChannel, parseNotify } from "./NotifyChannel.ts"
import { leastPermission, Permission } from "./Permission.ts"
import type { QuietHours } from "./QuietHours.ts"
import {
  dollars,
  interval,
  literal,
  plainWords,
  positiveInteger,
  quietHours,
  type Read,
  text,
  wait,
  type Words,
  words
} from "./SettingText.ts"

/** The places where a Conductor may be launched (spec: settings#launcher). `auto` follows souffleur's own place. */
export const LauncherChoice = Schema.Literals(["auto", "kitty", "tmux", "window", "headless"])
export type LauncherChoice = typeof LauncherChoice.Type

/**
 * How a killed or hung agent comes back first: in its own session, or from an export. Without a choice it is the first
 * without comms, and the second with comms (spec: behaviour#resume).
 */
export const RecoveryChoice = Schema.Literals(["resume", "export"])
export type RecoveryChoice = typeof RecoveryChoice.Type

/** A setting: its key in the file, its reader, and its default. */
export interface Setting<A> {
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
export const tableFor = (agent: AgentKind) => ({
  // Without a number the window of the model decides (`ExportLimits.ts`).
  forceCompactThresholdTokens: setting<number | null>("FORCE_COMPACT", positiveInteger, null, false),
  maxExternalPermission: setting("MAX_EXTERNAL_PERMISSION", literal(Permission.literals), leastPermission, false),
  agentCommand: setting("AGENT_COMMAND", text, agent.program),
  agentEnvironment: setting<ReadonlyArray<string>>("AGENT_ENVIRONMENT", parseAgentEnvironment(agent.marks), []),
  recovery: setting<RecoveryChoice | null>("RECOVERY", literal(RecoveryChoice.literals), null),
  recoveryCommand: setting<string | null>("RECOVERY_COMMAND", text, null),
  exportCommand: setting<string | null>("EXPORT_COMMAND", text, null),
  until: setting<Words | null>("UNTIL", plainWords, null),
  rounds: setting("ROUNDS", positiveInteger, 5),
  launcher: setting("LAUNCHER", literal(LauncherChoice.literals), "auto"),
  terminalCommand: setting<Words | null>("TERMINAL_COMMAND", words, null),
  trimChars: setting<number | null>("TRIM_CHARS", positiveInteger, null),
  watcherInitialWait: setting("WATCHER_INITIAL_WAIT", wait, Duration.seconds(240)),
  watcherInterval: setting("WATCHER_INTERVAL", interval, Duration.seconds(60)),
  heartbeatStaleAfter: setting("HEARTBEAT_STALE_AFTER", interval, Duration.seconds(240)),
  taskStaleAfter: setting("TASK_STALE_AFTER", wait, Duration.seconds(540)),
  monitorInitialWait: setting("MONITOR_INITIAL_WAIT", wait, Duration.seconds(360)),
  monitorInterval: setting("MONITOR_INTERVAL", interval, Duration.seconds(180)),
  monitorStaleAfter: setting("MONITOR_STALE_AFTER", interval, Duration.seconds(180)),
  validationRetryInterval: setting("VALIDATION_RETRY_INTERVAL", interval, Duration.seconds(30)),
  compactPollInterval: setting("COMPACT_POLL_INTERVAL", interval, Duration.seconds(1)),
  compactTimeout: setting("COMPACT_TIMEOUT", interval, Duration.seconds(300)),
  // By default each agent has its own (`Agent.stall`).
  stallAfter: setting<Duration.Duration | null>("STALL_AFTER", interval, null),
  handoffWithin: setting("HANDOFF_WITHIN", interval, Duration.minutes(15)),
  maxTokens: setting<number | null>("MAX_TOKENS", positiveInteger, null),
  maxDollars: setting<number | null>("MAX_DOLLARS", dollars, null),
  maxTime: setting<Duration.Duration | null>("MAX_TIME", interval, null),
  quietHours: setting<QuietHours | null>("QUIET_HOURS", quietHours, null),
  stopGrace: setting("STOP_GRACE", wait, Duration.seconds(10)),
  verifyTimeout: setting("VERIFY_TIMEOUT", interval, Duration.minutes(30)),
  implementerTimeout: setting("IMPLEMENTER_TIMEOUT", interval, Duration.minutes(60)),
  reviewerTimeout: setting("REVIEWER_TIMEOUT", interval, Duration.minutes(30)),
  launchSpacing: setting("LAUNCH_SPACING", wait, Duration.seconds(5)),
  limitMargin: setting("LIMIT_MARGIN", wait, Duration.seconds(60)),
  restartPause: setting("RESTART_PAUSE", wait, Duration.seconds(1)),
  keepAwake: setting<"no" | "yes">("KEEP_AWAKE", literal(["no", "yes"]), "no"),
  notify: setting<ReadonlyArray<NotifyChannel>>("NOTIFY", parseNotify, [])
})
/** The table of all settings. */
export type SettingTable = ReturnType<typeof tableFor>

/** The name of a setting in code. */
export type SettingName = keyof SettingTable

/** Writes the name of a setting as its flag does. */
export const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Writes the name of a setting as `souffleur config --json` does. */
export const snake = (name: string) => kebab(name).replaceAll("-", "_")
