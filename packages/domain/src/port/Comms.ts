import { Context, Effect, Layer, Option, Runtime, Schema } from "effect"

/** States of `orchestration_tasks` that souffleur writes in its own row (spec: behaviour#state-in-comms). */
export type SouffleurState = "confirmed" | "error" | "exited" | "complete"

/** The data that one poll of the watcher reads. Heartbeats are raw text here: the decision gives them their meaning. */
export interface CommsSnapshot {
  /** The row `task-00`; `None` when there is none. */
  readonly conductor: Option.Option<{
    readonly state: string
    readonly lastHeartbeat: string | null
    readonly sessionId: string | null
  }>
  /** The state of the row `souffleur`; `None` when there is none. */
  readonly souffleur: Option.Option<string>
  /** Rows other than `task-00` and `souffleur`. */
  readonly taskCount: number
  /** Changes only when such a row is added or changes its state. */
  readonly taskFingerprint: string
  /** The greatest message id, 0 when there is none. */
  readonly lastMessageId: number
}

/** The row of a task other than `task-00` and `souffleur`. Its texts are as others wrote them, cut to a length. */
export interface CommsTask {
  readonly id: string
  readonly state: string
  readonly sessionId: string | null
  readonly lastHeartbeat: string | null
}

/** The data that a watch without comms reads. */
export const soloSnapshot: CommsSnapshot = {
  conductor: Option.none(),
  souffleur: Option.none(),
  taskCount: 0,
  taskFingerprint: "",
  lastMessageId: 0
}

/** The state that a generation starts from; see `ConductorConfirmed` and `ConductorRelaunched`. */
export interface Baseline {
  readonly taskCount: number
  readonly taskFingerprint: string
  readonly conductorState: string | null
  readonly lastMessageId: number
}

/** Makes the baseline of a generation from comms as it is now. */
export const baselineOf = (snapshot: CommsSnapshot): Baseline => ({
  taskCount: snapshot.taskCount,
  taskFingerprint: snapshot.taskFingerprint,
  conductorState: Option.match(snapshot.conductor, { onNone: () => null, onSome: ({ state }) => state }),
  lastMessageId: snapshot.lastMessageId
})

/**
 * Makes the baseline while comms cannot be read. The row may still hold the previous generation's request, with its
 * payload unread, so another state must be seen first. `consumed` is the message id of a payload that this launch
 * honours, 0 if there is none.
 */
export const unreadBaseline = (before: Baseline, consumed = 0): Baseline => ({
  ...before,
  conductorState: null,
  lastMessageId: Math.max(before.lastMessageId, consumed)
})

/** A message to souffleur. */
export interface CommsReply {
  readonly id: number
  readonly text: string
}

/** The payload of a Conductor's request. */
export interface CommsPayload extends CommsReply {
  /** SHA-256 of the text, hex, by which the text is recognised although the log does not hold it. */
  readonly digest: string
}

/** A message that counts only from another author, since anyone may write in comms. */
export interface CommsRefusal {
  readonly id: number
  /** Its `from_session`, at most 64 characters. */
  readonly from: string | null
}

/** Selects messages with a greater id, of the Conductor (NULL, `task-00`) or of one of these sessions. */
export interface CommsQuery {
  readonly after: number
  readonly sessions: ReadonlyArray<string>
}

/** The message that may count, and the newest message that may not. */
export interface Heard<A> {
  readonly heard: A
  readonly refused: Option.Option<CommsRefusal>
}
const silence = <A>(heard: A): Heard<A> => ({ heard, refused: Option.none() })

/** The kinds of souffleur's own messages. */
export type MessageKind = "error" | "warning" | "completion" | "system"

/**
 * Comms cannot be used now, because it is locked, gone, replaced, or lacks a table or a column. `row`: the row to write
 * is missing. `stuck`: it did not answer. Never fatal to a watch.
 */
export class CommsUnavailable extends Schema.TaggedError<CommsUnavailable>()("CommsUnavailable", {
  path: Schema.String,
  reason: Schema.Literals(["locked", "missing", "foreign", "schema", "row", "stuck", "failed"]),
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return this.problem.includes(this.path) ? this.problem : `${this.path}: ${this.problem}`
  }
}

/**
 * The comms database of one watch (spec: behaviour#use-of-comms). It belongs to others, so nothing here creates it or
 * changes its schema. Every method fails with `CommsUnavailable` if comms cannot be used.
 */
export class Comms extends Context.Service<
  Comms,
  {
    readonly path: string
    readonly snapshot: Effect.Effect<CommsSnapshot, CommsUnavailable>
    /** The first hundred tasks by their names. */
    readonly tasks: Effect.Effect<ReadonlyArray<CommsTask>, CommsUnavailable>
    /**
     * Returns the newest payload: a message to `souffleur` or `task-00` that begins with its header.
     */
    readonly payload: (query: CommsQuery) => Effect.Effect<Heard<Option.Option<CommsPayload>>, CommsUnavailable>
    /**
     * Returns instructions to `souffleur`, oldest first. They may be from a `person`, or from a session that names
     * itself.
     */
    readonly replies: (query: CommsQuery) => Effect.Effect<Heard<ReadonlyArray<CommsReply>>, CommsUnavailable>
    /**
     * Writes the state of the row `souffleur`, with `last_heartbeat = at` (epoch ms) in the same statement. Writes
     * `lastError` when given.
     */
    readonly setState: (state: SouffleurState, at: number, lastError?: string) => Effect.Effect<void, CommsUnavailable>
    /** Writes `last_heartbeat` of the row `souffleur`, never backwards. `at` in epoch ms. */
    readonly beat: (at: number) => Effect.Effect<void, CommsUnavailable>
    /**
     * Writes one message, once: a message with the same key, type and time is not written again, while somebody else's
     * row under that key does not count. `warning` becomes `system` if the table's CHECK rejects it.
     */
    readonly post: (message: {
      readonly key: string
      readonly kind: MessageKind
      readonly text: string
      readonly at: number
    }) => Effect.Effect<void, CommsUnavailable>
  }
>()("@souffleur/domain/Comms") {
  /** Makes a watch without comms: messages go nowhere, and only progress can be read (spec: behaviour#solo). */
  static readonly solo = (snapshot: Effect.Effect<CommsSnapshot>) =>
    Comms.of({
      path: "",
      snapshot,
      tasks: Effect.succeed([]),
      payload: () => Effect.succeed(silence(Option.none())),
      replies: () => Effect.succeed(silence([])),
      setState: () => Effect.void,
      beat: () => Effect.void,
      post: () => Effect.void
    })

  /** Provides the same without progress. */
  static readonly layerSolo = Layer.sync(Comms, () => Comms.solo(Effect.succeed(soloSnapshot)))
}
