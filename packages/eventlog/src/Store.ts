import { Context, type Duration, Effect, Predicate, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { LogUnusable } from "./Log.ts"
import { sqliteReasonOf } from "./Sqlite.ts"

/** `souf` in ASCII (`PRAGMA application_id`), the mark of souffleur's own SQLite files. */
export const applicationId = 0x736f7566

/**
 * The schema of souffleur's own file. The n-th entry brings a file from schema n - 1 to n (`PRAGMA user_version`). A
 * released entry is never edited: a change is a new entry.
 */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [
  [
    `CREATE TABLE events (
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
    "CREATE INDEX streams ON events (position) WHERE revision = 1",
    "CREATE TABLE beats (watch TEXT PRIMARY KEY, role TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE cursor (watch TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID"
  ],
  ["CREATE TABLE turns (name TEXT PRIMARY KEY, watch TEXT NOT NULL, next INTEGER NOT NULL) STRICT, WITHOUT ROWID"],
  ["CREATE TABLE offspring (conductor TEXT PRIMARY KEY, started TEXT NOT NULL) STRICT, WITHOUT ROWID"],
  [
    // Folds of the streams, which may be lost at any time (decision 0008).
    `CREATE TABLE folded (
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
    "CREATE INDEX folded_living ON folded (kind, fingerprint) WHERE ended = 0",
    "CREATE INDEX folded_ended ON folded (kind, fingerprint, position) WHERE ended = 1",
    // A list of briefs reads this index alone, and passes over the states.
    "CREATE INDEX folded_opened ON folded (kind, fingerprint, opened, stream, revision, position, ended, brief)",
    `CREATE TABLE folded_keys (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      opened INTEGER NOT NULL,
      stream TEXT NOT NULL,
      PRIMARY KEY (kind, key, opened)
    ) STRICT, WITHOUT ROWID`,
    // A key of an earlier state stays, and its aggregate is looked at: the table only narrows a search.
    `CREATE TRIGGER folded_found AFTER INSERT ON folded BEGIN
      INSERT OR REPLACE INTO folded_keys SELECT NEW.kind, value, NEW.opened, NEW.stream FROM json_each(NEW.keys);
    END`,
    // Events are only ever appended. A fold of an event that was changed is wrong.
    "CREATE TRIGGER folded_changed AFTER UPDATE ON events BEGIN DELETE FROM folded; END",
    "CREATE TRIGGER folded_removed AFTER DELETE ON events BEGIN DELETE FROM folded; END"
  ]
]

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

const pragma = Effect.fnUntraced(function* (name: "application_id" | "user_version") {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<Readonly<Record<string, number>>>(`PRAGMA ${name}`, [])
  return row?.[name] ?? 0
})

/** Refuses a database that another program has marked, or that has a schema which this souffleur does not know. */
const refuseForeign = (mark: number, version: number) => {
  const refused = (reason: "foreign" | "newer", problem: string) => Effect.fail(new LogUnusable({ reason, problem }))
  if (mark !== applicationId && (mark !== 0 || version !== 0))
    return refused("foreign", "the database belongs to another program, by its application_id or user_version")
  return version > migrations.length
    ? refused("newer", `the database has schema ${version}, and this souffleur knows ${migrations.length}`)
    : Effect.void
}

/**
 * Brings the database of any `SqlClient` of SQLite to the schema of the log, in one transaction. An app gives it a
 * database of its own, or one without `application_id` and `user_version`. Fails with `LogUnusable` where it is another
 * program's, made by a newer souffleur, or cannot be written.
 */
export const migrated: Effect.Effect<void, LogUnusable, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const forward = Effect.gen(function* () {
    const version = yield* pragma("user_version")
    yield* refuseForeign(yield* pragma("application_id"), version)
    if (version === migrations.length) return
    for (const statement of migrations.slice(version).flat()) yield* sql.unsafe(statement, [])
    yield* sql.unsafe(`PRAGMA application_id = ${applicationId}`, [])
    yield* sql.unsafe(`PRAGMA user_version = ${migrations.length}`, [])
  })
  // Of two processes that begin at once the later one waits, and finds nothing to do.
  yield* sql.withTransaction(forward).pipe(
    Effect.retry({
      while: (error) => SqlError.isSqlError(error) && isLocked(error),
      schedule: untilUnlocked(defaultLockTimeout)
    }),
    Effect.catchTag("SqlError", (error) => Effect.fail(unusable(error)))
  )
}).pipe(Effect.withSpan("Store.migrated"))

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
