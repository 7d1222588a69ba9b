import type { Words } from "../settings/SettingText.ts"
import { Context, type Effect, type Option, Runtime, Schema } from "effect"
import type { AgentCommand } from "./AgentOrder.ts"
import type { ProcessEnd, ProcessIdentity } from "./Process.ts"

/**
 * Where the agent runs: a detached process, a window of the tmux or kitty that souffleur itself runs in, or a `window`
 * of the desktop, by `TERMINAL_COMMAND`.
 */
export const Terminal = Schema.Literals(["headless", "tmux", "kitty", "window"])
export type Terminal = typeof Terminal.Type

/**
 * The terminal of a launch. `shared`: the launcher's, as for an agent. `none`: a command runs headless. `own`: a
 * command gets a window of the launcher's terminal, or, where there is none, a terminal without a person at it.
 */
export const LaunchTerminal = Schema.Literals(["shared", "none", "own"])
export type LaunchTerminal = typeof LaunchTerminal.Type

/** A launch, made before it runs. `id` is the idempotency token: letters, digits, `-`. */
export interface LaunchOrder {
  readonly id: string
  readonly command: AgentCommand
  readonly cwd: string
  /** The title of the window, such as `Agent (S2)`. */
  readonly title: string
  /** `shared` by default. */
  readonly terminal?: LaunchTerminal
  /** The terminal that its window is opened in, if it gets one. Absent: the first of the launcher's. */
  readonly place?: Terminal
  /** True if the command is needed again, so that it stays in a file of its own (0600) until it is forgotten. */
  readonly keep?: boolean
  /** The words that a person typed to begin it. Absent: it began otherwise. */
  readonly words?: ReadonlyArray<string>
  /** The prompt of an agent among those words. Absent: there is none. */
  readonly prompt?: string
  /** What the caller has say whether the work is done. Absent: the settings. */
  readonly until?: Until
}

/** The user's program that says whether the work is done, and how often in a row it may say no without progress. */
export interface Until {
  readonly words: Words
  readonly rounds: number
}

/** Returns whether a launch is one of a watch. */
export const isLaunchOf = (watch: string, launch: string): boolean =>
  launch.startsWith(`${watch}-g`) && /^\d/u.test(launch.slice(watch.length + 2))

/** Makes the last line of a launch's prompt. A session file with this line has the prompt of that launch. */
export const handoffLine = (launchId: string): string => `Hand-off ${launchId}`

/** No process runs for this launch, now or later: a tombstone has taken the receipt's name. */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", {
  message: Schema.String,
  /** Its terminal opened no window for it, so that another terminal may do for another launch. */
  noWindow: Schema.optionalKey(Schema.Literal(true)),
  /** What it lacked may be back in a moment, such as a program that is being updated. */
  momentary: Schema.optionalKey(Schema.Literal(true))
}) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Where a launch prints. */
export type PrintedOn = "stdout" | "stderr"

/** The end of a launch, as what waited for it has recorded. `at`: epoch ms. */
export interface LaunchEnd {
  readonly end: ProcessEnd
  readonly at: number
}

/** Launches at most once (spec: behaviour#launch-at-most-once): file, receipt by `link`, tombstone, `execve`. */
export class Launcher extends Context.Service<
  Launcher,
  {
    /**
     * The terminals for launches, the best first. Where one opens no window, the next may. With `headless` as the last,
     * a launch needs no window.
     */
    readonly terminals: readonly [Terminal, ...ReadonlyArray<Terminal>]
    /** True if this machine can give a command a terminal of its own. */
    readonly hasPty: Effect.Effect<boolean>
    /**
     * Writes `launches/<id>.json` (0600) and returns its SHA-256 in hex, for the log. The file is removed once its
     * launch is decided.
     */
    readonly prepare: (order: LaunchOrder) => Effect.Effect<string, LaunchFailed>
    /**
     * Starts a prepared launch and waits for its receipt. An interruption or a timeout cancels the launch, unless the
     * receipt came first: then it succeeds. A window that is not opened cancels it too.
     */
    readonly launch: (id: string) => Effect.Effect<ProcessIdentity, LaunchFailed>
    /**
     * Decides whether that launch ran. `Some` is the process that took the receipt (alive or not). `None` means never,
     * now and later.
     */
    readonly settle: (id: string) => Effect.Effect<Option.Option<ProcessIdentity>, LaunchFailed>
    /** Returns a kept command. Fails if the file does not match the digest in the log. */
    readonly kept: (
      id: string,
      digest: string
    ) => Effect.Effect<
      Pick<LaunchOrder, "command" | "cwd" | "place" | "prompt" | "terminal" | "title" | "until" | "words">,
      LaunchFailed
    >
    /**
     * Removes a command that is no longer needed, launched or not, since it may hold a key. A launch that has not run
     * by then never will.
     */
    readonly forget: (id: string) => Effect.Effect<void>
    /**
     * Returns how the process of a launch ended, and when, whether a souffleur ran then or not. `None`: it runs, or its
     * end is unknown, as of a window that was closed, or at a reboot.
     */
    readonly endOf: (id: string) => Effect.Effect<Option.Option<LaunchEnd>>
    /**
     * Returns the path of what a launch prints, on standard output by default. An agent in a window has no such file.
     * Of a terminal of its own there is one file alone.
     */
    readonly outputPath: (id: string, of?: PrintedOn) => string
    /**
     * Keeps what the launches with this beginning of their ids print, and their guardians, within its bound on disk.
     * It does so for ever.
     */
    readonly bound: (prefix: string) => Effect.Effect<void>
    /** Returns whether it was launched into a window, where a person reads its output. */
    readonly inWindow: (id: string) => Effect.Effect<boolean>
  }
>()("@souffleur/domain/Launcher") {}
