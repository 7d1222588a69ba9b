import { Array as Arr, Deferred, Duration, Effect, Exit, Layer, Option, PubSub, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Beats } from "./Beats.ts"
import type { EventCodec, Tagged } from "./EventCodec.ts"
import { Conflict, following, type Log, type LogUnusable, type RecordedAs } from "./Log.ts"
import * as turns from "./LaunchSlots.ts"
import { columns, pagesOf, recorded, type Row, type Select } from "./LogRows.ts"
import { Offspring } from "./Offspring.ts"
import { sqlSnapshots } from "./snapshot/SnapshotsSql.ts"
import { Cursor } from "./Cursor.ts"
import { defaultLockTimeout, patiently, StillThere } from "./Store.ts"

/** Rows of one read or one write, which are in memory at once. */
const pageRows = 1000
/**
 * The longest poll interval, in ms, of a log that no other process writes. It is whole, as all times of the log are.
 */
const quietPollMillis = 1000
/** The most rows of one append: SQLite takes 32766 values in a statement. */
const maxAppended = 4096

/** The times of a log in SQLite. */
export interface EventLogSqlOptions {
  /**
   * The interval in which appends of other processes are looked for. This process knows its own at once. Default 100
   * milliseconds. It grows to a second while no event comes, since each look wakes an idle process.
   */
  readonly pollEvery?: Duration.Input
  /** The longest wait for a lock of another process. Default 5 seconds. */
  readonly lockTimeout?: Duration.Input
}

/** One append, until a commit settles it. */
interface Pending {
  readonly stream: string
  readonly expected: number
  readonly rows: number
  /** Seven for each row, in the order of {@link insert}. */
  readonly values: ReadonlyArray<unknown>
  readonly outcome: Deferred.Deferred<number, Conflict | LogUnusable>
}

/**
 * Makes the statement of a commit. Each stream has its own guard. Its rows go in, all or none, while the stream is at
 * the expected revision. Rows of NULLs fill up to a power of two, so that a handful of prepared statements serve every
 * size.
 */
const insert = (rows: number) =>
  `WITH pending (stream, expected, revision, tag, version, at, data) AS (VALUES ${Arr.makeBy(rows, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ")})
  INSERT INTO events (stream, revision, tag, version, at, data)
  SELECT stream, revision, tag, version, at, data FROM pending
  WHERE (SELECT coalesce(max(revision), 0) FROM events WHERE events.stream = pending.stream) = expected
  RETURNING stream`

/**
 * Opens the streams of one kind of aggregate, in a SQLite file that has the schema of `Store.ts`. Fails with
 * `LogUnusable` where the file cannot be used.
 */
export const logOf = Effect.fnUntraced(function* <E extends Tagged>(
  codec: EventCodec<E>,
  { lockTimeout = defaultLockTimeout, pollEvery = "100 millis" }: EventLogSqlOptions = {}
) {
  const own = codec.prefix === null ? "stream NOT GLOB '*/*'" : `stream GLOB '${codec.prefix}*'`
  /** A hint that the log moved, without content. Each follower then reads: a hint can be early, doubled or dropped. */
  const moved = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  const decoded = recorded(codec)
  const sql = yield* SqlClient.SqlClient
  const stillThere = yield* StillThere
  const waiting = <A>(statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.andThen(stillThere, patiently(lockTimeout)(statement))
  const scope = yield* Effect.scope
  let pending: Array<Pending> = []
  let committing = false
  const inserts: Array<string> = []

  /**
   * Takes the appends of one statement: the oldest append of each stream. Later appends of that stream wait for its
   * outcome.
   */
  const takeBatch = () => {
    const batch = new Map<string, Pending>()
    const later: Array<Pending> = []
    let rows = 0
    for (const entry of pending) {
      if (batch.has(entry.stream) || (rows > 0 && rows + entry.rows > pageRows)) {
        later.push(entry)
        continue
      }
      batch.set(entry.stream, entry)
      rows += entry.rows
    }
    pending = later
    return { batch, rows }
  }

  const settle = (
    batch: ReadonlyMap<string, Pending>,
    written: Exit.Exit<ReadonlyArray<{ readonly stream: string }>, LogUnusable>
  ) => {
    const won = Exit.isSuccess(written) ? new Set(written.value.map(({ stream }) => stream)) : new Set()
    for (const { expected, outcome, rows, stream } of batch.values()) {
      Deferred.doneUnsafe(
        outcome,
        Exit.isFailure(written)
          ? Exit.failCause(written.cause)
          : won.has(stream)
            ? Exit.succeed(expected + rows)
            : Exit.fail(new Conflict({ stream, expected }))
      )
    }
    return won.size > 0 ? PubSub.publish(moved, undefined) : Effect.void
  }

  const commit = Effect.suspend(() => {
    const { batch, rows } = takeBatch()
    const power = Math.ceil(Math.log2(rows))
    const statement = (inserts[power] ??= insert(2 ** power))
    const values: Array<unknown> = []
    for (const entry of batch.values()) for (const value of entry.values) values.push(value)
    while (values.length < 2 ** power * 7) values.push(null)
    return Effect.flatMap(Effect.exit(waiting(sql.unsafe<{ stream: string }>(statement, values))), (written) =>
      settle(batch, written)
    )
  })

  /** Commits until no append is pending. Appends that come during a commit share the next commit, and its sync. */
  const commits = Effect.gen(function* () {
    while (pending.length > 0) yield* commit
    committing = false
  })
  /**
   * Begins to commit. No interruption comes before the first commit, or in between. So a close first settles the
   * appends that the log took. A log that is closed begins no fiber, so the caller commits.
   */
  const beginCommits = Effect.suspend(() =>
    scope.state._tag === "Closed" ? commits : Effect.forkIn(commits, scope, { uninterruptible: true })
  )

  const enqueue = (stream: string, expected: number, events: ReadonlyArray<E>) => {
    const values: Array<unknown> = []
    for (const event of events) {
      const { at, data, tag, version } = codec.encode(event)
      values.push(stream, expected, expected + values.length / 7 + 1, tag, version, at, data)
    }
    const outcome = Deferred.makeUnsafe<number, Conflict | LogUnusable>()
    pending.push({ stream, expected, rows: events.length, values, outcome })
    return Deferred.await(outcome)
  }

  // `append` has no span of its own, because the statement has one. A span would take a tenth of the time of an append.
  const append = (stream: string, expectedRevision: number, events: ReadonlyArray<E>) =>
    // An interrupted caller leaves once the log has the events or never will.
    Effect.uninterruptible(
      Effect.suspend(() => {
        if (events.length === 0) return Effect.succeed(expectedRevision)
        if (events.length > maxAppended)
          return Effect.die(new Error(`at most ${maxAppended} events are appended at once`))
        const outcome = enqueue(stream, expectedRevision, events)
        if (committing) return outcome
        committing = true
        return Effect.andThen(beginCommits, outcome)
      })
    )

  const select: Select = (statement, parameters) =>
    waiting(sql.unsafe(statement, parameters).values as unknown as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>)
  const rows = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.flatMap(select(statement, parameters), decoded)

  const pageOf = pagesOf(codec, select, pageRows)
  const pageOfAll = (after: number) =>
    rows(`SELECT ${columns} FROM events WHERE position > ? AND ${own} ORDER BY position LIMIT ${pageRows}`, [after])

  const read = Effect.fn("EventLog.read")(function* (stream: string, after: number, upTo = Number.MAX_SAFE_INTEGER) {
    const events: Array<RecordedAs<E>> = []
    for (;;) {
      const from = events.at(-1)?.revision ?? after
      const maxRows = Math.min(pageRows, upTo - from)
      if (maxRows <= 0) return events
      const more = yield* pageOf(stream, from, maxRows)
      for (const event of more) events.push(event)
      if (more.length < maxRows) return events
    }
  })

  const readAll = (after: number) =>
    Stream.paginate(after, (last) =>
      Effect.map(
        pageOfAll(last),
        (more) => [more, more.length < pageRows ? Option.none<number>() : Option.some(more.at(-1)!.position)] as const
      )
    )

  const followed = yield* Deferred.make<void>()
  const begun = <A, Err>(stream: Stream.Stream<A, Err>) =>
    Stream.unwrap(Effect.as(Deferred.succeed(followed, undefined), stream))
  const follow = (after: number, page: typeof pageOfAll, at: (last: RecordedAs<E>) => number) =>
    begun(following(moved, after, page, at))
  const changes = (stream: string, after: number) =>
    follow(
      after,
      (last) => pageOf(stream, last),
      ({ revision }) => revision
    )
  const changesAll = (after: number) => follow(after, pageOfAll, ({ position }) => position)
  const moves = begun(Stream.fromPubSub(moved))

  const streams = waiting(
    sql.unsafe(`SELECT stream FROM events WHERE revision = 1 AND ${own} ORDER BY position`, []).values
  ).pipe(
    Effect.map((found) => found.map(([stream]) => String(stream))),
    Effect.withSpan("EventLog.streams")
  )

  /** Changes when another connection committed, and only then. */
  const version = Effect.map(sql.unsafe("PRAGMA data_version", []).values, (found) => found[0]?.[0])
  /** Changes with the events alone. Neighbours beat and mark in the same file, which wakes no follower. */
  const newest = Effect.map(sql.unsafe("SELECT max(position) FROM events", []).values, (found) => found[0]?.[0])
  let known = yield* waiting(version)
  let end = yield* waiting(newest)
  const pollMillis = Duration.toMillis(pollEvery)
  let pauseMillis = pollMillis
  yield* Effect.suspend(() => Effect.sleep(pauseMillis)).pipe(
    Effect.andThen(stillThere),
    Effect.andThen(version),
    Effect.flatMap((now) =>
      now === known ? Effect.succeed(end) : Effect.tap(newest, () => Effect.sync(() => (known = now)))
    ),
    // A follower of the log reads next, and gets the error itself.
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((now) => {
      pauseMillis =
        now === end ? Math.max(pollMillis, Math.min(Math.ceil(pauseMillis * 1.2), quietPollMillis)) : pollMillis
      if (now === end) return Effect.void
      end = now
      return PubSub.publish(moved, undefined)
    }),
    Effect.forever,
    // Each look wakes an idle process, so that none is taken of a log without followers.
    (looks) => Effect.andThen(Deferred.await(followed), looks),
    Effect.withTracerEnabled(false),
    Effect.forkScoped
  )

  return { append, read, readAll, changes, changesAll, moves, streams, snapshots: yield* sqlSnapshots } satisfies Log<E>
})

/** Provides the services beside the logs of a store: beats, cursor, offspring and launch slots. */
export const layerBeside = ({ lockTimeout = defaultLockTimeout }: EventLogSqlOptions = {}): Layer.Layer<
  Beats | Offspring | Cursor,
  never,
  SqlClient.SqlClient
> =>
  Layer.mergeAll(
    Beats.layerSql(lockTimeout),
    Offspring.layerSql(lockTimeout),
    Cursor.layerSql(lockTimeout),
    turns.layerSql(lockTimeout)
  )
