import { FakeWorld } from "@souffleur/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import { sessionToBegin } from "../src/index.ts"

const begun = (world: FakeWorld) =>
  Effect.provide(Random.withSeed(sessionToBegin, "known"), Layer.provide(world.agent.layer, world.files.layer))

describe("behaviour#first-launch", () => {
  it.effect("a session begins under an unpredictable UUID, unless its agent chooses the id", () =>
    Effect.gen(function* () {
      const first = yield* begun(new FakeWorld())
      assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
      assert.notStrictEqual(yield* begun(new FakeWorld()), first)
      const chooses = new FakeWorld()
      chooses.agent.reports = () => undefined
      assert.strictEqual(yield* begun(chooses), "")
    })
  )
})
