import { LogUnusable, Store } from "@souffleur/eventlog"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FleetEvent } from "./FleetEvent.ts"

const rowsOf = Schema.decodeUnknownOption(Schema.Array(FleetEvent))

/** The log of this host, as the shipper reads it: its rows as they are. */
export class ShippedLog extends Context.Service<
  ShippedLog,
  {
    /** Reads the events after a position, in their order. Fails with `LogUnusable`. */
    readonly after: (position: number, maxEvents: number) => Effect.Effect<ReadonlyArray<FleetEvent>, LogUnusable>
  }
>()("@souffleur/fleet/ShippedLog") {
  /**
   * Reads the log from souffleur's own file, which a connection that cannot write has opened (spec: fleet#a-host).
   */
  static readonly layerSql: Layer.Layer<ShippedLog, never, SqlClient.SqlClient> = Layer.effect(
    ShippedLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stillThere = yield* Store.StillThere
      const waiting = Store.patiently(Store.defaultLockTimeout)
      return ShippedLog.of({
        after: Effect.fn("ShippedLog.after")(function* (position, maxEvents) {
          yield* stillThere
          const found = yield* waiting(
            sql.unsafe(
              "SELECT position, stream, revision, tag, version, at, data FROM events WHERE position > ? ORDER BY position LIMIT ?",
              [position, maxEvents]
            ).values
          )
          const rows = rowsOf(found)
          if (Option.isSome(rows)) return rows.value
          return yield* new LogUnusable({
            reason: "damaged",
            problem: `an event after position ${position} is out of the bounds of the contract with a hub`
          })
        })
      })
    })
  )
}
