import { assert, describe, it } from "@effect/vitest"
import { Parts, Souffleur } from "@souffleur/embed"
import { NoticeChannels } from "@souffleur/process"
import { Clock, Effect, Layer } from "effect"
import { fakeKind, FakeWorld, passes, untilDone, untilEvent } from "../src/index.ts"

describe("behaviour#first-launch", () => {
  it.effect("a job of the fake agent dies three times, meets a limit, and ends by itself", () => {
    const world = new FakeWorld()
    const { conductor } = world
    return Effect.gen(function* () {
      const { run } = yield* Souffleur
      const { ended, id } = yield* run({ project: "/p", command: ["agent", "do it"] })
      yield* untilEvent(id, "WatchSettled")
      assert.deepInclude(world.launches[0]?.order, { prompt: "do it", print: true })
      for (let death = 1; death <= 3; death++) {
        yield* conductor.progresses
        yield* passes("10 minutes")
        yield* conductor.dies
        yield* untilEvent(id, "ConductorRelaunched")
        yield* conductor.answers
        yield* untilEvent(id, "HandoffTaken")
      }
      yield* conductor.progresses
      yield* conductor.meetsLimit(Date.UTC(2026, 0, 5, 16))
      yield* untilEvent(id, "WaitStarted")
      yield* untilEvent(id, "ConductorRelaunched", { within: "4 hours" })
      yield* conductor.answers
      yield* untilEvent(id, "HandoffTaken")
      yield* conductor.completes
      assert.strictEqual((yield* untilDone(ended)).end, "unconfirmed")
    }).pipe(
      Effect.scoped,
      Effect.provide(Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer)))
    )
  })
  it.effect(
    "a job of the fake agent that does not exit after its turn is ended, once it has rested for a stall",
    () => {
      const world = new FakeWorld()
      const { agent, conductor } = world
      agent.prints = true
      return Effect.gen(function* () {
        const { go, hold, run } = yield* Souffleur
        const { ended, id } = yield* run({ project: "/p", command: ["agent", "do it"] })
        yield* untilEvent(id, "WatchSettled")
        yield* conductor.progresses
        yield* passes("10 minutes")
        yield* conductor.lingers
        const finished = yield* Clock.currentTimeMillis
        yield* passes("6 minutes")
        assert.deepStrictEqual(world.signals, [])
        // A hold leaves it as it is, for as long as it lasts.
        yield* hold(id)
        yield* passes("20 minutes")
        assert.deepStrictEqual(world.signals, [])
        yield* go(id)
        const ending = yield* untilEvent(id, "EndingStarted")
        assert.isAtLeast(ending.at - finished, 361_000)
        assert.strictEqual((yield* untilDone(ended)).end, "unconfirmed")
        assert.deepStrictEqual([world.processes.alive, world.launches.length], [[], 1])
      }).pipe(
        Effect.scoped,
        Effect.provide(Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer)))
      )
    }
  )
  it.effect("a job of the fake agent whose login expires is launched no more, and says so", () => {
    const world = new FakeWorld()
    const told: Array<string> = []
    const channels = Layer.succeed(NoticeChannels, [
      { name: "test", words: false, send: ({ notice }) => Effect.sync(() => void told.push(notice.text)) }
    ])
    return Effect.gen(function* () {
      const { run } = yield* Souffleur
      const { id } = yield* run({ project: "/p", command: ["agent", "do it"] })
      yield* untilEvent(id, "WatchSettled")
      yield* world.conductor.losesLogin
      assert.strictEqual((yield* untilEvent(id, "RecoveryWithheld")).stage, "login")
      assert.lengthOf(world.launches, 1)
      yield* passes("1 second")
      assert.match(told.join("\n"), /login/u)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Souffleur.layer.pipe(
          Layer.provide(Parts.layerFixed(fakeKind)),
          Layer.provide(channels),
          Layer.provideMerge(world.layer)
        )
      )
    )
  })
})
