import { assert, describe, it } from "@effect/vitest"
import { type FleetEvent, markAfter, maxRequestBytes, noMark } from "@souffleur/fleet"
import { HubPeople, HubProjection, HubStore, HubWords, layerHub } from "@souffleur/hub"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Deferred, Effect, Fiber, Layer, Option, Queue, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as http from "node:http"
import { eventAt, layerHashing } from "../../fleet/test/FleetWorld.ts"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"

/** Sends a body of so many bytes, with its length or in chunks. Returns the status. */
const posted = (url: string, bytes: number, headers: Readonly<Record<string, string>>, method = "POST") =>
  Effect.callback<number>((resume) => {
    const request = http.request(url, { method, headers }, (response) => {
      resume(Effect.succeed(response.statusCode ?? 0))
      response.resume()
      request.destroy()
    })
    request.on("error", () => {})
    const chunk = Buffer.alloc(1_000_000, " ")
    let left = bytes
    const more = () => {
      while (left > 0 && !request.destroyed) {
        const part = chunk.subarray(0, Math.min(left, chunk.length))
        left -= part.length
        if (!request.write(part)) return void request.once("drain", more)
      }
      request.end()
    }
    more()
  })

const json = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })

/**
 * A hub with some hosts, and any person. The names are the tokens. `look`: its answer to a look at a log. `forked`: the
 * hosts that told a fork.
 */
const hub = (
  look: (host: string) => Effect.Effect<void> = () => Effect.void,
  isKnown: (host: string) => boolean = (name) => ["one", "two"].includes(name),
  forked: Array<string> = []
) =>
  layerHub.pipe(
    Layer.provide(
      Layer.mock(HubStore)({
        hostOf: (token) => Effect.sync(() => Option.filter(Option.some(Redacted.value(token)), isKnown)),
        append: (_host, _log, { after }) => Effect.succeed({ ...after, words: false }),
        fork: (host) => Effect.sync(() => (forked.push(host), noMark)),
        look: (host) => Effect.as(look(host), { mark: noMark, name: host, forked: false, lastSeenAgo: 0 })
      })
    ),
    Layer.provide(
      Layer.mock(HubPeople)({
        personOf: (token) => Effect.succeed(Option.some({ name: Redacted.value(token), role: "viewer", since: "" }))
      })
    ),
    Layer.provide(Layer.mock(HubWords)({})),
    Layer.provide(Layer.mock(HubProjection)({ rules: "a" })),
    Layer.provideMerge(LoopbackServer.layer({ port: 0 }))
  )

const address = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))

describe("fleet#contract", () => {
  it.live("a request that is too large is refused before it is in memory, with its length or without", () =>
    Effect.gen(function* () {
      const url = yield* address
      const events = `${url}/v1/logs/${log}/events`
      const known = { ...json("one"), "content-length": String(maxRequestBytes + 1) }
      assert.strictEqual(yield* posted(events, maxRequestBytes + 1, known), 413)
      const before = process.memoryUsage().rss
      assert.strictEqual(yield* posted(events, 500_000_000, json("one")), 413)
      assert.isBelow(process.memoryUsage().rss - before, 300_000_000)
      assert.strictEqual(yield* posted(events, 10, {}), 401)
      // A word of a person is short.
      const word = `${url}/v1/fleet/words/${log}`
      assert.strictEqual(yield* posted(word, 65_537, json("vera"), "PUT"), 413)
      assert.strictEqual(yield* posted(word, 65_536, json("vera"), "PUT"), 400)
    }).pipe(Effect.provide(hub()))
  )

  it.live("a text that a database would keep as another one is refused", () =>
    Effect.gen(function* () {
      const url = `${yield* address}/v1/logs/${log}/events`
      const shipped = Effect.fnUntraced(function* (text: string) {
        for (const place of [1, 3, 6]) {
          const event = eventAt(1).with(place, text) as unknown as FleetEvent
          const { digest } = yield* markAfter(noMark, [event])
          const body = JSON.stringify({ after: noMark, digest, events: [event], now: 0 })
          const { status } = yield* Effect.promise(() => fetch(url, { method: "POST", headers: json("one"), body }))
          assert.strictEqual(status, text === "🙂" ? 200 : 400, `${JSON.stringify(text)} at ${place}`)
        }
      })
      for (const text of ["a\uD83D", "\uDE42a", "\uDE42\uD83D", "\0", "🙂"]) yield* shipped(text)
    }).pipe(Effect.provide([hub(), layerHashing]))
  )

  it.live("a few requests of a host are answered together, its others wait unread, and no other host waits", () =>
    Effect.gen(function* () {
      const [arrived, go] = [yield* Queue.unbounded<string>(), yield* Deferred.make<void>()]
      const look = (host: string) =>
        Effect.andThen(Queue.offer(arrived, host), host === "one" ? Deferred.await(go) : Effect.void)
      yield* Effect.gen(function* () {
        const url = yield* address
        const looked = (token: string) => posted(`${url}/v1/logs/${log}`, 0, json(token), "GET")
        const all = yield* Effect.forkScoped(Effect.forEach(Array(9).fill("one"), looked, { concurrency: "unbounded" }))
        assert.deepStrictEqual(yield* Queue.takeN(arrived, 4), Array(4).fill("one"))
        for (let n = 0; n < 20; n++) assert.strictEqual(yield* looked("two"), 200)
        assert.deepStrictEqual(yield* Queue.takeAll(arrived), Array(20).fill("two"))
        yield* Deferred.succeed(go, undefined)
        assert.deepStrictEqual(yield* Fiber.join(all), Array(9).fill(200))
      }).pipe(Effect.provide(hub(look)))
    })
  )
})

describe("fleet#tokens", () => {
  it.live("a request whose token is revoked while its body comes is refused, and acts no more", () => {
    const forked: Array<string> = []
    let known = true
    let asked = Promise.withResolvers<void>()
    return Effect.gen(function* () {
      const url = `${yield* address}/v1/logs/${log}/fork`
      const body = JSON.stringify(noMark)
      /** Tells a fork. Between the two halves of its body, something happens to the token. */
      const told = (meanwhile: () => void) =>
        Effect.callback<number>((resume) => {
          asked = Promise.withResolvers()
          const headers = { ...json("one"), "content-length": String(body.length) }
          const request = http.request(url, { method: "POST", headers }, (response) => {
            resume(Effect.succeed(response.statusCode ?? 0))
            response.resume()
          })
          request.write(body.slice(0, 5))
          void asked.promise.then(() => {
            meanwhile()
            request.end(body.slice(5))
          })
        })
      assert.strictEqual(yield* told(() => {}), 200)
      assert.strictEqual(yield* told(() => (known = false)), 401)
      assert.deepStrictEqual(forked, ["one"])
    }).pipe(Effect.provide(hub(undefined, () => (asked.resolve(), known), forked)))
  })
})
