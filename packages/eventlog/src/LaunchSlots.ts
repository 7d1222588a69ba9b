import { Clock, Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { patiently, TablePrefix } from "./Store.ts"

/**
 * Waits for a watch's turn to launch, `spacing` after the last launch of another watch. `at: "once"`: it launches now,
 * since a person asked, and others come after it. See {@link LaunchSlots}.
 */
export type TakeSlot = (watch: string, spacing: Duration.Duration, at?: "once") => Effect.Effect<void>

/** The most slots ahead of now that are believed. More means that a clock was set back. */
const maxSlotsAhead = 100

/**
 * Spaces the launches of all watches of a machine. A reboot, a lack of memory or a limit's reset hits all watches at
 * once. They must not all start in the same second. A single watch never waits, not even for its own slot. The default
 * knows of no other watch and never waits.
 */
export const LaunchSlots = Context.Reference<TakeSlot>("@souffleur/eventlog/LaunchSlots", {
  defaultValue: () => () => Effect.void
})

/**
 * Keeps one row with the next free slot. A slot is a time and no lock, so a process that dies in its turn delays no
 * other. A store that fails delays no recovery either: the turn is taken at once, with a warning.
 */
export const layerSql = (lockTimeout: Duration.Input): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    LaunchSlots,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const table = sql.literal(`${yield* TablePrefix}turns`)
      const waiting = patiently(lockTimeout)
      return Effect.fn("LaunchSlots.take")(function* (watch: string, spacing: Duration.Duration, at?: "once") {
        const now = yield* Clock.currentTimeMillis
        const spacingMillis = Duration.toMillis(spacing)
        const taken = yield* waiting(
          sql<{
            slot: number
          }>`INSERT INTO ${table} AS turns (name, watch, next) VALUES ('launch', ${watch}, ${now + spacingMillis})
            ON CONFLICT (name) DO UPDATE SET watch = excluded.watch, next = ${spacingMillis} + CASE
              WHEN turns.next > ${now + spacingMillis * maxSlotsAhead} THEN ${now}
              WHEN ${at === "once" ? 1 : 0} OR turns.watch = excluded.watch THEN max(${now}, turns.next - ${spacingMillis})
              ELSE max(${now}, turns.next) END
            RETURNING next - ${spacingMillis} AS slot`
        ).pipe(
          Effect.catch(({ reason }) =>
            Effect.as(Effect.logWarning(`launches are not spaced: the store is ${reason}`), [])
          )
        )
        if (at !== "once") yield* Effect.sleep(Math.max(0, (taken[0]?.slot ?? now) - now))
      })
    })
  )
