import { Context, type Effect, Runtime, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"

/** A database file that cannot be opened, and why (exit code 4). */
export class SqliteUnusable extends Schema.TaggedError<SqliteUnusable>()("SqliteUnusable", {
  path: Schema.String,
  reason: Schema.Literals(["missing", "foreign", "damaged", "newer", "locked", "full", "failed"]),
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 4
}

/** SQLite files, opened safely. */
export class Sqlite extends Context.Service<
  Sqlite,
  {
    /**
     * An existing file that belongs to others: never created, journal mode and schema untouched, busy wait at most 50
     * ms. Single statements only: in a rollback-journal file a COMMIT that fails would leave the transaction open.
     */
    readonly openForeign: (path: string) => Effect.Effect<SqlClient.SqlClient, SqliteUnusable, Scope.Scope>
  }
>()("@souffleur/eventlog/Sqlite") {}
