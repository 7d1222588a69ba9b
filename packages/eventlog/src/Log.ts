import { Effect, Option, PubSub, Runtime, Schema, type Scope, Stream } from "effect"
import { memorySnapshots, type Snapshots } from "./snapshot/Snapshots.ts"
import type { SqliteUnusable } from "./Sqlite.ts"

/** An event with its place in the log. */
export interface RecordedAs<E> {
  /** The place among all events of the log. It grows, with gaps. */
  readonly position: number
  readonly stream: string
  /** 1 for the first event of its stream, then 1 more each. */
  readonly revision: number
  readonly event: E
}

/** Another process appended first. The caller reads and decides again. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  stream: Schema.String,
  expected: Schema.Int
}) {
  override get message(): string {
    return `${this.stream} has other events after revision ${this.expected}`
  }
}

/**
 * The log holds an event that this souffleur cannot read: a newer souffleur wrote it, or it is damaged. It is never
 * skipped (exit code 4).
 */
export class UnreadableEvent extends Schema.TaggedError<UnreadableEvent>()("UnreadableEvent", {
  stream: Schema.String,
  revision: Schema.Int,
  tag: Schema.String,
  version: Schema.Int,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 4
  override get message(): string {
    return `the event log cannot be used: event ${this.revision} of ${this.stream}${this.version === 0 ? "" : ` (${this.tag}, version ${this.version})`}: ${this.problem}`
  }
}

const goesOn = ". Nothing was decided on it. Start souffleur again: it goes on from the log as it is now"

/**
 * The store under the log failed: a full disk, a damaged or foreign file, or a lock held too long. Nothing was
 * acknowledged (exit code 4).
 */
export class LogUnusable extends Schema.TaggedError<LogUnusable>()("LogUnusable", {
  reason: Schema.Literals([
    "missing",
    "foreign",
    "damaged",
    "newer",
    "locked",
    "full",
    "failed",
    "shortened",
    "replaced"
  ]),
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 4
  override get message(): string {
    const hasMoved = this.reason === "shortened" || this.reason === "replaced"
    return `the event log cannot be used: ${this.problem}${hasMoved ? goesOn : ""}`
  }
  /** True if the reason may pass by itself: a lock, a full disk, a file that could not be read. */
  get isPassing(): boolean {
    return this.reason === "locked" || this.reason === "full" || this.reason === "failed"
  }
  /** Makes the error of the log from an error of its database file. */
  static readonly ofFile = ({ message, reason }: SqliteUnusable): LogUnusable =>
    new LogUnusable({ reason, problem: message })
}

/**
 * Makes the error of a stream that lost its newest events. Rows were deleted, or an older copy took the log's place.
 */
export const shortened = (stream: string, revision: number) =>
  new LogUnusable({
    reason: "shortened",
    problem: `event ${revision} of ${stream} is no longer there: the log was cut, or an older copy was put in its place`
  })

/** Makes the error of a gap: a revision is missing between two others. */
export const missing = (stream: string, revision: number) =>
  new UnreadableEvent({
    stream,
    revision,
    tag: "none",
    version: 0,
    problem: "it is missing, and later events are there"
  })

/** The errors of a log that is read. */
export type ReadError = UnreadableEvent | LogUnusable

/** The streams of one kind of aggregate. Streams of another kind are in the same table, and are not seen. */
export interface Log<E> {
  /**
   * Appends all events or none, and returns the new revision. Fails with `Conflict` unless the stream is at
   * `expectedRevision` exactly. 0 means that the stream must not exist yet. An empty array appends nothing and checks
   * nothing.
   */
  readonly append: (
    stream: string,
    expectedRevision: number,
    events: ReadonlyArray<E>
  ) => Effect.Effect<number, Conflict | LogUnusable>
  /**
   * Returns the events after a revision, in order, up to the revision `upTo` or to the newest. Fails where the revision
   * `after` is not there (any more), or where a revision is missing.
   */
  readonly read: (
    stream: string,
    after: number,
    upTo?: number
  ) => Effect.Effect<ReadonlyArray<RecordedAs<E>>, ReadError>
  /** Streams every event after a position, by pages, until the end of the log. */
  readonly readAll: (after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /**
   * Streams every event of the stream after a revision, then every later event, from any process. It misses and repeats
   * none, and does not end.
   */
  readonly changes: (stream: string, after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /** Streams the same of all streams, after a position, in the order of the log. */
  readonly changesAll: (after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /** Hints that there may be more events, of any process. A hint can be early, doubled, or for several appends. */
  readonly moves: Stream.Stream<void>
  /** Returns the names of all streams, oldest first. */
  readonly streams: Effect.Effect<ReadonlyArray<string>, LogUnusable>
  /** Folds of its streams, which may be lost at any time. */
  readonly snapshots: Snapshots
}

/**
 * Streams the events that `read` finds after `from`, then later events. `hints` only hint that there may be more. `at`
 * gives the place of an event.
 */
export const following = <E, Err>(
  hints: Effect.Effect<PubSub.Subscription<void>, never, Scope.Scope>,
  from: number,
  read: (last: number) => Effect.Effect<ReadonlyArray<RecordedAs<E>>, Err>,
  at: (last: RecordedAs<E>) => number
): Stream.Stream<RecordedAs<E>, Err> =>
  Stream.unwrap(
    Effect.map(hints, (hints) =>
      Stream.paginate(
        from,
        Effect.fnUntraced(function* (last: number) {
          let more = yield* read(last)
          while (more.length === 0) {
            yield* PubSub.take(hints)
            more = yield* read(last)
          }
          return [more, Option.some(at(more.at(-1)!))] as const
        })
      )
    )
  )

/**
 * Makes a log that dies with its process, for tests and simulations. It passes the same test suite as the log on disk.
 */
export const memoryLog = Effect.fnUntraced(function* <E>() {
  const all: Array<RecordedAs<E>> = []
  const streams = new Map<string, Array<RecordedAs<E>>>()
  const moved = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  const after = (stream: string, revision: number) => (streams.get(stream) ?? []).slice(revision)
  const upTo = (stream: string, revision: number) =>
    revision > (streams.get(stream)?.length ?? 0)
      ? Effect.fail(shortened(stream, revision))
      : Effect.succeed(after(stream, revision))
  const log: Log<E> = {
    append: Effect.fnUntraced(function* (stream, expectedRevision, events) {
      if (events.length === 0) return expectedRevision
      const recorded = streams.get(stream) ?? []
      if (recorded.length !== expectedRevision) return yield* new Conflict({ stream, expected: expectedRevision })
      streams.set(stream, recorded)
      for (const event of events) {
        const next = { position: all.length + 1, stream, revision: recorded.length + 1, event }
        recorded.push(next)
        all.push(next)
      }
      yield* PubSub.publish(moved, undefined)
      return recorded.length
    }, Effect.uninterruptible),
    read: (stream, revision, last) =>
      Effect.map(
        Effect.suspend(() => upTo(stream, revision)),
        (found) => (last === undefined ? found : found.slice(0, Math.max(0, last - revision)))
      ),
    readAll: (position) => Stream.fromIterableEffect(Effect.sync(() => all.slice(position))),
    changes: (stream, revision) =>
      following(
        PubSub.subscribe(moved),
        revision,
        (last) => upTo(stream, last),
        (last) => last.revision
      ),
    changesAll: (position) =>
      following(
        PubSub.subscribe(moved),
        position,
        (last) => Effect.sync(() => all.slice(last)),
        (last) => last.position
      ),
    moves: Stream.fromPubSub(moved),
    streams: Effect.sync(() => [...streams.keys()]),
    snapshots: memorySnapshots()
  }
  return log
})
