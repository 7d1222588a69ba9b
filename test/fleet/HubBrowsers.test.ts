import { assert, describe, it } from "@effect/vitest"
import { HubBrowsers, HubPeople, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { fresh, Server } from "./HubStage.ts"
import { noPostgres } from "./PostgresServer.ts"

const hub = Effect.gen(function* () {
  const all = yield* fresh
  const layer = Layer.merge(HubBrowsers.layerSql, HubPeople.layerSql)
  const context = yield* Layer.build(Layer.provide(layer, Layer.fresh(layerPostgres(all.url))))
  return { ...all, browsers: Context.get(context, HubBrowsers), people: Context.get(context, HubPeople) }
})

describe("fleet#page", () => {
  if (noPostgres !== undefined) it.skip(`the browsers of a hub: ${noPostgres}`, () => {})
  else
    it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
      it.effect(
        "a browser looks at the fleet by a word of its own as long as its token, and the word is no token",
        () =>
          Effect.gen(function* () {
            const { browsers, people, query, store } = yield* hub
            const token = yield* people.add("anna", "viewer")
            const [word, other] = [yield* browsers.enter(token), yield* browsers.enter(token)].map(Option.getOrThrow)
            assert.notStrictEqual(Redacted.value(word!), Redacted.value(other!))
            const guest = Option.getOrThrow(yield* browsers.guestOf(word!))
            const person = Option.getOrThrow(yield* people.personOf(token))
            assert.deepStrictEqual({ ...guest }, { ...person })
            assert.notInclude(yield* query("SELECT * FROM browsers"), Redacted.value(word!))
            assert.isTrue(Option.isNone(yield* browsers.guestOf(token)))
            assert.isTrue(Option.isNone(yield* people.personOf(word!)))
            for (const wrong of [word!, yield* store.enrol("one"), Redacted.make("0".repeat(64))])
              assert.isTrue(Option.isNone(yield* browsers.enter(wrong)))
            yield* people.revoke("anna")
            assert.isTrue(Option.isNone(yield* browsers.enter(token)))
            // Another token under the name lets none of the old browsers in.
            for (const _ of ["revoked", "added again"]) {
              assert.isTrue(Option.isNone(yield* browsers.guestOf(word!)))
              yield* people.add("anna", "viewer").pipe(Effect.ignore)
            }
          })
      )
      it.effect("a browser is let in for 30 days, and its word is forgotten then", () =>
        Effect.gen(function* () {
          const { browsers, people, query } = yield* hub
          const token = yield* people.add("anna", "operator")
          const word = Option.getOrThrow(yield* browsers.enter(token))
          yield* query("UPDATE browsers SET entered = entered - interval '29 days'")
          assert.isTrue(Option.isSome(yield* browsers.guestOf(word)))
          yield* query("UPDATE browsers SET entered = entered - interval '2 days'")
          assert.isTrue(Option.isNone(yield* browsers.guestOf(word)))
          yield* browsers.enter(token)
          assert.strictEqual(yield* query("SELECT count(*) FROM browsers"), "1")
        })
      )
    })
})
