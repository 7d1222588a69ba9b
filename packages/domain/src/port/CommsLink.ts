import { Context, type Effect } from "effect"
import type { CommsUnavailable } from "./Comms.ts"

/** A message as an agent reads it. */
export interface LinkMessage {
  readonly id: number
  readonly taskId: string | null
  readonly from: string | null
  readonly type: string | null
  /** As the table has it, UTC; `null` where it has none. */
  readonly at: string | null
  readonly text: string
  /** The text is longer than what was asked for. */
  readonly cut: boolean
}

/** A task as an agent plans it; what is `undefined` stays NULL. */
export interface LinkTask {
  readonly id: string
  readonly state: string
  readonly instructionPath?: string | undefined
}

/**
 * Comms as the Conductor itself uses it: the writing side of an agent that has no database of its own (spec:
 * behaviour#words-of-the-agent). Every statement is short and stands alone; a lock is the caller's to wait for.
 */
export class CommsLink extends Context.Service<
  CommsLink,
  {
    readonly path: string
    /** `task-00.last_heartbeat`, never moved backwards. `at` in epoch ms, as everywhere here. */
    readonly beat: (at: number) => Effect.Effect<void, CommsUnavailable>
    /** `task-00.state`, with its heartbeat in the same statement. */
    readonly setState: (state: string, at: number) => Effect.Effect<void, CommsUnavailable>
    /** The state of a task's row, which is made where there is none. */
    readonly setTask: (
      task: { readonly id: string; readonly state: string },
      at: number
    ) => Effect.Effect<void, CommsUnavailable>
    /** One message; its id. */
    readonly post: (message: {
      readonly taskId: string
      readonly from: string
      readonly type: string
      readonly text: string
      readonly at: number
    }) => Effect.Effect<number, CommsUnavailable>
    /** Messages with an id greater than `after`, oldest first, each text cut to `characters`. */
    readonly read: (query: {
      readonly after: number
      readonly taskId: string | null
      readonly most: number
      readonly characters: number
    }) => Effect.Effect<ReadonlyArray<LinkMessage>, CommsUnavailable>
    /** Rows for the tasks that have none, all or nothing; which were made. A row that is there stays as it is. */
    readonly register: (tasks: ReadonlyArray<LinkTask>) => Effect.Effect<ReadonlyArray<string>, CommsUnavailable>
  }
>()("@souffleur/domain/CommsLink") {}
