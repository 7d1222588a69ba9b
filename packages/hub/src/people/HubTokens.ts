import { digestOf } from "@souffleur/domain"
import { freshToken } from "@souffleur/fleet"
import { Effect, Option, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { orOut } from "../HubTrouble.ts"

/** Returns the digest of a token, which the store keeps in its place. */
export const tokenDigest = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  return yield* digestOf(`souffleur fleet ${Redacted.value(token)}`)
})

/** Those who have a token each, by their names. `since`: the column that says when the present token was given. */
const holders = { hosts: "enrolled", people: "added" } as const

/** Makes the tokens of the hosts or the people of a hub (spec: fleet#tokens). */
export const hubTokens = (sql: SqlClient.SqlClient, table: keyof typeof holders) => {
  const since = holders[table]
  return {
    /**
     * Gives a token, with what else is kept beside it. `None`: there is one of that name. A revoked name comes back by
     * another token.
     */
    give: Effect.fnUntraced(function* (name: string, beside: Readonly<Record<string, string>> = {}) {
      const token = yield* freshToken
      const row = { name, token_digest: yield* tokenDigest(token), ...beside }
      const again = [...Object.keys(row), since].map((column) => `${column} = excluded.${column}`).join(", ")
      const made = yield* orOut(
        sql`INSERT INTO ${sql(table)} ${sql.insert(row)} ON CONFLICT (name) DO UPDATE SET ${sql.literal(again)}, revoked = NULL
          WHERE ${sql(table)}.revoked IS NOT NULL RETURNING name`
      )
      return made.length === 0 ? Option.none() : Option.some(token)
    }),
    /** Revokes a token. Returns `false` where none of that name counts. */
    revoke: (name: string) =>
      Effect.map(
        orOut(
          sql`UPDATE ${sql(table)} SET revoked = clock_timestamp() WHERE name = ${name} AND revoked IS NULL RETURNING name`
        ),
        (rows) => rows.length > 0
      ),
    /** Returns the row of the holder of a token, with some columns. `None`: the token was revoked, or never given. */
    holder: Effect.fnUntraced(function* <Row extends object>(token: Redacted.Redacted, columns: string) {
      const digest = yield* tokenDigest(token)
      const [row] = yield* orOut(
        sql<Row>`SELECT ${sql.literal(columns)} FROM ${sql(table)} WHERE token_digest = ${digest} AND revoked IS NULL`
      )
      return Option.fromUndefinedOr(row)
    })
  }
}
