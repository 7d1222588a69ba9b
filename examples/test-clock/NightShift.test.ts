import { assert, it } from "@effect/vitest"
import { command, Roles } from "@souffleur/supervisor"
import { FakeWorld, identityOf, passes, untilEvent } from "@souffleur/testing"
import { Effect, Fiber, Layer } from "effect"
import { nightShift } from "./NightShift.ts"

it.effect("a Conductor that dies at 2 am has a successor that completes the night", () => {
  const conductor = { pid: 4711, sessionId: "s1" }
  const world = new FakeWorld({ conductor, begins: Date.UTC(2026, 0, 6, 1, 50) })
  return Effect.gen(function* () {
    const named = { ...conductor, process: identityOf(conductor.pid) }
    yield* command("night", { _tag: "Open", project: "/p", comms: null, observe: false, ...named })
    const diary: Array<string> = []
    const shift = yield* Effect.forkScoped(nightShift("night", diary))

    yield* passes("10 minutes")
    yield* world.conductor.dies
    yield* untilEvent("night", "ConductorRelaunched")
    yield* world.conductor.answers
    yield* passes("20 minutes")
    yield* world.conductor.completes
    yield* untilEvent("night", "ConductorCompleted")
    yield* Fiber.join(shift)

    assert.deepStrictEqual(diary, ["02:00 died: pid", "02:00 successor: process 5000", "the night ended: completed"])
    assert.deepStrictEqual(world.exports, ["s1"])
    assert.include(world.launches[0]?.order?.prompt, "exported to this file; read it first")
  }).pipe(Effect.provide(Roles.layer.pipe(Layer.provideMerge(world.layer))), Effect.scoped)
})
