import { SqliteClient } from "@effect/sql-sqlite-node"
import type { Effect, Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"

/**
 * Opens a connection to a SQLite file, and closes it with the scope. A file that cannot be opened is a defect.
 * A release bundles the driver into this file alone (docs/decisions/0007-packages.md).
 */
export const connect = (
  filename: string
): Effect.Effect<SqlClient.SqlClient, never, Scope.Scope | Reactivity.Reactivity> =>
  SqliteClient.make({ filename, disableWAL: true })
