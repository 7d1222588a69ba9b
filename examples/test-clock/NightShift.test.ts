import { assert, it } from "@effect/vitest"
import { Parts, Souffleur } from "@souffleur/embed"
import { fakeKind, FakeWorld, passes, untilDone, untilEvent } from "@souffleur/testing"
import { Effect, Fiber, Layer } from "effect"
import { nightShift } from "./NightShift.ts"

it.effect("a Conductor that dies at 2 am has a successor that completes the night", () => {
  const conductor = { pid: 4711, sessionId: "s1" }
  const world = new FakeWorld({ conductor, begins: Date.UTC(2026, 0, 6, 1, 50) })
  const souffleur = Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  return Effect.gen(function* () {
    const diary: Array<string> = []
    const shift = yield* Effect.forkScoped(nightShift({ project: "/p", ...conductor }, diary))
    yield* passes("10 minutes")
    const { id } = yield* (yield* Souffleur).find(conductor.sessionId)

    yield* world.conductor.dies
    yield* untilEvent(id, "ConductorRelaunched")
    yield* world.conductor.answers
    yield* passes("20 minutes")
    yield* world.conductor.completes
    yield* untilDone(Fiber.join(shift))

    assert.deepStrictEqual(diary, ["02:00 died: pid", "02:00 successor: process 5000", "the night ended: unconfirmed"])
    const [first] = world.launches
    assert.deepStrictEqual(first?.order?.session, { _tag: "Resume", sessionId: "s1" })
    assert.include(first?.order?.prompt, "Your conversation is as it was.")
  }).pipe(Effect.provide(souffleur), Effect.scoped)
})
