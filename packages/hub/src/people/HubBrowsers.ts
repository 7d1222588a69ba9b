import { digestOf } from "@souffleur/domain"
import { freshToken, type PersonAtHub, type StoreOut } from "@souffleur/fleet"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { HubStore } from "../HubStore.ts"
import { orOut } from "../HubTrouble.ts"
import { tokenDigest } from "./HubTokens.ts"

/** For how long a browser stays let in. */
const lasting = "interval '30 days'"

const entered = `WITH over AS (DELETE FROM browsers WHERE entered < clock_timestamp() - ${lasting})
  INSERT INTO browsers (digest, token_digest) SELECT $1, token_digest FROM people
  WHERE token_digest = $2 AND revoked IS NULL RETURNING digest`
const guest = `SELECT name, role, added::text AS since FROM browsers JOIN people USING (token_digest)
  WHERE digest = $1 AND revoked IS NULL AND entered > clock_timestamp() - ${lasting}`

const wordDigest = (word: Redacted.Redacted) => digestOf(`souffleur browser ${Redacted.value(word)}`)

/** The browsers that were let in to the page of a hub. Each has a word of its own (spec: fleet#page). */
export class HubBrowsers extends Context.Service<
  HubBrowsers,
  {
    /** Lets a browser in by the token of a person, and returns its word. `None`: no person has that token now. */
    readonly enter: (token: Redacted.Redacted) => Effect.Effect<Option.Option<Redacted.Redacted>, StoreOut>
    /** Returns the person behind a word. `None`: its token was revoked since, its 30 days are over, or it has none. */
    readonly guestOf: (word: Redacted.Redacted) => Effect.Effect<Option.Option<PersonAtHub["Service"]>, StoreOut>
  }
>()("@souffleur/hub/HubBrowsers") {
  /** Keeps the digests of their words in Postgres. */
  static readonly layerSql: Layer.Layer<HubBrowsers, never, HubStore | SqlClient.SqlClient> = Layer.effect(
    HubBrowsers,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // It brings the schema.
      yield* HubStore
      return HubBrowsers.of({
        enter: Effect.fn("HubBrowsers.enter")(function* (token) {
          const word = yield* freshToken
          const rows = yield* orOut(sql.unsafe(entered, [yield* wordDigest(word), yield* tokenDigest(token)]))
          return rows.length === 0 ? Option.none() : Option.some(word)
        }),
        guestOf: Effect.fn("HubBrowsers.guestOf")(function* (word) {
          const [row] = yield* orOut(sql.unsafe<PersonAtHub["Service"]>(guest, [yield* wordDigest(word)]))
          return Option.fromUndefinedOr(row)
        })
      })
    })
  )
}
