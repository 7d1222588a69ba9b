import { assert, it } from "@effect/vitest"
import { digestOf } from "@souffleur/domain"
import { HostHashing } from "@souffleur/node"
import { Effect } from "effect"

it.effect("the hash of Node is that of the web platform", () =>
  Effect.gen(function* () {
    for (const text of ["", "a", "é\u{1F600}".repeat(10_000)]) {
      const here = yield* Effect.provide(digestOf(text), HostHashing.layer)
      assert.strictEqual(here, yield* digestOf(text))
    }
  })
)
