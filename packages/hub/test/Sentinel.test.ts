import { assert, describe, it } from "@effect/vitest"
import { StoreOut } from "@souffleur/fleet"
import { type Alarm, HubAlarms, HubProjection, layerListening, layerSentinel } from "@souffleur/hub"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { layerOneHub } from "./OneHub.ts"

const alarm: Alarm = {
  kind: "silent",
  host: "one",
  job: null,
  why: "silent",
  key: { log: "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1", stream: "", begun: "2026-01-01" }
}

describe("fleet#alarms", () => {
  it.effect("the sentinel begins once all is folded, goes on after an outage, and marks what a channel took", () => {
    let [left, out, takes] = [3, true, false]
    const [heard, marked]: [Array<number>, Array<number>] = [[], []]
    const logged: Array<unknown> = []
    const layer = layerSentinel((alarms) => Effect.sync(() => (heard.push(alarms.length), takes))).pipe(
      Layer.provide(layerOneHub),
      Layer.provide(
        Layer.mock(HubProjection)({
          rules: "a",
          pass: Effect.suspend(() => (out ? new StoreOut() : Effect.sync(() => Math.max(0, left--))))
        })
      ),
      Layer.provide(
        Layer.mock(HubAlarms)({
          take: Effect.suspend(() => (left > 0 ? Effect.die("not all is folded") : Effect.succeed([alarm, alarm]))),
          told: (alarms) => Effect.sync(() => void marked.push(alarms.length))
        })
      )
    )
    return Effect.gen(function* () {
      yield* Layer.build(layer)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([heard, marked], [[], []])
      out = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([heard, marked], [[2], []])
      takes = true
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([heard, marked], [[2, 2], [2]])
      out = true
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(heard, 3, "it folds once")
      assert.deepStrictEqual(logged, ["the hub cannot tell alarms, and tries again", "the hub tells alarms again"])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push([message].flat(2)[0]))])))
  })

  it.effect("a sentinel that moves to another hub in the midst of a notice marks it first", () =>
    Effect.gen(function* () {
      const [begun, took] = [yield* Deferred.make<void>(), yield* Deferred.make<boolean>()]
      let marked = 0
      const layer = layerSentinel(() => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(took))).pipe(
        Layer.provide(layerOneHub),
        Layer.provide(Layer.mock(HubProjection)({ rules: "a", pass: Effect.succeed(0) })),
        Layer.provide(
          Layer.mock(HubAlarms)({ take: Effect.succeed([alarm]), told: () => Effect.sync(() => void marked++) })
        )
      )
      const hub = yield* Effect.forkChild(Layer.launch(layer))
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(begun)
      const ended = yield* Effect.forkChild(Fiber.interrupt(hub))
      yield* Effect.yieldNow
      yield* Deferred.succeed(took, true)
      yield* Fiber.join(ended)
      assert.strictEqual(marked, 1)
    })
  )
  it.effect("a hub that may tell alarms listens, through outages too", () => {
    let listens = 0
    const listen = Effect.suspend(() => (++listens === 2 ? new StoreOut() : Effect.void))
    return Effect.gen(function* () {
      yield* Layer.build(Layer.provide(layerListening, Layer.mock(HubAlarms)({ listen })))
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(listens, 4)
    })
  })
})
