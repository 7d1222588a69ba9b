import { Context, type Duration, Effect, Predicate, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { LogUnusable } from "./Log.ts"

/** `souf` in ASCII: the mark by which a SQLite file is known to be souffleur's own (`PRAGMA application_id`). */
export const applicationId = 0x736f7566

/**
 * What souffleur's own file holds. The n-th entry brings a file from schema n - 1 to n (`PRAGMA user_version`); an
 * entry that was released is never edited, a change is a new entry.
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
    // Names of all streams, without a look at every event.
    "CREATE INDEX streams ON events (position) WHERE revision = 1",
    "CREATE TABLE beats (watch TEXT PRIMARY KEY, role TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE cursor (watch TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID"
  ],
  ["CREATE TABLE turns (name TEXT PRIMARY KEY, watch TEXT NOT NULL, next INTEGER NOT NULL) STRICT, WITHOUT ROWID"],
  ["CREATE TABLE offspring (conductor TEXT PRIMARY KEY, started TEXT NOT NULL) STRICT, WITHOUT ROWID"]
]

/** SQLite's primary result codes that mean something to a person. */
const reasons: Readonly<Record<number, LogUnusable["reason"]>> = {
  5: "locked",
  6: "locked",
  11: "damaged",
  13: "full",
  14: "missing",
  26: "damaged"
}

/** What a failed statement says about the store. The detail is SQLite's own sentence, which holds no values. */
export const unusable = ({ reason }: SqlError.SqlError): LogUnusable => {
  const cause = reason.cause
  const code = Predicate.hasProperty(cause, "errcode") && Predicate.isNumber(cause.errcode) ? cause.errcode & 0xff : 1
  return new LogUnusable({
    reason: reason._tag === "LockTimeoutError" ? "locked" : (reasons[code] ?? "failed"),
    problem: Predicate.isError(cause) ? cause.message : (reason.message ?? reason._tag)
  })
}

/**
 * Fails where the file that is open is not the one that has its name any more: what is written into it would be lost,
 * and what stands under its name is never heard of. Asked before each statement on the log. Of a store in memory there
 * is no file.
 */
export const StillThere = Context.Reference<Effect.Effect<void, LogUnusable>>("@souffleur/eventlog/StillThere", {
  defaultValue: () => Effect.void
})

/**
 * How long a lock that another process holds is waited for, in all. One try may block the process for the busy timeout.
 */
export const lockPatience: Duration.Input = "5 seconds"

const untilUnlocked = (patience: Duration.Input) =>
  Schedule.spaced("25 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: patience }))

const isLocked = ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"

/** One statement, tried again while another process holds the lock, at most for `patience`. */
export const patiently =
  (patience: Duration.Input) =>
  <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, LogUnusable> =>
    // The schedule is made when there is a lock: nearly never.
    statement.pipe(
      Effect.catchIf(isLocked, () => Effect.retry(statement, { while: isLocked, schedule: untilUnlocked(patience) })),
      Effect.mapError(unusable)
    )

/**
 * SQLite's own check of the whole file, its indices too: what is wrong, in its own sentences; none where the file is
 * sound.
 */
export const unsound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* patiently(lockPatience)(
    sql.unsafe<{ readonly integrity_check: string }>("PRAGMA integrity_check(10)", [])
  )
  return rows.map((row) => row.integrity_check).filter((sentence) => sentence !== "ok")
}).pipe(Effect.withSpan("Store.unsound"))
