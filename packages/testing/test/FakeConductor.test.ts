import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begun, eventsOf, type FakeWorld, passes, untilEvent } from "../src/index.ts"
import { id, night } from "./FakeNight.ts"

const secondsOf = ({ at }: { readonly at: number }) => (at - begun) / 1000
const prompts = (world: FakeWorld) => world.launches.map(({ order }) => order?.prompt ?? "")
const sessions = (world: FakeWorld) => world.launches.map(({ order }) => order?.session._tag)

describe("a Conductor without comms", () => {
  it.effect("a Conductor that works is left alone", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* passes("30 minutes")
        assert.deepStrictEqual([world.launches, world.signals, world.exports], [[], [], []])
        // No look by the second, which would find nothing and take most of a test's time.
        assert.isBelow(world.processes.probes.length, 1000)
        assert.strictEqual((yield* eventsOf(id)).at(-1)?._tag, "WatchSettled")
        assert.strictEqual(yield* Clock.currentTimeMillis, begun + 1_800_000)
      })
    )
  )
  it.effect("a Conductor that dies goes on in its own session", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* passes("10 minutes")
        yield* world.conductor.dies
        const { conductor, exportPath, provider } = yield* untilEvent(id, "ConductorRelaunched")
        assert.deepStrictEqual([provider, exportPath, conductor?.pid], ["resume", null, world.conductor.pid])
        assert.deepStrictEqual([world.exports, world.signals, sessions(world)], [[], [], ["Resume"]])
        assert.include(prompts(world)[0], "Your conversation is as it was.")
      })
    )
  )
  it.effect("a Conductor that dies has a successor that reads its conversation, where that is chosen", () =>
    night({ settings: { recovery: "export" } }, (world) =>
      Effect.gen(function* () {
        yield* passes("10 minutes")
        yield* world.conductor.dies
        const { conductor, exportPath, sessionId } = yield* untilEvent(id, "ConductorRelaunched")
        // Nothing of this recovery takes time, so that it may be over before the death is waited for.
        const died = (yield* eventsOf(id)).find((event) => event._tag === "ConductorDied")
        assert.deepStrictEqual([died?.reason, died && secondsOf(died)], ["pid", 601])
        assert.deepStrictEqual([conductor?.pid, sessionId], [world.conductor.pid, world.conductor.sessionId])
        assert.deepStrictEqual([world.exports, world.signals, sessions(world)], [["s1"], [], ["Fresh"]])
        assert.deepStrictEqual(world.files.paths, [exportPath!])
        assert.include(prompts(world)[0], exportPath!)
      })
    )
  )
  it.effect("a successor that answers has taken its hand-off, and completes the watch", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* world.conductor.dies
        yield* untilEvent(id, "ConductorRelaunched")
        yield* world.conductor.answers
        assert.strictEqual((yield* untilEvent(id, "HandoffTaken")).generation, 2)
        yield* world.conductor.completes
        yield* untilEvent(id, "ConductorCompleted")
        assert.deepStrictEqual(world.processes.alive, [])
      })
    )
  )
  it.effect("a Conductor that hangs is stopped once every sign is silent, and not before", () =>
    night({ settings: { recovery: "export" } }, (world) =>
      Effect.gen(function* () {
        yield* world.conductor.hangs
        yield* passes("10 minutes")
        assert.deepStrictEqual(world.signals, [])
        const died = yield* untilEvent(id, "ConductorDied")
        assert.deepStrictEqual([died.reason, secondsOf(died)], ["hang", 660])
        yield* untilEvent(id, "ConductorRelaunched")
        assert.deepStrictEqual(world.signals, ["SIGTERM 4711"])
      })
    )
  )
  it.effect("a Conductor that works again is not stopped", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* world.conductor.hangs
        yield* passes("10 minutes")
        yield* world.conductor.works
        yield* passes("20 minutes")
        assert.deepStrictEqual([world.signals, world.launches], [[], []])
      })
    )
  )
  it.effect("a Conductor that fills its context hands on to a fresh session", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* world.conductor.fillsContext
        yield* untilEvent(id, "ContextExhausted")
        yield* untilEvent(id, "ConductorRelaunched")
        assert.deepStrictEqual([sessions(world), world.exports], [["Fresh"], ["s1"]])
      })
    )
  )
  it.effect("a Conductor that meets its limit goes on in its session when the limit ends", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        yield* world.conductor.meetsLimit(begun + 1_200_000)
        yield* untilEvent(id, "WaitStarted")
        assert.deepStrictEqual(world.launches, [])
        const { at } = yield* untilEvent(id, "ConductorRelaunched")
        assert.isAtLeast(at, begun + 1_200_000)
        assert.deepStrictEqual(
          world.launches.map(({ order }) => order?.session),
          [{ _tag: "Resume", sessionId: "s1" }]
        )
      })
    )
  )
  it.effect("three ends without progress leave the export, and launch no more", () =>
    night({}, (world) =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) {
          yield* world.conductor.dies
          yield* untilEvent(id, "ConductorRelaunched")
        }
        yield* world.conductor.dies
        const { exportPath } = yield* untilEvent(id, "RetriesExhausted")
        assert.lengthOf(world.launches, 2)
        assert.strictEqual(world.files.read(exportPath!), world.agent.exported)
      })
    )
  )
})

describe("a Conductor with comms", () => {
  it.effect("a Conductor that hangs is stopped by its old heartbeat", () =>
    night({ comms: true }, (world) =>
      Effect.gen(function* () {
        yield* passes("20 minutes")
        assert.deepStrictEqual(world.launches, [])
        yield* world.conductor.hangs
        assert.strictEqual((yield* untilEvent(id, "ConductorDied")).reason, "heartbeat")
      })
    )
  )
  it.effect("a Conductor that asks for a successor gives it the first words", () =>
    night({ comms: true }, (world) =>
      Effect.gen(function* () {
        yield* passes("10 minutes")
        yield* world.conductor.asksForSuccessor("Go on with part two.")
        yield* untilEvent(id, "ContextRecoveryRequested")
        yield* untilEvent(id, "ConductorRelaunched")
        assert.include(prompts(world)[0], "Go on with part two.")
        yield* world.conductor.answers
        yield* untilEvent(id, "HandoffTaken")
        yield* world.conductor.completes
        yield* untilEvent(id, "ConductorCompleted")
      })
    )
  )
})
