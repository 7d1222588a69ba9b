import { CommsUnavailable } from "@souffleur/domain"
import { Sqlite } from "@souffleur/eventlog"
import { Effect, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { commsFault } from "./CommsFault.ts"
import { type Columns, inspect, lacking } from "./CommsSchema.ts"

/** The comms file at `path`, for one short use after the other (spec: behaviour#use-of-comms). */
export const commsFile = Effect.fnUntraced(function* (path: string) {
  const sqlite = yield* Sqlite
  const turn = yield* Semaphore.make(1)
  const unavailable = (reason: CommsUnavailable["reason"], problem: string) =>
    new CommsUnavailable({ path, reason, problem })

  // Opened for each use and closed after it, so that a file that was replaced is simply the next one. A connection kept
  // open would also keep the write-ahead log of a file that its owners have closed, and SQLite would replay it into a
  // new file that comes under the same name. One at a time: whoever opens the file itself, and closes it (to look at
  // its first bytes, say), takes away the POSIX locks of every connection that this process has to it. In one
  // transaction with the look at the tables, so that nobody makes a view or a trigger of them in between. Where it
  // fails, the connection is closed in its midst, which takes it back: one that went on would acknowledge what is not
  // kept.
  const using =
    (begin: "BEGIN" | "BEGIN IMMEDIATE") =>
    <A>(act: (sql: SqlClient.SqlClient, columns: Columns) => Effect.Effect<A, SqlError.SqlError | CommsUnavailable>) =>
      Effect.gen(function* () {
        const sql = yield* sqlite.openForeign(path)
        if (begin === "BEGIN") yield* sql`PRAGMA query_only = ON`
        yield* sql.unsafe(begin)
        const found = yield* inspect(sql)
        const lack = lacking(found)
        if (lack !== undefined) return yield* unavailable("schema", lack)
        const done = yield* act(sql, found.columns)
        // The driver asks for the last id even now, which may be greater than what a number can say.
        yield* Effect.provideService(sql`COMMIT`, SqlClient.SafeIntegers, true)
        return done
      }).pipe(Effect.scoped, Effect.mapError(commsFault(path)), turn.withPermits(1))
  const [reading, writing] = [using("BEGIN"), using("BEGIN IMMEDIATE")]

  /** What a CHECK of the table's does not allow, told as that. */
  const refused = (sentence: string) => (error: SqlError.SqlError) =>
    Effect.fail(
      error.reason._tag === "ConstraintError" ? unavailable("schema", `${sentence}: ${error.message}`) : error
    )

  /** An UPDATE of that task's row came to these rows. */
  const rowUpdated = (task: string) => (rows: ReadonlyArray<unknown>) =>
    rows.length > 0
      ? Effect.void
      : Effect.fail(unavailable("schema", `the row ${task} is missing in orchestration_tasks`))

  /**
   * `last_heartbeat`, never moved backwards. A value that SQLite cannot read as a time is no later time: ours takes its
   * place.
   */
  const beaten = (sql: SqlClient.SqlClient, time: string) =>
    sql`last_heartbeat = CASE WHEN julianday(last_heartbeat) >= julianday(${time}) THEN last_heartbeat ELSE ${time} END`
  const beat = (sql: SqlClient.SqlClient, task: string, time: string) =>
    Effect.flatMap(
      sql`UPDATE orchestration_tasks SET ${beaten(sql, time)} WHERE task_id = ${task} RETURNING task_id`,
      rowUpdated(task)
    )

  return { reading, writing, unavailable, refused, rowUpdated, beat, beaten }
})
