import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { LaunchSlots } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Fiber, type FileSystem, Layer, Ref, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { folder, logAt } from "./OwnLog.ts"

const spacing = Duration.seconds(5)
const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 30 }))

/** Every process of souffleur has its own connection to the one store. */
const machine = Effect.gen(function* () {
  const path = `${yield* folder}/souffleur.db`
  yield* TestClock.setTime(1_700_000_000_000)
  const begun = yield* Clock.currentTimeMillis
  const turns = yield* Ref.make<ReadonlyArray<string>>([])
  const process = Effect.map(Layer.build(logAt(path)), (context) =>
    Effect.fnUntraced(function* (watch: string, first?: "once") {
      yield* (yield* LaunchSlots)(watch, spacing, first)
      const at = ((yield* Clock.currentTimeMillis) - begun) / 1000
      yield* Ref.update(turns, (all) => [...all, `${watch} at ${at}`])
    }, Effect.provideContext(context))
  )
  return { begun, process, turns: Ref.get(turns) }
})
const test = (what: string, body: Effect.Effect<void, unknown, never>) => it.effect(what, () => body)
const inRoom = <E>(body: Effect.Effect<void, E, Scope.Scope | FileSystem.FileSystem>) =>
  body.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("behaviour#launch", () => {
  test(
    "watches that recover at once launch one after the other, each its spacing after the one before",
    inRoom(
      Effect.gen(function* () {
        const { process, turns } = yield* machine
        const takers = yield* Effect.forEach(["a", "b", "c"], (watch) => Effect.map(process, (take) => take(watch)))
        const fibers = yield* Effect.forEach(takers, (take) => Effect.forkChild(take))
        yield* settle
        assert.lengthOf(yield* turns, 1)
        yield* TestClock.adjust("4999 millis")
        assert.lengthOf(yield* turns, 1)
        yield* TestClock.adjust("1 millis")
        assert.lengthOf(yield* turns, 2)
        yield* TestClock.adjust("5 seconds")
        yield* Effect.forEach(fibers, Fiber.join)
        assert.deepStrictEqual(
          (yield* turns).map((turn) => turn.replace(/^. /u, "")),
          ["at 0", "at 5", "at 10"]
        )
      })
    )
  )

  test(
    "a first launch never waits, and what recovers then comes after it",
    inRoom(
      Effect.gen(function* () {
        const { process, turns } = yield* machine
        const take = yield* process
        for (const watch of ["a", "b", "c"]) yield* take(watch, "once")
        const recovering = yield* Effect.forkChild(take("d"))
        yield* settle
        assert.deepStrictEqual(yield* turns, ["a at 0", "b at 0", "c at 0"])
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(recovering)
        assert.deepStrictEqual((yield* turns).at(-1), "d at 5")
      })
    )
  )

  test(
    "a single watch never waits, however often it launches, nor does a launch after the spacing",
    inRoom(
      Effect.gen(function* () {
        const { process, turns } = yield* machine
        const one = yield* process
        const other = yield* process
        yield* one("a")
        yield* one("a")
        yield* TestClock.adjust("1 second")
        yield* one("a")
        yield* TestClock.adjust("5 seconds")
        yield* other("b")
        assert.deepStrictEqual(yield* turns, ["a at 0", "a at 0", "a at 1", "b at 6"])
      })
    )
  )

  test(
    "a watch that dies in its turn delays the others for no longer than that, with any clock",
    inRoom(
      Effect.gen(function* () {
        const { begun, process, turns } = yield* machine
        const one = yield* process
        const other = yield* process
        yield* one("a")
        const dead = yield* Effect.forkChild(other("b"))
        yield* settle
        yield* Fiber.interrupt(dead)
        const next = yield* Effect.forkChild(one("c"))
        yield* settle
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(next)
        assert.deepStrictEqual(yield* turns, ["a at 0", "c at 10"])
        yield* TestClock.setTime(begun - 3_600_000)
        yield* other("d")
        assert.deepStrictEqual((yield* turns).at(-1), "d at -3600")
      })
    )
  )
})
