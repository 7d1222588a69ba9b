import { Effect, Layer, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

type Row = Array<SQLInputValue> & Record<string, SQLInputValue>
export interface SqliteOptions {
  readonly filename: string
  /** Milliseconds. node:sqlite waits inside the call: the whole process stands still meanwhile, so keep it short and retry in Effect. */
  readonly busyTimeout?: number
  readonly readOnly?: boolean
  /** Only for a file of our own: WAL is written into the file. */
  readonly wal?: boolean
}
const sqlError = (operation: string) => (cause: unknown) =>
  new SqlError.SqlError({
    reason: SqlError.classifySqliteError(
      cause instanceof Error && "errcode" in cause ? Object.assign(cause, { errno: cause.errcode }) : cause,
      { message: `SQLite: ${String((cause as Error)?.message)}`, operation }
    )
  })

/** `node:sqlite` as an Effect SqlClient: one connection, statements one by one, transactions begin IMMEDIATE. */
export const make = Effect.fnUntraced(function* ({ busyTimeout = 50, filename, readOnly = false, wal = false }: SqliteOptions) {
  const db = yield* Effect.acquireRelease(
    Effect.try({ try: () => new DatabaseSync(filename, { readOnly, timeout: busyTimeout }), catch: sqlError("open") }),
    (db) => Effect.sync(() => db.close())
  )
  yield* Effect.try({ try: () => db.exec(wal ? "PRAGMA journal_mode = WAL" : "PRAGMA schema_version"), catch: sqlError("open") })
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      if (prepared.size < 200) prepared.set(sql, statement)
    }
    return statement
  }
  const run = (sql: string, params: ReadonlyArray<unknown>, arrays = false) =>
    Effect.try({
      catch: sqlError("execute"),
      try: (): ReadonlyArray<Row> => {
        const statement = prepare(sql)
        statement.setReturnArrays(arrays)
        return statement.all(...(params as Array<SQLInputValue>)) as unknown as ReadonlyArray<Row>
      }
    })
  const execute: SqlConnection.Connection["execute"] = (sql, params, f) => (f ? Effect.map(run(sql, params), f) : run(sql, params))
  const connection: SqlConnection.Connection = {
    execute,
    executeUnprepared: execute,
    executeRaw: run,
    executeValues: (sql, params) => run(sql, params, true),
    executeValuesUnprepared: (sql, params) => run(sql, params, true),
    executeStream: () => Stream.die("read in pages")
  }
  return yield* SqlClient.make({
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => db.isTransaction
    }),
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

import { Sqlite, SqliteUnusable } from "@souffleur/domain"
import * as fs from "node:fs"
export const sqliteLayer = Layer.succeed(Sqlite, {
  openForeign: (path) =>
    fs.existsSync(path)
      ? make({ filename: path }).pipe(
          Effect.provide(Reactivity.layer),
          Effect.mapError(
            (e) =>
              new SqliteUnusable({
                path,
                reason:
                  e.reason._tag === "LockTimeoutError"
                    ? "locked"
                    : (e.reason.cause as { errno?: number }).errno === 26
                      ? "foreign"
                      : "failed",
                detail: e.message
              })
          )
        )
      : Effect.fail(new SqliteUnusable({ path, reason: "missing", detail: "missing" }))
})
