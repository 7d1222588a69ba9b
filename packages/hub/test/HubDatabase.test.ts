import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { isOfThisMachine, layerPostgres } from "@souffleur/hub"
import { Effect, Layer, Redacted } from "effect"

describe("fleet#the-hub", () => {
  it("a Postgres of another machine is known by the host that the driver takes", () => {
    for (const url of [
      "postgres://me@127.0.0.1/souffleur",
      "postgresql://me:word@localhost:5433/souffleur?sslmode=disable",
      "postgres://me@[::1]/souffleur",
      "postgres:///souffleur",
      "postgres:///souffleur?host=/run/postgresql",
      "postgres://%2Frun%2Fpostgresql/souffleur",
      "postgres://db.example/souffleur?host=127.0.0.1"
    ])
      assert.isTrue(isOfThisMachine(url), url)
    for (const url of [
      "postgres://me@db.example/souffleur",
      "postgres://me@10.0.0.3/souffleur?sslmode=disable",
      "postgres://me@127.0.0.1.db.example/souffleur",
      "postgres://127.0.0.1@db.example/souffleur",
      "postgres://me@[fe80::1]/souffleur",
      "postgres://me@127.0.0.1/souffleur?host=db.example",
      "postgres://me@127.0.0.1/souffleur?host=127.0.0.1&host=db.example",
      "no URL"
    ])
      assert.isFalse(isOfThisMachine(url), url)
  })
  it.live("a Postgres of another machine is asked for TLS first, and hears nothing without it", () =>
    Effect.gen(function* () {
      /** Returns what a hub says to a Postgres without TLS, whose address has this host. */
      const saidTo = Effect.fnUntraced(function* (host: string) {
        let said = ""
        const server = yield* Effect.acquireRelease(
          Effect.callback<net.Server>((resume) => {
            const one = net.createServer((socket) =>
              socket.setEncoding("latin1").on("data", (text) => {
                said += text
                socket.end("N")
              })
            )
            one.listen(0, () => resume(Effect.succeed(one)))
          }),
          (one) => Effect.callback<void>((resume) => void one.close(() => resume(Effect.void)))
        )
        const { port } = server.address() as net.AddressInfo
        const url = Redacted.make(`postgres://me:secret@${host}:${port}/souffleur?sslmode=disable`)
        yield* Effect.flip(Effect.scoped(Layer.build(layerPostgres(url))))
        return said
      }, Effect.scoped)
      // This address leads to this machine, as the name of another host may.
      assert.strictEqual(yield* saidTo("0.0.0.0"), "\0\0\0\u0008\u0004\u00d2\u0016/")
      assert.include(yield* saidTo("127.0.0.1"), "souffleur-hub")
    })
  )
})

describe("fleet#view", () => {
  it.live("a database that cannot be used is told by its address and the reason, without the password", () =>
    Effect.gen(function* () {
      const url = (host: string) => Redacted.make(`postgres://me:secret@${host}/souffleur`)
      for (const [host, problem] of [
        // No server listens on the first port of a machine.
        ["127.0.0.1:1", /^the database of the hub at 127\.0\.0\.1:1\/souffleur cannot be used: connect ECONNREFUSED/u],
        ["127.0.0.1:1/a?host=/nowhere&x=", /at \/nowhere:1\/a cannot be used: .*\/nowhere/u]
      ] as const) {
        const { message } = yield* Effect.flip(Effect.scoped(Layer.build(layerPostgres(url(host)))))
        assert.match(message, problem)
        assert.notInclude(message, "secret")
      }
    })
  )
})
