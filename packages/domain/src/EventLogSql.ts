import { Array as Arr, type Duration, Effect, Exit, Layer, Option, PubSub, Result, Semaphore, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Beats } from "./Beats.ts"
import { decodeEvent, encodeEvent } from "./EventCodec.ts"
import { Conflict, EventLog, type LogUnusable, type Recorded, type UnreadableEvent } from "./EventLog.ts"
import { Outbox } from "./Outbox.ts"
import { lockPatience, patiently } from "./Store.ts"

/** Rows of one read, and of one write: what is in memory at once. */
const page = 1000
/** SQLite takes 32766 values in a statement. */
const mostRows = 4096

export interface EventLogSqlOptions {
  /** How often other processes' appends are looked for; ours are known at once. Default 100 milliseconds. */
  readonly pollEvery?: Duration.Input
  /** How long a lock of another process is waited for. Default 5 seconds. */
  readonly patience?: Duration.Input
}

/** One caller's append, until a commit settles it. */
interface Pending {
  readonly stream: string
  readonly expected: number
  readonly rows: number
  /** Seven for each row, in the order of {@link insert}. */
  readonly values: ReadonlyArray<unknown>
  settled: Effect.Effect<number, Conflict | LogUnusable> | undefined
}

/**
 * Every stream of a commit has its own guard: its rows go in when it stands where its caller decided, all or none. Rows
 * of NULLs fill up to a power of two, so that a handful of prepared statements serve every size.
 */
const insert = (rows: number) =>
  `WITH pending (stream, expected, revision, tag, version, at, data) AS (VALUES ${Arr.makeBy(rows, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ")})
  INSERT INTO events (stream, revision, tag, version, at, data)
  SELECT stream, revision, tag, version, at, data FROM pending
  WHERE (SELECT coalesce(max(revision), 0) FROM events WHERE events.stream = pending.stream) = expected
  RETURNING stream`

type Row = readonly [position: number, stream: string, revision: number, tag: string, version: number, at: number, data: string]
const columns = "position, stream, revision, tag, version, at, data"

const recorded = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Recorded>, UnreadableEvent> => {
  const events: Array<Recorded> = []
  for (const [position, stream, revision, tag, version, at, data] of rows) {
    const event = decodeEvent(stream, revision, { tag, version, at, data })
    if (Result.isFailure(event)) return Effect.fail(event.failure)
    events.push({ position, stream, revision, event: event.success })
  }
  return Effect.succeed(events)
}

const make = Effect.fnUntraced(function* ({ patience = lockPatience, pollEvery = "100 millis" }: EventLogSqlOptions) {
  const sql = yield* SqlClient.SqlClient
  const waiting = patiently(patience)
  // Says that the log moved, never how: whoever follows it reads, so that a hint can be early, doubled or dropped.
  const moved = yield* PubSub.sliding<void>({ capacity: 1, replay: 1 })
  const writer = yield* Semaphore.make(1)
  const pending: Array<Pending> = []

  /** What one statement can write: the oldest append of each stream. Others of that stream come after its outcome. */
  const takeBatch = () => {
    const batch = new Map<string, Pending>()
    let rows = 0
    for (const entry of pending) {
      if (batch.has(entry.stream) || (batch.size > 0 && rows + entry.rows > page)) continue
      batch.set(entry.stream, entry)
      rows += entry.rows
    }
    return { batch, rows }
  }

  const commit = Effect.gen(function* () {
    // Fibers that are about to append join this commit, and share its sync.
    yield* Effect.yieldNow
    const { batch, rows } = takeBatch()
    const size = 2 ** Math.ceil(Math.log2(rows))
    const values: Array<unknown> = []
    for (const entry of batch.values()) for (const value of entry.values) values.push(value)
    while (values.length < size * 7) values.push(null)
    const written = yield* Effect.exit(waiting(sql.unsafe(insert(size), values).values))
    const won = Exit.isSuccess(written) ? new Set(written.value.map(([stream]) => stream)) : new Set()
    for (const entry of batch.values()) {
      entry.settled = Exit.isFailure(written)
        ? Effect.failCause(written.cause)
        : won.has(entry.stream)
          ? Effect.succeed(entry.expected + entry.rows)
          : Effect.fail(new Conflict({ stream: entry.stream, expected: entry.expected }))
    }
    pending.splice(0, pending.length, ...pending.filter((entry) => entry.settled === undefined))
    if (won.size > 0) yield* PubSub.publish(moved, undefined)
  })

  const append = Effect.fn("EventLog.append")(function* (
    stream: string,
    expectedRevision: number,
    events: ReadonlyArray<Parameters<typeof encodeEvent>[0]>
  ) {
    if (events.length === 0) return expectedRevision
    if (events.length > mostRows) return yield* Effect.die(`at most ${mostRows} events are appended at once`)
    const values: Array<unknown> = []
    for (const [index, event] of events.entries()) {
      const { at, data, tag, version } = encodeEvent(event)
      values.push(stream, expectedRevision, expectedRevision + index + 1, tag, version, at, data)
    }
    const entry: Pending = { stream, expected: expectedRevision, rows: events.length, values, settled: undefined }
    pending.push(entry)
    while (entry.settled === undefined) {
      yield* writer.withPermit(Effect.suspend(() => (entry.settled === undefined ? commit : Effect.void)))
    }
    return yield* entry.settled
  }, Effect.uninterruptible)

  const rows = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.flatMap(
      waiting(sql.unsafe(statement, parameters).values as Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>),
      (found) => recorded(found as unknown as ReadonlyArray<Row>)
    )
  const pageOf = (stream: string, after: number) =>
    rows(`SELECT ${columns} FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ${page}`, [stream, after])
  const pageOfAll = (after: number) => rows(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ${page}`, [after])

  const read = Effect.fn("EventLog.read")(function* (stream: string, after: number) {
    const events: Array<Recorded> = []
    for (;;) {
      const more = yield* pageOf(stream, events.at(-1)?.revision ?? after)
      for (const event of more) events.push(event)
      if (more.length < page) return events
    }
  })

  const readAll = (after: number) =>
    Stream.paginate(after, (last) =>
      Effect.map(
        pageOfAll(last),
        (more) => [more, more.length < page ? Option.none<number>() : Option.some(more.at(-1)!.position)] as const
      )
    )

  const changes = (stream: string, after: number) =>
    Stream.unwrap(
      Effect.map(PubSub.subscribe(moved), (hints) =>
        Stream.paginate(
          after,
          Effect.fnUntraced(function* (last: number) {
            let more = yield* pageOf(stream, last)
            while (more.length === 0) {
              yield* PubSub.take(hints)
              more = yield* pageOf(stream, last)
            }
            return [more, Option.some(more.at(-1)!.revision)] as const
          })
        )
      )
    )

  const streams = waiting(sql.unsafe("SELECT stream FROM events WHERE revision = 1 ORDER BY position", []).values).pipe(
    Effect.map((found) => found.map(([stream]) => String(stream))),
    Effect.withSpan("EventLog.streams")
  )

  /** Moves when another connection committed, and only then. */
  const version = Effect.map(sql.unsafe("PRAGMA data_version", []).values, (found) => found[0]?.[0])
  let known = yield* waiting(version)
  yield* waiting(sql.unsafe("SELECT position FROM events LIMIT 0", []).values)
  yield* Effect.sleep(pollEvery).pipe(
    Effect.andThen(version),
    // Whoever follows the log reads then, and has the error as its own.
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((now) => {
      if (now === known) return Effect.void
      known = now
      return PubSub.publish(moved, undefined)
    }),
    Effect.forever,
    Effect.withTracerEnabled(false),
    Effect.forkScoped
  )

  return EventLog.of({ append, read, readAll, changes, streams })
})

/** The log, its beats and its outbox in a SQLite file that has the schema of `Store.ts`. */
export const layerWith = (options: EventLogSqlOptions): Layer.Layer<EventLog | Beats | Outbox, LogUnusable, SqlClient.SqlClient> =>
  Layer.mergeAll(Layer.effect(EventLog, make(options)), Beats.layerSql, Outbox.layerSql)

export const layer = layerWith({})
