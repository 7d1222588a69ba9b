import { StoreOut } from "@souffleur/fleet"
import { Cause, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"

/** The database of a hub cannot be reached or used. `place`: its address without a password, where that is known. */
export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  place: Schema.NullOr(Schema.String),
  problem: Schema.String
}) {
  override get message(): string {
    return `the database of the hub${this.place === null ? "" : ` at ${this.place}`} cannot be used: ${this.problem}`
  }
}

/** Returns the words of the driver or of the server, which the errors around them leave out. */
export const rootProblem = (error: Error & { readonly reason?: unknown }): string => {
  const inner = error.reason ?? error.cause
  return inner instanceof Error ? rootProblem(inner) : error.message
}

/** Makes any failure of the database the answer that the store is out. Its reason is for the log of the hub. */
export const orOut = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<A, StoreOut, R> =>
  Effect.mapError(
    Effect.tapError(statement, (error) => Effect.logDebug(error)),
    () => new StoreOut()
  )

/**
 * Keeps a part of a hub working through its failures, such as a database that is out for a day. Logs the first of
 * failures in a row, and their end. Returns `undefined` for a failure.
 */
export const throughOutages = (words: { readonly fails: string; readonly works: string }) => {
  let failing = false
  return <A, E, R>(act: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, never, R> =>
    act.pipe(
      Effect.tap(() => {
        if (!failing) return Effect.void
        failing = false
        return Effect.logInfo(words.works)
      }),
      Effect.catchCause((cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        if (failing) return Effect.undefined
        failing = true
        return Effect.as(Effect.logWarning(words.fails, cause), undefined)
      })
    )
}
