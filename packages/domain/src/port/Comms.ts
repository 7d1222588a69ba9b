import { Context, Effect, Layer, Option, Runtime, Schema } from "effect"

/** States of `orchestration_tasks` that souffleur writes in its own row (spec: behaviour#state-in-comms). */
export type SouffleurState = "confirmed" | "error" | "exited" | "complete"

/** What the watcher reads in one go. Heartbeats are raw: their meaning is decided, not read. */
export interface CommsSnapshot {
  /** The row `task-00`; `None` when it is not there. */
  readonly conductor: Option.Option<{
    readonly state: string
    readonly lastHeartbeat: string | null
    readonly sessionId: string | null
  }>
  /** The state of the row `souffleur`; `None` when it is not there. */
  readonly souffleur: Option.Option<string>
  /** Rows other than `task-00` and `souffleur`. */
  readonly taskCount: number
  /** Changes when such a row is added or changes its state; says nothing else. */
  readonly taskFingerprint: string
  /** The greatest message id, 0 when there is none. */
  readonly lastMessageId: number
}

/** What a watch without comms reads. */
export const soloSnapshot: CommsSnapshot = {
  conductor: Option.none(),
  souffleur: Option.none(),
  taskCount: 0,
  taskFingerprint: "",
  lastMessageId: 0
}

/** What a generation starts from; see `ConductorConfirmed` and `ConductorRelaunched`. */
export interface Baseline {
  readonly taskCount: number
  readonly taskFingerprint: string
  readonly conductorState: string | null
  readonly lastMessageId: number
}

/** What a generation is measured against later, as comms says it now. */
export const baselineOf = (snapshot: CommsSnapshot): Baseline => ({
  taskCount: snapshot.taskCount,
  taskFingerprint: snapshot.taskFingerprint,
  conductorState: Option.match(snapshot.conductor, { onNone: () => null, onSome: ({ state }) => state }),
  lastMessageId: snapshot.lastMessageId
})

/**
 * The same while comms cannot be read. The row may still hold the request of the generation before, and its payload may
 * be unread: another state must be seen first. `consumed` is the message of a payload that this launch honours, 0 where
 * there is none.
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

/** What a Conductor says with its request. */
export interface CommsPayload extends CommsReply {
  /** SHA-256 of the text, hex: what was read is known again by it, and is not in the log. */
  readonly digest: string
}

/** A message that would have counted, had it come from somebody else: anybody may write in comms. */
export interface CommsRefusal {
  readonly id: number
  /** Its `from_session`, at most 64 characters. */
  readonly from: string | null
}

/** Who and since when: messages with a greater id, of the Conductor (NULL, `task-00`) or of one of these sessions. */
export interface CommsQuery {
  readonly after: number
  readonly sessions: ReadonlyArray<string>
}

/** What may count, and the newest message that may not. */
export interface Heard<A> {
  readonly heard: A
  readonly refused: Option.Option<CommsRefusal>
}
const silence = <A>(heard: A): Heard<A> => ({ heard, refused: Option.none() })

export type MessageKind = "error" | "warning" | "completion" | "system"

/**
 * Comms cannot be used now: locked, gone, replaced by something else, lacking a table or a column; or it did not answer
 * (`stuck`), whatever is in it. Never fatal to a watch.
 */
export class CommsUnavailable extends Schema.TaggedError<CommsUnavailable>()("CommsUnavailable", {
  path: Schema.String,
  reason: Schema.Literals(["locked", "missing", "foreign", "schema", "stuck", "failed"]),
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return this.problem.includes(this.path) ? this.problem : `${this.path}: ${this.problem}`
  }
}

/**
 * The orchestration database of one watch (spec: behaviour#use-of-comms). It belongs to others: nothing here creates it
 * or changes its schema.
 */
export class Comms extends Context.Service<
  Comms,
  {
    readonly path: string
    readonly snapshot: Effect.Effect<CommsSnapshot, CommsUnavailable>
    /** The newest context recovery payload: to `souffleur` or `task-00`, of a type that a Conductor asks with. */
    readonly payload: (query: CommsQuery) => Effect.Effect<Heard<Option.Option<CommsPayload>>, CommsUnavailable>
    /** Instructions to `souffleur`, oldest first; also of a `person`, and of a session that names itself in it. */
    readonly replies: (query: CommsQuery) => Effect.Effect<Heard<ReadonlyArray<CommsReply>>, CommsUnavailable>
    /**
     * The `souffleur` row's state, with `last_heartbeat = at` in the same statement. `lastError` is written when given.
     * `at` in epoch ms.
     */
    readonly setState: (state: SouffleurState, at: number, lastError?: string) => Effect.Effect<void, CommsUnavailable>
    /** `last_heartbeat` of the `souffleur` row, never moved backwards. */
    readonly beat: (at: number) => Effect.Effect<void, CommsUnavailable>
    /**
     * One message, told once: the same, with its key, type and time, is not written again. What others wrote under that
     * key is not ours. `warning` becomes `system` where the table's CHECK rejects it.
     */
    readonly post: (message: {
      readonly key: string
      readonly kind: MessageKind
      readonly text: string
      readonly at: number
    }) => Effect.Effect<void, CommsUnavailable>
  }
>()("@souffleur/domain/Comms") {
  /** A watch without comms: whoever is told is nobody, and only its progress can be read (spec: behaviour#solo). */
  static readonly solo = (snapshot: Effect.Effect<CommsSnapshot>) =>
    Comms.of({
      path: "",
      snapshot,
      payload: () => Effect.succeed(silence(Option.none())),
      replies: () => Effect.succeed(silence([])),
      setState: () => Effect.void,
      beat: () => Effect.void,
      post: () => Effect.void
    })

  /** The same for who asks for no progress. */
  static readonly layerSolo = Layer.sync(Comms, () => Comms.solo(Effect.succeed(soloSnapshot)))
}
