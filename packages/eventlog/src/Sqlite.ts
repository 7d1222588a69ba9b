import { Context, type Effect, Predicate, Runtime, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"

/** A database file that cannot be opened (exit code 4). `message` says why. */
export class SqliteUnusable extends Schema.TaggedError<SqliteUnusable>()("SqliteUnusable", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "foreign", "damaged", "newer", "locked", "full", "failed"]),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 4
}

/** SQLite's primary result codes that mean something to a person (sqlite.org/rescode.html). */
const reasons: Readonly<Record<number, SqliteUnusable["reason"]>> = {
  5: "locked",
  6: "locked",
  11: "damaged",
  13: "full",
  14: "missing",
  26: "foreign"
}
/** SQLITE_IOERR_SHMSIZE: the file beside a log could not grow. */
const noRoomBeside = 4874

/** Returns what an error that SQLite threw means. */
export const sqliteReasonOf = (thrown: unknown): SqliteUnusable["reason"] => {
  const code = Predicate.hasProperty(thrown, "errcode") && Predicate.isNumber(thrown.errcode) ? thrown.errcode : 1
  return code === noRoomBeside ? "full" : (reasons[code & 0xff] ?? "failed")
}

/** Opens SQLite files safely. */
export class Sqlite extends Context.Service<
  Sqlite,
  {
    /**
     * Opens an existing file that belongs to others. Never creates it, and leaves its journal mode and schema as they
     * are. A busy wait takes at most 50 ms. Takes single statements only: in a rollback-journal file, a COMMIT that
     * fails would leave the transaction open.
     */
    readonly openForeign: (path: string) => Effect.Effect<SqlClient.SqlClient, SqliteUnusable, Scope.Scope>
  }
>()("@souffleur/eventlog/Sqlite") {}
