import { Effect, Option, PubSub, Runtime, Schema, Stream } from "effect"
import type { SqliteUnusable } from "./Sqlite.ts"

/** An event where it stands in the log. */
export interface RecordedAs<E> {
  /** Its place among all events of the log, growing, with gaps. */
  readonly position: number
  readonly stream: string
  /** 1 for the first event of its stream, then +1. */
  readonly revision: number
  readonly event: E
}

/** Somebody appended first: read again, decide again. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  stream: Schema.String,
  expected: Schema.Int
}) {
  override get message(): string {
    return `${this.stream} has other events after revision ${this.expected}`
  }
}

/**
 * The log holds what this souffleur cannot read: a newer one wrote it, or it is damaged. Never skipped (exit code 4).
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

const goesOn = ". Nothing was decided on it: started again, souffleur goes on from what is there now"
const movesAside = '. "souffleur doctor --quarantine" moves it aside and says how to go on'
/** What can be done about a log that no copy replaces. */
const remedies: Readonly<Record<string, string>> = {
  shortened: goesOn,
  replaced: goesOn,
  damaged: movesAside,
  foreign: movesAside
}

/**
 * The store under the log failed: full disk, damaged or foreign file, locked for too long. Nothing was acknowledged
 * (exit code 4).
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
    return `the event log cannot be used: ${this.problem}${remedies[this.reason] ?? ""}`
  }
  /** What is wrong with the database's file is wrong with the log. */
  static readonly ofFile = ({ message, reason }: SqliteUnusable): LogUnusable =>
    new LogUnusable({ reason, problem: message })
}

/** What was in a stream is not there any more: rows were deleted, or an older copy stands in the log's place. */
export const shortened = (stream: string, revision: number) =>
  new LogUnusable({
    reason: "shortened",
    problem: `event ${revision} of ${stream} was in it, and is not any more: it was cut, or an older copy was put in its place`
  })

/** Revisions follow each other: what is missing between two of them names itself. */
export const missing = (stream: string, revision: number) =>
  new UnreadableEvent({ stream, revision, tag: "none", version: 0, problem: "it is not there, and later ones are" })

export type ReadError = UnreadableEvent | LogUnusable

/** The streams of one kind of aggregate; those of another kind are in the same table, and are not seen. */
export interface Log<E> {
  /**
   * Appends all or none, when the stream stands at `expectedRevision` exactly (0: it must not exist yet); returns the
   * new revision. An empty array appends nothing and checks nothing.
   */
  readonly append: (
    stream: string,
    expectedRevision: number,
    events: ReadonlyArray<E>
  ) => Effect.Effect<number, Conflict | LogUnusable>
  /**
   * The events after a revision, in order, `upTo` one or to the newest. Fails where `after` is not there (any more), or
   * one is missing between two.
   */
  readonly read: (
    stream: string,
    after: number,
    upTo?: number
  ) => Effect.Effect<ReadonlyArray<RecordedAs<E>>, ReadError>
  /** Every event after a position, by pages, until the end of the log. */
  readonly readAll: (after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /**
   * Every event of the stream after a revision, then every later one, whoever appended it: no miss, no repeat. Does not
   * end.
   */
  readonly changes: (stream: string, after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /** The same of all streams, after a position, in the order of the log. */
  readonly changesAll: (after: number) => Stream.Stream<RecordedAs<E>, ReadError>
  /** Names of all streams, oldest first. */
  readonly streams: Effect.Effect<ReadonlyArray<string>, LogUnusable>
}

/**
 * What `read` finds after `from`, then what comes later: `moved` only hints that something may have. `at` is where an
 * event stands.
 */
export const following = <E, Err>(
  moved: PubSub.PubSub<void>,
  from: number,
  read: (last: number) => Effect.Effect<ReadonlyArray<RecordedAs<E>>, Err>,
  at: (last: RecordedAs<E>) => number
): Stream.Stream<RecordedAs<E>, Err> =>
  Stream.unwrap(
    Effect.map(PubSub.subscribe(moved), (hints) =>
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

/** A log that dies with its process: for tests and simulations, under the same suite as the one on disk. */
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
        moved,
        revision,
        (last) => upTo(stream, last),
        (last) => last.revision
      ),
    changesAll: (position) =>
      following(
        moved,
        position,
        (last) => Effect.sync(() => all.slice(last)),
        (last) => last.position
      ),
    streams: Effect.sync(() => [...streams.keys()])
  }
  return log
})
