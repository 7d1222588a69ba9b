import { PgClient } from "@effect/sql-pg"
import { StoreOut } from "@souffleur/fleet"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { HubStore } from "./HubStore.ts"

const here = /^(?:|localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1|\/.*)$/u

/** Holds if the URL names a Postgres of this machine, by loopback or by a socket. */
export const isOfThisMachine = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, searchParams } = new URL(url)
  return here.test(searchParams.getAll("host").at(-1) ?? decodeURIComponent(hostname))
}

/**
 * The store of a hub in the Postgres of that URL. A transaction of the hub that hangs would hold up every reader, so
 * the server ends it. A Postgres of another machine is spoken to by TLS alone, whatever the URL says. Fails with
 * `StoreOut` where the database cannot be reached or used.
 */
export const layerPostgres = (url: Redacted.Redacted): Layer.Layer<HubStore | SqlClient.SqlClient, StoreOut> =>
  HubStore.layerSql.pipe(
    Layer.provideMerge(
      PgClient.layer({
        url,
        ssl: isOfThisMachine(Redacted.value(url)) ? undefined : true,
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
