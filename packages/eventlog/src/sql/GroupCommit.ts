import { Array as Arr, Context, Deferred, Effect, Exit, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { EventCodec, Tagged } from "../EventCodec.ts"
import { Conflict, type LogUnusable } from "../Log.ts"
import { TablePrefix } from "../Store.ts"

/** Rows of one statement, which are in memory at once, unless one append has more. */
const maxBatched = 1000
/** The most rows of one append: SQLite takes 32766 values in a statement. */
const maxAppended = 4096

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
const insert = (prefix: string, rows: number) =>
  `WITH pending (stream, expected, revision, tag, version, at, data) AS (VALUES ${Arr.makeBy(rows, () => "(?, ?, ?, ?, ?, ?, ?)").join(", ")})
  INSERT INTO ${prefix}events (stream, revision, tag, version, at, data)
  SELECT stream, revision, tag, version, at, data FROM pending
  WHERE (SELECT coalesce(max(revision), 0) FROM ${prefix}events AS own WHERE own.stream = pending.stream) = expected
  RETURNING stream`

/**
 * Makes the `append` of a log in SQLite. Appends that come at once share a statement, and its sync. `waiting` waits for
 * a lock of another process. `moved` is told the streams that events were written to.
 */
export const makeGroupCommit = Effect.fnUntraced(function* <E extends Tagged>({
  codec,
  moved,
  waiting
}: {
  readonly codec: EventCodec<E>
  readonly moved: (streams: ReadonlySet<string>) => Effect.Effect<unknown>
  readonly waiting: <A>(statement: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, LogUnusable>
}) {
  const sql = yield* SqlClient.SqlClient
  const prefix = yield* TablePrefix
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
      if (batch.has(entry.stream) || (rows > 0 && rows + entry.rows > maxBatched)) {
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
    const won = Exit.isSuccess(written) ? new Set(written.value.map(({ stream }) => stream)) : new Set<string>()
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
    return won.size > 0 ? moved(won) : Effect.void
  }

  const commit = Effect.suspend(() => {
    const { batch, rows } = takeBatch()
    const power = Math.ceil(Math.log2(rows))
    const statement = (inserts[power] ??= insert(prefix, 2 ** power))
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

  // It has no span of its own, because the statement has one. A span would take a tenth of the time of an append.
  return (stream: string, expectedRevision: number, events: ReadonlyArray<E>) =>
    // An interrupted caller leaves once the log has the events or never will.
    Effect.uninterruptible(
      Effect.withFiber(({ context }) => {
        if (events.length === 0) return Effect.succeed(expectedRevision)
        if (Option.isSome(Context.getOption(context, sql.transactionService)))
          return Effect.die(new Error("no event is appended in a transaction, which could take it back"))
        if (events.length > maxAppended)
          return Effect.die(new Error(`at most ${maxAppended} events are appended at once`))
        const outcome = enqueue(stream, expectedRevision, events)
        if (committing) return outcome
        committing = true
        return Effect.andThen(beginCommits, outcome)
      })
    )
})
