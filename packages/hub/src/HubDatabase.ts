import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { HubStore } from "./HubStore.ts"
import { DatabaseUnusable, rootProblem } from "./HubTrouble.ts"

const here = /^(?:|localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1|\/.*)$/u

/** Returns the host that the driver takes of a URL. */
const hostOf = ({ hostname, searchParams }: URL): string =>
  searchParams.getAll("host").at(-1) ?? decodeURIComponent(hostname)

/** Returns whether the URL names a Postgres of this machine, by loopback or by a socket. */
export const isOfThisMachine = (url: string): boolean => URL.canParse(url) && here.test(hostOf(new URL(url)))

/** Returns where the Postgres of a URL is, without its user and password. */
const placeOf = (url: string): string | null => {
  if (!URL.canParse(url)) return null
  const { pathname, port } = new URL(url)
  return `${hostOf(new URL(url))}:${port || 5432}${pathname}`
}

/**
 * The store of a hub in the Postgres of that URL. A transaction of the hub that hangs would hold up every reader, so
 * the server ends it. A Postgres of another machine is spoken to by TLS alone, whatever the URL says. Fails with
 * `DatabaseUnusable` where the database cannot be reached or used.
 */
export const layerPostgres = (url: Redacted.Redacted): Layer.Layer<HubStore | SqlClient.SqlClient, DatabaseUnusable> =>
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
      })
    ),
    Layer.catch((error) => {
      const problem = error._tag === "DatabaseUnusable" ? error.problem : rootProblem(error)
      return Layer.effectContext(Effect.fail(new DatabaseUnusable({ place: placeOf(Redacted.value(url)), problem })))
    })
  )
