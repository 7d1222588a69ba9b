import { Context, type Effect } from "effect"
import type { CommsUnavailable } from "./Comms.ts"

/** A message as an agent reads it. */
export interface LinkMessage {
  readonly id: number
  readonly taskId: string | null
  readonly from: string | null
  readonly type: string | null
  /** The time as the table has it, UTC; `null` where it has none. */
  readonly at: string | null
  readonly text: string
  /** The text is longer than the requested length. */
  readonly cut: boolean
}

/** A task as an agent plans it. An `undefined` field stays NULL. */
export interface LinkTask {
  readonly id: string
  readonly state: string
  readonly instructionPath?: string | undefined
}

/**
 * Comms as the Conductor itself uses it (spec: behaviour#words-of-the-agent). It is the writing side for an agent
 * without a database of its own. Every statement is short and independent. The caller waits for a lock, and gets
 * `CommsUnavailable`.
 */
export class CommsLink extends Context.Service<
  CommsLink,
  {
    readonly path: string
    /** Writes `task-00.last_heartbeat`, never backwards. `at` in epoch ms. */
    readonly beat: (at: number) => Effect.Effect<void, CommsUnavailable>
    /** Writes `task-00.state`, with its heartbeat in the same statement. */
    readonly setState: (state: string, at: number) => Effect.Effect<void, CommsUnavailable>
    /** Writes the state of a task's row, and adds a missing row. */
    readonly setTask: (
      task: { readonly id: string; readonly state: string },
      at: number
    ) => Effect.Effect<void, CommsUnavailable>
    /** Writes one message, and returns its id. */
    readonly post: (message: {
      readonly taskId: string
      readonly from: string
      readonly type: string
      readonly text: string
      readonly at: number
    }) => Effect.Effect<number, CommsUnavailable>
    /** Returns messages with an id greater than `after`, oldest first. Each text is cut to `characters`. */
    readonly read: (query: {
      readonly after: number
      readonly taskId: string | null
      readonly most: number
      readonly characters: number
    }) => Effect.Effect<ReadonlyArray<LinkMessage>, CommsUnavailable>
    /**
     * Adds rows for the tasks that have none, all or nothing, and returns their ids. An existing row stays as it is.
     */
    readonly register: (tasks: ReadonlyArray<LinkTask>) => Effect.Effect<ReadonlyArray<string>, CommsUnavailable>
  }
>()("@souffleur/domain/CommsLink") {}
