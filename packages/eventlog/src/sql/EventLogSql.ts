import { Deferred, Duration, Effect, Layer, Option, PubSub, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Beats } from "../Beats.ts"
import type { EventCodec, Tagged } from "../EventCodec.ts"
import { makeGroupCommit } from "./GroupCommit.ts"
import { type FollowedStream, hintsOf } from "./Hints.ts"
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
/** Events of a stream that a slow follower still finds in memory. */
const maxTail = 64

/** The events of a stream after a revision, as they were when its hints had this version. */
interface Tail<E> {
  readonly version: number
  readonly after: number
  readonly events: ReadonlyArray<RecordedAs<E>>
}

/** Joins the newest events of a tail to those that were read before, where they meet. */
const joined = <E>(before: Tail<E> | undefined, { after, events, version }: Tail<E>): Tail<E> => {
  const kept = before === undefined ? 0 : after - before.after
  if (before === undefined || kept < 0 || kept > before.events.length) return { version, after, events }
  const all = [...before.events.slice(0, kept), ...events]
  const left = Math.max(0, all.length - Math.max(maxTail, events.length))
  return { version, after: before.after + left, events: all.slice(left) }
}

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
  const isOwn = (stream: string) => (codec.prefix === null ? !stream.includes("/") : stream.startsWith(codec.prefix))
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
  const hints = hintsOf(sql, table)
  yield* hints.log({ isOwn, moved })
  const append = yield* makeGroupCommit({ codec, waiting, moved: (streams) => hints.tell(streams) })

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

  const begun = <A, Err>(stream: Stream.Stream<A, Err>) =>
    Stream.unwrap(Effect.as(Deferred.succeed(hints.followed, undefined), stream))
  // Each append is read by every follower, whose spans would say nothing of what it does with the events.
  const quiet = Effect.withTracerEnabled(false)
  /** The newest events of each followed stream, as a follower read them. They are all, until a hint comes. */
  const tails = new WeakMap<FollowedStream, Tail<E>>()
  const changes = (stream: string, after: number) =>
    begun(
      Stream.unwrap(
        Effect.map(hints.stream(stream), (followed) => {
          const page = Effect.fnUntraced(function* (last: number) {
            const tail = tails.get(followed)
            const from = last - (tail?.after ?? 0)
            if (tail?.version === followed.version && from >= 0 && from <= tail.events.length)
              return tail.events.slice(from)
            const { version } = followed
            const events = yield* pageOf(stream, last)
            if (events.length < pageRows) tails.set(followed, joined(tail, { version, after: last, events }))
            return events
          })
          return following(
            PubSub.subscribe(followed.moved),
            after,
            (last) => quiet(page(last)),
            ({ revision }) => revision
          )
        })
      )
    )
  const changesAll = (after: number) =>
    begun(
      following(
        PubSub.subscribe(moved),
        after,
        (last) => quiet(pageOfAll(last)),
        ({ position }) => position
      )
    )
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
  hints.seen ??= { version: yield* waiting(version), end: yield* waiting(newest) }
  const pollMillis = Duration.toMillis(pollEvery)
  let pauseMillis = pollMillis
  /** Returns the streams that others have written to since an end; `undefined`: any, as where the log was cut. */
  const movedSince = (end: unknown, now: unknown) =>
    typeof end !== "number" || typeof now !== "number" || now < end
      ? Effect.undefined
      : Effect.map(
          sql.unsafe(`SELECT DISTINCT stream FROM ${table} WHERE position > ?`, [end]).values,
          (found) => new Set(found.map(([stream]) => String(stream)))
        )
  /** Returns whether anything moved since the last look of any log, and tells the followers. */
  const look = Effect.gen(function* () {
    const { end, version: known } = hints.seen!
    const found = yield* stillThere.pipe(
      Effect.andThen(version),
      Effect.flatMap((now) =>
        now === known ? Effect.succeed(hints.seen!) : Effect.map(newest, (end) => ({ version: now, end }))
      ),
      // A follower of the log reads next, and gets the error itself.
      Effect.orElseSucceed(() => ({ version: known, end: undefined }))
    )
    hints.seen = found
    if (found.end === end) return false
    yield* hints.tell(yield* Effect.orElseSucceed(movedSince(end, found.end), () => undefined))
    return true
  })
  yield* Effect.suspend(() => Effect.sleep(pauseMillis)).pipe(
    Effect.andThen(look),
    Effect.map((moved) => {
      pauseMillis = moved ? pollMillis : Math.max(pollMillis, Math.min(Math.ceil(pauseMillis * 1.2), quietPollMillis))
    }),
    Effect.forever,
    (looks) => Effect.andThen(Deferred.await(hints.followed), looks),
    // Another log over the connection goes on with the looks when this one is closed.
    hints.looks.withPermits(1),
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
