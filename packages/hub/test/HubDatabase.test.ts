import { assert, it } from "@effect/vitest"
import { isOfThisMachine } from "@souffleur/hub"

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
