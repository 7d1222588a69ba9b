import { Clock, Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { patiently } from "./Store.ts"

/** Waits for a watch's turn to launch, which is `spacing` after another watch's; see {@link LaunchSlots}. */
export type TakeSlot = (watch: string, spacing: Duration.Duration) => Effect.Effect<void>

/** Slots ahead of now that can be true: more, and a clock was set back. */
const mostAhead = 100

/**
 * The turn to launch, one for all watches of a machine: what hits all at once (a reboot, memory that ran out, a limit's
 * reset) must not start all in the same second. A watch that is alone never waits, also not for itself. Whoever knows
 * of no other has its turn at once.
 */
export const LaunchSlots = Context.Reference<TakeSlot>("@souffleur/eventlog/LaunchSlots", {
  defaultValue: () => () => Effect.void
})

/**
 * One row with the next free slot. A slot is a time and no lock, so who dies in its turn holds nobody up. A store that
 * is out holds up no recovery either: the turn is taken at once.
 */
export const layerSql = (patience: Duration.Input): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    LaunchSlots,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waiting = patiently(patience)
      return Effect.fn("LaunchSlots.take")(function* (watch: string, spacing: Duration.Duration) {
        const now = yield* Clock.currentTimeMillis
        const apart = Duration.toMillis(spacing)
        const taken = yield* waiting(
          sql<{ slot: number }>`INSERT INTO turns (name, watch, next) VALUES ('launch', ${watch}, ${now + apart})
            ON CONFLICT (name) DO UPDATE SET watch = excluded.watch, next = ${apart} + CASE
              WHEN turns.next > ${now + apart * mostAhead} THEN ${now}
              WHEN turns.watch = excluded.watch THEN max(${now}, turns.next - ${apart})
              ELSE max(${now}, turns.next) END
            RETURNING next - ${apart} AS slot`
        ).pipe(
          Effect.catch(({ reason }) =>
            Effect.as(Effect.logWarning(`launches are not spaced: the store is ${reason}`), [])
          )
        )
        yield* Effect.sleep(Math.max(0, (taken[0]?.slot ?? now) - now))
      })
    })
  )
