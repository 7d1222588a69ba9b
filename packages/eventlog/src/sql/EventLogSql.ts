import { Deferred, Duration, Effect, Layer, Option, PubSub, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Beats } from "../Beats.ts"
import type { EventCodec, Tagged } from "../EventCodec.ts"
import { makeGroupCommit } from "./GroupCommit.ts"
import { following, type Log, type RecordedAs } from "../Log.ts"
import * as turns from "../LaunchSlots.ts"
import { columns, pagesOf, recorded, type Row, type Select } from "./LogRows.ts"
import { Offspring } from "../Offspring.ts"
import { sqlSnapshots } from "../snapshot/SnapshotsSql.ts"
import { Cursor } from "../Cursor.ts"
import { defaultLockTimeout, onlySqlite, patiently, StillThere, TablePrefix } from "../Store.ts"

/** Rows of one read, which are in memory at once, and of the first read of all events. */
const [pageRows, firstRows] = [1000, 50]
/**
 * The longest poll interval, in ms, of a log that no other process writes. It is whole, as all times of the log are.
 */
const quietPollMillis = 1000
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

/**
 * Opens the streams of one kind of aggregate, in a SQLite database that has the schema of `Store.ts`. Fails with
 * `LogUnusable` where it cannot be used.
 */
export const logOf = Effect.fnUntraced(function* <E extends Tagged>(
  codec: EventCodec<E>,
  { lockTimeout = defaultLockTimeout, pollEvery = "100 millis" }: EventLogSqlOptions = {}
) {
  const own = codec.prefix === null ? "stream NOT GLOB '*/*'" : `stream GLOB '${codec.prefix}*'`
  /** A hint that the log moved, without content. Each follower then reads: a hint can be early, doubled or dropped. */
  const moved = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  const decoded = recorded(codec)
  yield* onlySqlite
  const sql = yield* SqlClient.SqlClient
  const table = `${yield* TablePrefix}events`
  const stillThere = yield* StillThere
  const waiting = <A>(statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.andThen(stillThere, patiently(lockTimeout)(statement))
  const append = yield* makeGroupCommit({ codec, waiting, moved: PubSub.publish(moved, undefined) })

  const select: Select = (statement, parameters) =>
    waiting(sql.unsafe(statement, parameters).values as unknown as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>)
  const rows = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.flatMap(select(statement, parameters), decoded)

  const pageOf = pagesOf(codec, select, table, pageRows)
  const pageOfAll = (after: number, maxRows = pageRows) =>
    rows(`SELECT ${columns} FROM ${table} WHERE position > ? AND ${own} ORDER BY position LIMIT ${maxRows}`, [after])

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
    Stream.paginate({ last: after, maxRows: firstRows }, ({ last, maxRows }) =>
      Effect.map(pageOfAll(last, maxRows), (more) => {
        const next = { last: more.at(-1)?.position ?? last, maxRows: pageRows }
        return [more, more.length < maxRows ? Option.none<typeof next>() : Option.some(next)] as const
      })
    )

  const followed = yield* Deferred.make<void>()
  const begun = <A, Err>(stream: Stream.Stream<A, Err>) =>
    Stream.unwrap(Effect.as(Deferred.succeed(followed, undefined), stream))
  // Each append is read by every follower, whose spans would say nothing of what it does with the events.
  const follow = (after: number, page: typeof pageOfAll, at: (last: RecordedAs<E>) => number) =>
    begun(following(moved, after, (last) => Effect.withTracerEnabled(page(last), false), at))
  const changes = (stream: string, after: number) =>
    follow(
      after,
      (last) => pageOf(stream, last),
      ({ revision }) => revision
    )
  const changesAll = (after: number) => follow(after, pageOfAll, ({ position }) => position)
  const moves = begun(Stream.fromPubSub(moved))

  const streams = waiting(
    sql.unsafe(`SELECT stream FROM ${table} WHERE revision = 1 AND ${own} ORDER BY position`, []).values
  ).pipe(
    Effect.map((found) => found.map(([stream]) => String(stream))),
    Effect.withSpan("EventLog.streams")
  )

  /** Changes when another connection committed, and only then. */
  const version = Effect.map(sql.unsafe("PRAGMA data_version", []).values, (found) => found[0]?.[0])
  /** Changes with the events alone. Neighbours beat and mark in the same file, which wakes no follower. */
  const newest = Effect.map(sql.unsafe(`SELECT max(position) FROM ${table}`, []).values, (found) => found[0]?.[0])
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
