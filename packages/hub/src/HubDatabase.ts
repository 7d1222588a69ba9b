import { PgClient } from "@effect/sql-pg"
import { StoreOut } from "@souffleur/fleet"
import { Effect, Layer, type Redacted } from "effect"
import { HubStore } from "./HubStore.ts"

/**
 * The store of a hub in the Postgres of that URL. A transaction that hangs would hold up every reader, so the server
 * ends it. Fails with `StoreOut` where the database cannot be reached or used.
 */
export const layerPostgres = (url: Redacted.Redacted): Layer.Layer<HubStore, StoreOut> =>
  HubStore.layerSql.pipe(
    Layer.provide(
      PgClient.layer({
        url,
        applicationName: "souffleur-hub",
        maxConnections: 16,
        multiplex: true,
        connectTimeout: "5 seconds",
        startupParameters: { idle_in_transaction_session_timeout: "10s", statement_timeout: "30s" }
      }).pipe(
        Layer.catch((error) =>
          Layer.effectContext(Effect.andThen(Effect.logError(error.message), Effect.fail(new StoreOut())))
        )
      )
    )
  )
