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
