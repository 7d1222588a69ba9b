import { Context, type Duration, Effect, Layer, Predicate, Schedule } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { LogUnusable } from "./Log.ts"
import { sqliteReasonOf } from "./Sqlite.ts"

/** `souf` in ASCII (`PRAGMA application_id`), the mark of souffleur's own SQLite files. */
export const applicationId = 0x736f7566

/**
 * The schema, with a prefix of the names of all tables, indexes and triggers. The n-th entry brings a database from
 * schema n - 1 to n. A released entry is never edited: a change is a new entry.
 */
const schemaOf = (p: string): ReadonlyArray<ReadonlyArray<string>> => [
  [
    `CREATE TABLE ${p}events (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      stream TEXT NOT NULL,
      revision INTEGER NOT NULL,
      tag TEXT NOT NULL,
      version INTEGER NOT NULL,
      at INTEGER NOT NULL,
      data TEXT NOT NULL,
      UNIQUE (stream, revision)
    ) STRICT`,
    // Finds the names of all streams without a scan of every event.
    `CREATE INDEX ${p}streams ON ${p}events (position) WHERE revision = 1`,
    `CREATE TABLE ${p}beats (watch TEXT PRIMARY KEY, role TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ${p}cursor (watch TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID`
  ],
  [`CREATE TABLE ${p}turns (name TEXT PRIMARY KEY, watch TEXT NOT NULL, next INTEGER NOT NULL) STRICT, WITHOUT ROWID`],
  [`CREATE TABLE ${p}offspring (conductor TEXT PRIMARY KEY, started TEXT NOT NULL) STRICT, WITHOUT ROWID`],
  [
    // Folds of the streams, which may be lost at any time (decision 0008).
    `CREATE TABLE ${p}folded (
      kind TEXT NOT NULL,
      stream TEXT NOT NULL,
      fingerprint TEXT NOT NULL,
      opened INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      position INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      keys TEXT NOT NULL,
      brief TEXT NOT NULL,
      state TEXT NOT NULL,
      PRIMARY KEY (kind, stream)
    ) STRICT`,
    `CREATE INDEX ${p}folded_living ON ${p}folded (kind, fingerprint) WHERE ended = 0`,
    `CREATE INDEX ${p}folded_ended ON ${p}folded (kind, fingerprint, position) WHERE ended = 1`,
    // A list of briefs reads this index alone, and passes over the states.
    `CREATE INDEX ${p}folded_opened ON ${p}folded (kind, fingerprint, opened, stream, revision, position, ended, brief)`,
    `CREATE TABLE ${p}folded_keys (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      opened INTEGER NOT NULL,
      stream TEXT NOT NULL,
      PRIMARY KEY (kind, key, opened)
    ) STRICT, WITHOUT ROWID`,
    // A key of an earlier state stays, and its aggregate is looked at: the table only narrows a search.
    `CREATE TRIGGER ${p}folded_found AFTER INSERT ON ${p}folded BEGIN
      INSERT OR REPLACE INTO ${p}folded_keys SELECT NEW.kind, value, NEW.opened, NEW.stream FROM json_each(NEW.keys);
    END`,
    // Events are only ever appended. A fold of an event that was changed is wrong.
    `CREATE TRIGGER ${p}folded_changed AFTER UPDATE ON ${p}events BEGIN DELETE FROM ${p}folded; END`,
    `CREATE TRIGGER ${p}folded_removed AFTER DELETE ON ${p}events BEGIN DELETE FROM ${p}folded; END`
  ]
]

/** The schema of souffleur's own file, whose `PRAGMA user_version` says how many entries it has. */
export const migrations = schemaOf("")

/** Makes the error of a failed statement. The detail is SQLite's own sentence, which holds no values. */
export const unusable = ({ reason }: SqlError.SqlError): LogUnusable => {
  const cause = reason.cause
  const meant = sqliteReasonOf(cause)
  return new LogUnusable({
    // A log that is open was one.
    reason: reason._tag === "LockTimeoutError" ? "locked" : meant === "foreign" ? "damaged" : meant,
    problem: Predicate.isError(cause) ? cause.message : (reason.message ?? reason._tag)
  })
}

/**
 * Fails where the open file no longer has its name. Writes into it would be lost, and the file under its name would
 * never be read. It runs before each statement on the log. A store in memory has no file.
 */
export const StillThere = Context.Reference<Effect.Effect<void, LogUnusable>>("@souffleur/eventlog/StillThere", {
  defaultValue: () => Effect.void
})

/**
 * The longest wait for a lock of another process, over all tries. One try may block the process for the busy timeout.
 */
export const defaultLockTimeout: Duration.Input = "5 seconds"

/** Tries again soon, at most for `lockTimeout`. */
export const untilUnlocked = (lockTimeout: Duration.Input) =>
  Schedule.spaced("25 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: lockTimeout }))

const isLocked = ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"

/** Runs one statement, and tries again while another process holds the lock, at most for `lockTimeout`. */
export const patiently =
  (lockTimeout: Duration.Input) =>
  <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, LogUnusable> =>
    // The schedule is made only when there is a lock, which is rare.
    statement.pipe(
      Effect.catchIf(isLocked, () =>
        Effect.retry(statement, { while: isLocked, schedule: untilUnlocked(lockTimeout) })
      ),
      Effect.mapError(unusable)
    )

/** What begins the names of the log's tables in the database that is open. Souffleur's own file needs none. */
export const TablePrefix = Context.Reference<string>("@souffleur/eventlog/TablePrefix", { defaultValue: () => "" })

/** Fails with `LogUnusable` where the database is not SQLite: the schema and the hints of the log are SQLite's own. */
export const onlySqlite: Effect.Effect<void, LogUnusable, SqlClient.SqlClient> = SqlClient.SqlClient.use((sql) =>
  sql.onDialectOrElse({
    sqlite: () => Effect.void,
    orElse: () => Effect.fail(new LogUnusable({ reason: "foreign", problem: "it is kept in SQLite only" }))
  })
)

const migrated = Effect.fn("Store.migrated")(
  function* (prefix: string) {
    yield* onlySqlite
    if (!/^(?:[a-z_]\w*)?$/iu.test(prefix))
      return yield* new LogUnusable({ reason: "failed", problem: `"${prefix}" cannot begin the name of a table` })
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const table = `${prefix}migrations`
    const steps = schemaOf(prefix).map((statements, n) => [
      `${n + 1}_log`,
      Effect.forEach(statements, (statement) => sql.unsafe(statement, []), { discard: true })
    ])
    yield* Migrator.make({})({ loader: Migrator.fromRecord(Object.fromEntries(steps)), table }).pipe(
      Effect.catchTag("MigrationError", (error) =>
        SqlError.isSqlError(error.cause) ? Effect.fail(error.cause) : Effect.die(error)
      )
    )
    const [[newest] = []] = yield* sql`SELECT max(migration_id) FROM ${sql(table)}`.values
    if (Number(newest) > steps.length)
      return yield* new LogUnusable({
        reason: "newer",
        problem: `its tables have schema ${Number(newest)}, and this souffleur knows ${steps.length}`
      })
  },
  // Of two processes that begin at once the later one waits, and finds nothing to do.
  Effect.retry({
    while: (error) => SqlError.isSqlError(error) && isLocked(error),
    schedule: untilUnlocked(defaultLockTimeout)
  }),
  Effect.catchTag("SqlError", (error) => Effect.fail(unusable(error)))
)

/**
 * Brings the database of an app to the schema of the log. Whatever else is in it is left as it is: the names of all
 * that is made begin with `prefix`, by default `souffleur_`, and `<prefix>migrations` has the schema. The logs that are
 * provided with this layer use those tables. Fails with `LogUnusable` where the dialect is not SQLite, where a newer
 * souffleur made the tables, or where the database cannot be written.
 *
 * @example
 * ```ts
 * import { EventLog } from "@souffleur/domain"
 * import { Store } from "@souffleur/eventlog"
 * import { Layer } from "effect"
 * import type { SqlClient } from "effect/sql"
 *
 * // Beside the tables of an app, by whatever client of SQLite it has.
 * const layerLog = <E>(database: Layer.Layer<SqlClient.SqlClient, E>) =>
 *   EventLog.layerSql().pipe(Layer.provide(Store.layerMigrated()), Layer.provide(database))
 * ```
 */
export const layerMigrated = ({ prefix = "souffleur_" }: { readonly prefix?: string | undefined } = {}): Layer.Layer<
  never,
  LogUnusable,
  SqlClient.SqlClient
> => Layer.effect(TablePrefix, Effect.as(migrated(prefix), prefix))

/**
 * Runs SQLite's own check of the whole file, its indices too. Returns SQLite's sentences about the damage; empty where
 * the file is sound.
 */
export const unsound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* patiently(defaultLockTimeout)(
    sql.unsafe<{ readonly integrity_check: string }>("PRAGMA integrity_check(10)", [])
  )
  return rows.map((row) => row.integrity_check).filter((sentence) => sentence !== "ok")
}).pipe(Effect.withSpan("Store.unsound"))
