import { StoreOut } from "@souffleur/fleet"
import { Cause, Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Makes any failure of the database the answer that the store is out. Its reason is for the log of the hub. */
export const orOut = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<A, StoreOut, R> =>
  Effect.mapError(
    Effect.tapError(statement, (error) => Effect.logDebug(error)),
    () => new StoreOut()
  )

/**
 * Makes a part of a hub go on through its failures. Of failures in a row the first is logged, and their end. A database
 * may be out for a day. Returns `undefined` for a failure.
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
