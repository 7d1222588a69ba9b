import { assert, it } from "@effect/vitest"
import { maxRequestBytes } from "@souffleur/fleet"
import { HubPeople, HubProjection, HubStore, HubWords, layerHub } from "@souffleur/hub"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as http from "node:http"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"

/** Sends a body of so many bytes, with its length or in chunks. Returns the status. */
const posted = (url: string, bytes: number, headers: Readonly<Record<string, string>>) =>
  Effect.callback<number>((resume) => {
    const request = http.request(`${url}/v1/logs/${log}/events`, { method: "POST", headers }, (response) => {
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

it.live("a request that is too large is refused before it is in memory, with its length or without", () =>
  Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const url = HttpServer.formatAddress(server.address)
    const authorization = "Bearer token"
    const known = { authorization, "content-type": "application/json", "content-length": String(maxRequestBytes + 1) }
    assert.strictEqual(yield* posted(url, maxRequestBytes + 1, known), 413)
    const chunked = { authorization, "content-type": "application/json" }
    const before = process.memoryUsage().rss
    assert.strictEqual(yield* posted(url, 500_000_000, chunked), 413)
    assert.isBelow(process.memoryUsage().rss - before, 300_000_000)
    assert.strictEqual(yield* posted(url, 10, {}), 401)
  }).pipe(
    Effect.provide(
      layerHub.pipe(
        Layer.provide(
          Layer.mock(HubStore)({
            hostOf: (token) => Effect.succeed(Redacted.value(token) === "token" ? Option.some("one") : Option.none())
          })
        ),
        Layer.provide(Layer.mock(HubPeople)({})),
        Layer.provide(Layer.mock(HubWords)({})),
        Layer.provide(Layer.mock(HubProjection)({ rules: "a" })),
        Layer.provideMerge(LoopbackServer.layer({ port: 0 }))
      )
    )
  )
)
