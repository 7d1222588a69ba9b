import { assert, describe, it } from "@effect/vitest"
import { StoreOut } from "@souffleur/fleet"
import { HubProjection, HubRetention, layerForgetting } from "@souffleur/hub"
import { Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { layerOneHub } from "./OneHub.ts"

describe("fleet#retention", () => {
  it.effect("old events are removed each hour until none are left, and after an outage in the next hour", () => {
    let [left, out] = [120, false]
    const removed: Array<number> = []
    const logged: Array<unknown> = []
    const forget = (keep: Duration.Duration) =>
      Effect.suspend(() => {
        if (out) return new StoreOut()
        const jobs = Math.min(left, 50)
        left -= jobs
        removed.push(jobs)
        return Effect.as(
          Effect.sync(() => assert.strictEqual(Duration.toDays(keep), 90)),
          jobs
        )
      })
    const layer = layerForgetting(Duration.days(90)).pipe(
      Layer.provide(layerOneHub),
      Layer.provide(Layer.mock(HubProjection)({ rules: "a" })),
      Layer.provide(Layer.mock(HubRetention)({ forget }))
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 0, 30))
      yield* Layer.build(layer)
      yield* TestClock.adjust("29 minutes")
      assert.deepStrictEqual(removed, [])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(removed, [50, 50, 20, 0])
      out = true
      yield* TestClock.adjust("1 hour")
      out = false
      left = 7
      yield* TestClock.adjust("58 minutes")
      assert.lengthOf(removed, 4)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(removed.slice(4), [7, 0])
      assert.deepStrictEqual(logged, [
        "the hub cannot remove old events, and tries again",
        "the hub removes old events again"
      ])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push([message].flat(2)[0]))])))
  })
})
