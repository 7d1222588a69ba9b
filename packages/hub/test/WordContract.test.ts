import { HostServices } from "@souffleur/node"
import { assert, describe, it } from "@effect/vitest"
import { FleetDesk, Hub, type HubAddress, type SaidWord, type WaitingWord, WordKept } from "@souffleur/fleet"
import { HubPeople, type KnownPerson, HubProjection, HubStore, HubWords, layerHub } from "@souffleur/hub"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"
const id = "2b1f3c9a-4e52-4a3f-9a77-0c6f1f3f5a11"
const said: SaidWord = { log, watch: "app-1", word: "retry", seen: 6, until: 1_790_000_000_000 }
const waiting: WaitingWord = { id, watch: "app-1", word: "retry", seen: 6, person: "anna", left: -5 }
const taken = { outcome: "taken", reason: null, note: null, left: 1000 } as const

const anna = { name: "anna", role: "operator", since: "then" } as const
const people: Readonly<Record<string, Omit<KnownPerson, "revoked">>> = {
  anna,
  vera: { name: "vera", role: "viewer", since: "now" }
}

/** A hub without a store. `calls`: what came through its border. */
const hub = (calls: Array<unknown>) =>
  layerHub.pipe(
    Layer.provide(
      Layer.mock(HubStore)({
        hostOf: (token) => Effect.succeed(Redacted.value(token) === "build1" ? Option.some("build1") : Option.none()),
        logs: Effect.succeed([])
      })
    ),
    Layer.provide(
      Layer.mock(HubPeople)({
        personOf: (token) => Effect.succeed(Option.fromUndefinedOr(people[Redacted.value(token)]))
      })
    ),
    Layer.provide(
      Layer.mock(HubWords)({
        say: (...word) =>
          Effect.suspend(() => {
            calls.push(word)
            return word[2].watch === "none" ? new WordKept({ problem: "no log" }) : Effect.succeed(taken)
          }),
        standing: () => Effect.succeed(taken),
        waiting: (...of) => Effect.sync(() => (calls.push(of), [waiting])),
        answer: (...of) => Effect.sync(() => void calls.push(of))
      })
    ),
    Layer.provide(
      Layer.mock(HubProjection)({
        rules: "a",
        counts: Effect.succeed([]),
        view: Effect.succeed({ now: 1, hosts: [], jobs: [], more: 0 })
      })
    ),
    Layer.provideMerge(LoopbackServer.layer({ port: 0 }))
  )

describe("fleet#words", () => {
  it.live("a word goes from an operator to its host over the contract, and its answer back", () => {
    const calls: Array<unknown> = []
    return Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const url = HttpServer.formatAddress(server.address)
      const at = (token: string): HubAddress => ({ url, token: Redacted.make(token) })
      const desk = <A, E>(token: string, act: (desk: FleetDesk["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(FleetDesk.use(act), Layer.provide(FleetDesk.layerHttp(at(token)), HostServices.layer))
      const host = <A, E>(token: string, act: (hub: Hub["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Hub.use(act), Layer.provide(Hub.layerHttp(at(token)), HostServices.layer))
      assert.deepStrictEqual(yield* desk("anna", ({ say }) => say(id, said)), taken)
      assert.deepStrictEqual(yield* desk("vera", ({ word }) => word(id)), taken)
      assert.deepStrictEqual(yield* host("build1", ({ words }) => words(log)), [waiting])
      yield* host("build1", ({ answer }) => answer(log, id, { reason: "the watch has moved on", note: null }))
      assert.deepStrictEqual(calls.splice(0), [
        [id, anna, said],
        ["build1", log],
        ["build1", log, id, { reason: "the watch has moved on", note: null }]
      ])
      const kept = yield* Effect.flip(desk("anna", ({ say }) => say(id, { ...said, watch: "none" })))
      assert.deepInclude(kept, { _tag: "WordKept", problem: "no log" })
      calls.splice(0)
      // Each token is for its own part of the contract.
      const tagged = <A, E extends { readonly _tag: string }>(act: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(act), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagged(desk("vera", ({ say }) => say(id, said))), "OperatorOnly")
      for (const refused of [
        desk("build1", ({ view }) => view),
        desk("build1", ({ say }) => say(id, said)),
        desk("build1", ({ word }) => word(id)),
        desk("nemo", ({ view }) => view),
        host("anna", ({ words }) => words(log)),
        host("anna", ({ answer }) => answer(log, id, { reason: null, note: null })),
        host("anna", ({ begin }) => begin(log, { host: "h", machine: null, takesWords: true }))
      ])
        assert.strictEqual(yield* tagged(refused as Effect.Effect<unknown, { readonly _tag: string }>), "TokenRefused")
      assert.deepStrictEqual(calls, [])
      // A database takes no such character, and is not out because of it.
      const answered = yield* Effect.promise(() =>
        fetch(`${url}/v1/logs/${log}/words/${id}`, {
          method: "POST",
          headers: { authorization: "Bearer build1", "content-type": "application/json" },
          body: JSON.stringify({ reason: "a\u0000b", note: null })
        })
      )
      assert.strictEqual(answered.status, 400)
      // Other words reach no part of the hub.
      const put = (body: unknown, name = id) =>
        Effect.promise(() =>
          fetch(`${url}/v1/fleet/words/${name}`, {
            method: "PUT",
            headers: { authorization: "Bearer anna", "content-type": "application/json" },
            body: JSON.stringify(body)
          }).then(({ status }) => status)
        )
      for (const wrong of [
        { ...said, word: "run" },
        { ...said, word: "retry --ceiling bypassPermissions" },
        { ...said, watch: "" },
        { ...said, watch: "x".repeat(201) },
        { ...said, watch: "a\u0000b" },
        { ...said, log: "../other" },
        { ...said, seen: -1 },
        { ...said, seen: 1.5 },
        { ...said, until: "for ever" },
        {}
      ])
        assert.strictEqual(yield* put(wrong), 400)
      assert.strictEqual(yield* put(said, "not-an-id"), 400)
      assert.deepStrictEqual(calls, [])
      assert.strictEqual(yield* put({ ...said, ceiling: "bypassPermissions", command: "rm" }), 200)
      assert.deepStrictEqual(calls, [[id, anna, said]], "more fields are no part of a word")
    }).pipe(Effect.provide(hub(calls)))
  })
})
