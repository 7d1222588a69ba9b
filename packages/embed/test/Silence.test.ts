import { assert, describe, it } from "@effect/vitest"
import { load } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { FakeWorld, fakeKind, passes, untilEvent } from "@souffleur/testing"
import { Effect, Exit, Fiber, Layer } from "effect"
import { Parts, Souffleur, WatchDefect } from "../src/index.ts"

const conductor = { pid: 4711, sessionId: "s1" }

/** What happens to each beat of a watch: it is written, never returns, or dies. */
type Fate = "beats" | "hangs" | "dies"

const worldOf = () => {
  const world = new FakeWorld({ conductor })
  let fate: Fate = "beats"
  const beating = Layer.effect(
    Beats,
    Effect.map(Beats, ({ beat, full, last }) =>
      Beats.of({
        full,
        last: (watch) => (fate === "dies" ? Effect.die(new TypeError("a bug")) : last(watch)),
        beat: (...one) => Effect.suspend(() => (fate === "hangs" ? Effect.never : beat(...one)))
      })
    )
  )
  const ports = Layer.provideMerge(beating, world.layer)
  const layer = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(ports))
  return { world, layer, becomes: (next: Fate) => Effect.sync(() => void (fate = next)) }
}

describe("behaviour#guardian", () => {
  it.effect("a watch that falls silent is begun anew in its process before a guardian would kill it", () => {
    const { becomes, layer, world } = worldOf()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.watch({ ...conductor, project: "/p", comms: null })
      yield* untilEvent(watch.id, "WatchSettled")
      yield* passes("10 minutes")
      assert.strictEqual((yield* load(watch.id)).fence, 1)
      yield* becomes("hangs")
      yield* passes("6 minutes")
      yield* becomes("beats")
      yield* untilEvent(watch.id, "SouffleurRestored")
      const { fence, restored } = yield* load(watch.id)
      assert.isAtLeast(fence, 2)
      assert.strictEqual(restored?.restorations, fence - 1)
      yield* passes("10 minutes")
      yield* world.conductor.dies
      yield* untilEvent(watch.id, "ConductorRelaunched")
      yield* souffleur.done(watch.id)
      assert.strictEqual((yield* watch.awaitEnd).end, "completed")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("a watch that stays silent is set apart by its name, and its agent works on", () => {
    const { becomes, layer } = worldOf()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.watch({ ...conductor, project: "/p", comms: null })
      yield* untilEvent(watch.id, "WatchSettled")
      yield* becomes("hangs")
      const waiting = yield* Effect.forkScoped(Effect.flip(watch.ended))
      yield* passes("40 minutes")
      const apart = yield* Fiber.join(waiting)
      assert.instanceOf(apart, WatchDefect)
      assert.include(apart.message, watch.id)
      assert.isDefined((yield* load(watch.id)).gaveUp)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})

describe("behaviour#defects", () => {
  it.effect("a defect in the keeping of a watch is a typed error of whoever awaits it", () => {
    const { becomes, layer } = worldOf()
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const watch = yield* souffleur.watch({ ...conductor, project: "/p", comms: null })
      yield* untilEvent(watch.id, "WatchSettled")
      const waiting = yield* Effect.forkScoped(Effect.exit(watch.ended))
      yield* becomes("dies")
      yield* passes("10 minutes")
      const exit = yield* Fiber.join(waiting)
      assert.isTrue(Exit.isFailure(exit) && !exit.cause.reasons.some(({ _tag }) => _tag === "Die"))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
