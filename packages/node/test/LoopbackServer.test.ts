import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { request } from "node:http"
import { connect, type Socket } from "node:net"
import * as LoopbackServer from "../src/LoopbackServer.ts"

const served = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  yield* server.serve(Effect.succeed(HttpServerResponse.text("here")))
  return (server.address as { readonly port: number }).port
})

const statusOf = (port: number, headers: Readonly<Record<string, string>> = {}) =>
  Effect.callback<number | undefined>((resume) => {
    request({ host: "127.0.0.1", port, headers, agent: false }, (answer) => {
      answer.resume()
      resume(Effect.succeed(answer.statusCode))
    })
      .on("error", () => resume(Effect.succeed(undefined)))
      .end()
  })

const opened = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("command-line#page", () => {
  it.live("a thousand connections that ask for nothing keep no other out: the oldest of too many is closed", () =>
    Effect.gen(function* () {
      const port = yield* served
      const first = yield* opened(port)
      yield* Effect.forEach(Array.from({ length: 1000 }), () => opened(port))
      const half = yield* opened(port)
      half.write("GET / HTTP/1.1\r\nHost: ")
      assert.strictEqual(yield* statusOf(port), 200)
      yield* Effect.repeat(
        Effect.sync(() => first.closed),
        { until: (closed) => closed }
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.orDie(LoopbackServer.layer({ port: 0, idle: 64, connections: 256 }))))
  )
  it.live("a request that comes before the program behind the server is answered once that is there", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const { port } = server.address as { readonly port: number }
      const status = Promise.withResolvers<number | undefined>()
      const received = Promise.withResolvers<void>()
      request({ host: "127.0.0.1", port, method: "POST", headers: { expect: "100-continue" }, agent: false })
        .on("continue", received.resolve)
        .on("response", (answer) => status.resolve(answer.resume().statusCode))
        .on("error", status.reject)
        .end()
      yield* Effect.promise(() => received.promise)
      yield* served
      assert.strictEqual(yield* Effect.promise(() => status.promise), 200)
    }).pipe(Effect.scoped, Effect.provide(Layer.orDie(LoopbackServer.layer({ port: 0 }))))
  )
  it.live("cookies of other ports of this host fill no request: as many as a browser sends are read", () =>
    Effect.gen(function* () {
      const port = yield* served
      const cookie = Array.from({ length: 180 }, (_, n) => `c${n}=${"x".repeat(4090)}`).join("; ")
      assert.strictEqual(yield* statusOf(port, { cookie }), 200)
      assert.strictEqual(yield* statusOf(port, { cookie: cookie.repeat(2) }), 431)
    }).pipe(Effect.scoped, Effect.provide(Layer.orDie(LoopbackServer.layer({ port: 0 }))))
  )
})
