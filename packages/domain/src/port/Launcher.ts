import { Context, type Effect, type Option, Runtime, Schema } from "effect"
import type { AgentCommand } from "./Agent.ts"
import type { ProcessIdentity } from "./Process.ts"

/** Where the agent runs: a detached process, or a window of a terminal that souffleur itself runs in. */
export const Terminal = Schema.Literals(["headless", "tmux", "kitty"])
export type Terminal = typeof Terminal.Type

/** A launch, made before it is acted on. `id` is the idempotency token: letters, digits, `-`. */
export interface LaunchOrder {
  readonly id: string
  readonly command: AgentCommand
  readonly cwd: string
  /** Of the window, such as `Conductor (S2)`. */
  readonly title: string
  /** The command is needed again: it stays in a file of its own (0600), until it is forgotten. */
  readonly keep?: boolean
}

/**
 * The last line of a launch's prompt: where it stands in a session file, that session has the prompt of that launch.
 */
export const handoffLine = (launchId: string): string => `Hand-off ${launchId}`

/** Nothing runs, and nothing will: the receipt's name is claimed as a tombstone. */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

/** Launch at most once (spec: behaviour#launch-at-most-once): file, receipt by `link`, tombstone, `execve`. */
export class Launcher extends Context.Service<
  Launcher,
  {
    readonly terminal: Terminal
    /**
     * Writes `launches/<id>.json` (0600) and returns its SHA-256 in hex, which goes to the log. Once its launch is
     * decided, it is removed.
     */
    readonly prepare: (order: LaunchOrder) => Effect.Effect<string, LaunchFailed>
    /**
     * Starts what was prepared and waits for its receipt. Interrupted or late: the launch is cancelled, or, where the
     * receipt was there first, succeeds.
     */
    readonly launch: (id: string) => Effect.Effect<ProcessIdentity, LaunchFailed>
    /**
     * Ends the question whether that launch ran: `Some` is who took the receipt (alive or not), `None` means never, now
     * and later.
     */
    readonly settle: (id: string) => Effect.Effect<Option.Option<ProcessIdentity>, LaunchFailed>
    /** What was prepared to be kept; fails where it is not what the log has the digest of. */
    readonly kept: (
      id: string,
      digest: string
    ) => Effect.Effect<Pick<LaunchOrder, "command" | "cwd" | "title">, LaunchFailed>
    /** Nobody needs it any more, launched or not: it may hold a key. What was not launched never is. */
    readonly forget: (id: string) => Effect.Effect<void>
    /**
     * How the process of a headless launch ended; 128 and its number for a signal. `None`: it runs, or no souffleur was
     * there to see.
     */
    readonly exitCode: (id: string) => Effect.Effect<Option.Option<number>>
    /** Where a headless agent's output goes. */
    readonly outputPath: (id: string) => string
  }
>()("@souffleur/domain/Launcher") {}
