import { assert, describe, it } from "@effect/vitest"
import { StoreOut } from "@souffleur/fleet"
import { HubProjection, layerProjector } from "@souffleur/hub"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

describe("fleet#several-hubs", () => {
  it.effect("each hub folds until nothing is left, looks each second, and goes on after an outage", () => {
    let [left, passes, out] = [3, 0, false]
    const logged: Array<unknown> = []
    const pass = Effect.suspend(() => (passes++, out ? new StoreOut() : Effect.sync(() => Math.max(0, left--))))
    const layer = Layer.provide(layerProjector, Layer.mock(HubProjection)({ rules: "a", pass }))
    return Effect.gen(function* () {
      yield* Layer.build(layer)
      yield* Effect.repeat(TestClock.adjust("10 millis"), { times: 20 })
      assert.strictEqual(passes, 4, "no pause between passes with events")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(passes, 5)
      out = true
      yield* TestClock.adjust("3 seconds")
      out = false
      left = 1
      yield* TestClock.adjust("1 second")
      assert.strictEqual(passes, 10)
      assert.deepStrictEqual(logged, ["the hub cannot fold events, and tries again", "the hub folds events again"])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push([message].flat(2)[0]))])))
  })
})
