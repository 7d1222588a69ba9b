import { assert, describe, it } from "@effect/vitest"
import { Claims, Event, EventLog } from "@souffleur/domain"
import { LogUnusable } from "@souffleur/eventlog"
import { Parts, Souffleur } from "@souffleur/embed"
import { fakeKind, FakeWorld, ownerOf } from "@souffleur/testing"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { keepWatches } from "../src/watching/KeepWatches.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { surroundingsIn } from "./Surroundings.ts"

const at = 1000
const opened = Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false })
const owned = Event.OwnerTook.make({ at, fence: 1, owner: ownerOf(77) })

const layerEnvironment = Layer.succeed(Environment, surroundingsIn("/p", {}))

const layerSouffleur = Layer.provide(Souffleur.layer, Parts.layerFixed(fakeKind))

/** A log whose reads fail while a reason is named. */
const layerFailing = (reason: () => LogUnusable["reason"] | undefined) => {
  const unusable = Effect.suspend(() => {
    const why = reason()
    return why === undefined ? Effect.void : Effect.fail(new LogUnusable({ reason: why, problem: `it is ${why}` }))
  })
  return Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) => ({
      ...log,
      readAll: (after: number) => Stream.unwrap(Effect.as(unusable, log.readAll(after))),
      streams: Effect.andThen(unusable, log.streams)
    }))
  )
}

describe("behaviour#service", () => {
  it.effect("a service of all watches tells a locked log once and looks again, and ends at a newer one", () => {
    const world = new FakeWorld()
    let reason: LogUnusable["reason"] | undefined
    return Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("night", 0, [opened, owned, Event.OwnerLeft.make({ at, fence: 1 })])
      const keeper = yield* Effect.forkChild(Effect.flip(keepWatches))
      const told = Effect.map(TestConsole.errorLines, (lines) => lines.map(String))
      const looked = TestClock.adjust("60 seconds")
      yield* looked
      assert.deepStrictEqual(yield* TestConsole.logLines, [
        'night  a person ended its souffleur, so none is started: "souffleur resume night" tries it again'
      ])
      reason = "locked"
      yield* looked
      yield* looked
      const locked = "warning: the event log cannot be used: it is locked; the next look is in 1m"
      assert.deepStrictEqual(yield* told, [locked])
      reason = undefined
      yield* looked
      reason = "locked"
      yield* looked
      assert.deepStrictEqual(yield* told, [locked, locked])
      reason = "full"
      yield* looked
      reason = "locked"
      yield* looked
      assert.deepStrictEqual(yield* told, [locked, locked, locked.replace("is locked", "is full"), locked])
      reason = "newer"
      yield* looked
      assert.strictEqual((yield* Fiber.join(keeper))._tag, "LogUnusable")
      assert.lengthOf(yield* TestConsole.logLines, 1)
    }).pipe(
      Effect.provide([
        layerSouffleur.pipe(Layer.provideMerge(layerFailing(() => reason)), Layer.provideMerge(world.layer)),
        TestConsole.layer,
        layerEnvironment
      ])
    )
  })

  it.effect("a watch whose owner cannot be seen from here is told as such, with the word that moves it", () => {
    const world = new FakeWorld()
    return Effect.gen(function* () {
      const log = yield* EventLog
      const owner = { ...ownerOf(77), pidNamespace: "pid:[2]", host: "another" }
      yield* log.append("night", 0, [opened, Event.OwnerTook.make({ at, fence: 1, owner })])
      yield* Effect.forkChild(keepWatches)
      yield* TestClock.adjust("1 second")
      assert.match(
        String((yield* TestConsole.logLines)[0]),
        /may be alive where its processes cannot be seen .* "souffleur resume night --moved" goes on here/u
      )
    }).pipe(Effect.provide([layerSouffleur.pipe(Layer.provideMerge(world.layer)), TestConsole.layer, layerEnvironment]))
  })

  it.effect(
    "a souffleur that dies while the service looks is left to the next look, which counts its successor",
    () => {
      const world = new FakeWorld()
      let looks = 0
      const layerDying = Layer.effect(
        Claims,
        Effect.map(Claims, (claims) => Claims.of({ ...claims, isDead: () => Effect.sync(() => ++looks > 1) }))
      )
      return Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append("night", 0, [opened, owned])
        yield* Effect.forkChild(keepWatches)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* TestConsole.logLines)[0], "night  souffleur pid 77 watches it already")
      }).pipe(
        Effect.provide([
          layerSouffleur.pipe(Layer.provideMerge(layerDying), Layer.provideMerge(world.layer)),
          TestConsole.layer,
          layerEnvironment
        ])
      )
    }
  )
})
