import { assert, describe, it } from "@effect/vitest"
import { FakeWorld, fakeKind, untilEvent } from "@souffleur/testing"
import { Effect, Layer, Stream } from "effect"
import { Parts, Souffleur } from "../src/index.ts"

const comms = "/p/comms.db"
const first = { pid: 4711, sessionId: "s1", project: "/p", comms }
const second = { pid: 4712, sessionId: "s2", project: "/p", comms }

/** The service in a world of fakes, where two Conductors live. */
const two = () => {
  const world = new FakeWorld({ conductor: first, comms: true })
  world.processes.run({ pid: second.pid })
  return {
    world,
    layer: Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  }
}

describe("behaviour#claims", () => {
  it.effect("a second watch of a comms file is refused while the first one has a souffleur or a Conductor", () => {
    const { layer, world } = two()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* Effect.scoped(
        Effect.gen(function* () {
          const watch = yield* souffleur.watch(first)
          yield* untilEvent(watch.id, "WatchSettled")
          const error = yield* Effect.flip(souffleur.watch(second))
          assert.deepInclude(error, { _tag: "AlreadyWatched", watch: watch.id })
          return watch
        })
      )
      const error = yield* Effect.flip(souffleur.watch(second))
      assert.include(error.message, `belongs to watch ${id}, whose Conductor (pid 4711) lives`)
      assert.deepStrictEqual(world.signals, [])
      yield* souffleur.release(id)
      yield* souffleur.watch(second)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
  it.effect("a watch whose souffleur and Conductor are gone yields its comms file, and its log says to whom", () => {
    const { layer, world } = two()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const { id } = yield* Effect.scoped(
        Effect.tap(souffleur.watch(first), ({ id }) => untilEvent(id, "WatchSettled"))
      )
      world.processes.become(first.pid, "gone")
      const watch = yield* souffleur.watch(second)
      const events = yield* Stream.runCollect(souffleur.events(id))
      assert.deepInclude(events.at(-1)?.event, { _tag: "WatchReleased", to: watch.id })
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
