import type { FleetRole, StoreOut } from "@souffleur/fleet"
import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { HubStore } from "../HubStore.ts"
import { orOut } from "../HubTrouble.ts"
import { hubTokens } from "./HubTokens.ts"

/** A person of that name has a token already. */
export class AlreadyKnown extends Schema.TaggedError<AlreadyKnown>()("AlreadyKnown", { name: Schema.String }) {
  override get message(): string {
    return `a person ${this.name} has a token already: "souffleur hub person revoke ${this.name}" first, or choose another name`
  }
}

/** A person that has a token, or had one. */
export interface KnownPerson {
  readonly name: string
  readonly role: FleetRole
  readonly revoked: boolean
  /** When the present token was given, as the database writes it. It names the token. */
  readonly since: string
}

/** The people of a hub, with a role each (spec: fleet#people). */
export class HubPeople extends Context.Service<
  HubPeople,
  {
    /** Gives a person a token. The store has a digest alone. Fails with `AlreadyKnown`. */
    readonly add: (name: string, role: FleetRole) => Effect.Effect<Redacted.Redacted, AlreadyKnown | StoreOut>
    /** Revokes the token of a person. Returns `false` where no such person has one. */
    readonly revoke: (name: string) => Effect.Effect<boolean, StoreOut>
    /** Returns the person that a token was given to, unless it was revoked. */
    readonly personOf: (
      token: Redacted.Redacted
    ) => Effect.Effect<Option.Option<Omit<KnownPerson, "revoked">>, StoreOut>
    readonly all: Effect.Effect<ReadonlyArray<KnownPerson>, StoreOut>
  }
>()("@souffleur/hub/HubPeople") {
  /** Keeps them in Postgres. */
  static readonly layerSql: Layer.Layer<HubPeople, never, HubStore | SqlClient.SqlClient> = Layer.effect(
    HubPeople,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // It brings the schema.
      yield* HubStore
      const { give, holder, revoke } = hubTokens(sql, "people")
      return HubPeople.of({
        add: Effect.fn("HubPeople.add")(function* (name, role) {
          const token = yield* give(name, { role })
          return Option.isSome(token) ? token.value : yield* new AlreadyKnown({ name })
        }),
        revoke: Effect.fn("HubPeople.revoke")(revoke),
        personOf: Effect.fn("HubPeople.personOf")((token) =>
          holder<Omit<KnownPerson, "revoked">>(token, "name, role, added::text AS since")
        ),
        all: orOut(
          sql<KnownPerson>`SELECT name, role, added::text AS since, revoked IS NOT NULL AS revoked FROM people ORDER BY name`
        ).pipe(Effect.withSpan("HubPeople.all"))
      })
    })
  )
}
