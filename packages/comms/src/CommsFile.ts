import { CommsUnavailable } from "@souffleur/domain"
import { Sqlite } from "@souffleur/eventlog"
import { Effect, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { commsFault } from "./CommsFault.ts"
import { type Columns, inspect, lacking } from "./CommsSchema.ts"

/** Opens the comms file at `path` for short uses, one after the other (spec: behaviour#use-of-comms). */
export const commsFile = Effect.fnUntraced(function* (path: string) {
  const sqlite = yield* Sqlite
  const turn = yield* Semaphore.make(1)
  const unavailable = (reason: CommsUnavailable["reason"], problem: string) =>
    new CommsUnavailable({ path, reason, problem })

  // The file is opened for each use and closed after it, so a replaced file is simply used next. An open connection
  // would also keep the write-ahead log of a file that its owners have closed. SQLite would then replay that log into a
  // new file of the same name.
  // Uses run one at a time. A part of this process can open and close the file itself. That releases the POSIX locks of
  // all connections of this process to it.
  // Each use is one transaction with the inspection of the tables. So no table becomes a view or gets a trigger in
  // between. A failed use closes the connection in the transaction, which rolls it back. If the transaction continued,
  // it would acknowledge writes that are not kept.
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
        // Even here the driver asks for the last id, which may exceed a safe number.
        yield* Effect.provideService(sql`COMMIT`, SqlClient.SafeIntegers, true)
        return done
      }).pipe(Effect.scoped, Effect.mapError(commsFault(path)), turn.withPermits(1))
  const [reading, writing] = [using("BEGIN"), using("BEGIN IMMEDIATE")]

  /** Turns a violated CHECK of a table into a sentence about the schema. */
  const refused = (sentence: string) => (error: SqlError.SqlError) =>
    Effect.fail(
      error.reason._tag === "ConstraintError" ? unavailable("schema", `${sentence}: ${error.message}`) : error
    )

  /** Fails if an UPDATE of the task's row found no row. */
  const rowUpdated = (task: string) => (rows: ReadonlyArray<unknown>) =>
    rows.length > 0 ? Effect.void : Effect.fail(unavailable("row", `the row ${task} is missing in orchestration_tasks`))

  /** Sets `last_heartbeat`, and never moves it backwards. A value that SQLite cannot read as a time is replaced. */
  const beaten = (sql: SqlClient.SqlClient, time: string) =>
    sql`last_heartbeat = CASE WHEN julianday(last_heartbeat) >= julianday(${time}) THEN last_heartbeat ELSE ${time} END`
  const beat = (sql: SqlClient.SqlClient, task: string, time: string) =>
    Effect.flatMap(
      sql`UPDATE orchestration_tasks SET ${beaten(sql, time)} WHERE task_id = ${task} RETURNING task_id`,
      rowUpdated(task)
    )

  return { reading, writing, unavailable, refused, rowUpdated, beat, beaten }
})
