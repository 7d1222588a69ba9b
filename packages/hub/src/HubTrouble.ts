import { StoreOut } from "@souffleur/fleet"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Makes any failure of the database the answer that the store is out. Its reason is for the log of the hub. */
export const orOut = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<A, StoreOut, R> =>
  Effect.mapError(
    Effect.tapError(statement, (error) => Effect.logDebug(error)),
    () => new StoreOut()
  )
