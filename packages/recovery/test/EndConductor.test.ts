import { assert, describe, it } from "@effect/vitest"
import { evolve, initial, type ProcessIdentity, type Watch } from "@souffleur/domain"
import { Offspring } from "@souffleur/eventlog"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { endConductor, isStopped, otherWriter } from "../src/steps/EndConductor.ts"
import { recovering } from "./CrashingLog.ts"
import { type FakeProcess, type FakeWorld, identityOf } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

const watch: Watch = recovering().reduce(evolve, initial)
const conductor: FakeProcess = { pid: 4711, parent: 1 }
const tool = { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" }
const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }))

const within = <A, E, R>(world: FakeWorld, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(worldLayer(world, "/state")), Effect.provide(world.files.layer))
/** Runs the stop, so that a test can watch it while time goes on. */
const stopping = Effect.fnUntraced(function* (world: FakeWorld, of: Watch = watch) {
  const fiber = yield* Effect.forkChild(Effect.exit(within(world, endConductor(of))))
  yield* settle
  return fiber
})
const stop = (world: FakeWorld, of: Watch = watch) => within(world, endConductor(of))

const launched = identityOf(5000)

const corrected: Watch = { ...watch, launched, launchId: "w-g2-c1-6-launch-1", sessions: ["s1"] }

const two = () => {
  const world = worldOf(conductor, { pid: 5000, parent: 10 }, { pid: 5001, parent: 5000 }, { pid: 70, parent: 1 })
  world.agent.sessions = [
    { pid: 4711, sessionId: "s1" },
    // Its pid file names an unknown session, so that no other check finds it.
    { pid: 5000, sessionId: "s-launched" },
    { pid: 70, sessionId: "s-other" }
  ]
  return world
}

const seen = identityOf(40)

const knowing = <A, E, R>(world: FakeWorld, effect: Effect.Effect<A, E, R>, of: ProcessIdentity = identityOf(4711)) =>
  within(
    world,
    Effect.andThen(
      Effect.flatMap(Offspring, ({ remember }) => remember(of, [seen])),
      effect
    )
  )

const left = () => worldOf({ pid: 40, parent: 1 }, { pid: 41, parent: 40 }, { pid: 60, parent: 1 })

describe("behaviour#stop", () => {
  it.effect("a Conductor that ends by SIGTERM is signalled once", () =>
    Effect.gen(function* () {
      const world = worldOf(conductor)
      assert.deepStrictEqual(yield* stop(world), { ended: "SIGTERM", others: 0 })
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
    })
  )
  it.effect("a Conductor gets the grace, and no further signal during it", () =>
    Effect.gen(function* () {
      const world = worldOf({ ...conductor, on: { SIGTERM: 9000 } })
      const fiber = yield* stopping(world)
      yield* TestClock.adjust("8900 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(yield* Effect.flatten(Fiber.join(fiber)), { ended: "SIGTERM", others: 0 })
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
    })
  )
  it.effect("a Conductor is killed at the end of the grace, not before", () =>
    Effect.gen(function* () {
      const world = worldOf({ ...conductor, on: { SIGTERM: "stays" } })
      const fiber = yield* stopping(world)
      yield* TestClock.adjust("9999 millis")
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(world.did, ["SIGTERM 4711", "SIGKILL 4711"])
      assert.deepStrictEqual(yield* Effect.flatten(Fiber.join(fiber)), { ended: "SIGKILL", others: 0 })
    })
  )
  it.effect("a zombie counts as gone, and an ended process gets no signal", () =>
    Effect.gen(function* () {
      const world = worldOf({ ...conductor, on: { SIGTERM: "zombie" } })
      assert.deepStrictEqual(yield* stop(world), { ended: "SIGTERM", others: 0 })
      assert.deepStrictEqual(yield* stop(world), { ended: "already gone", others: 0 })
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
    })
  )
  it.effect("another process with the pid gets no signal", () =>
    Effect.gen(function* () {
      const world = worldOf(conductor)
      const before: Watch = { ...watch, conductor: { pid: 4711, startTime: 1, bootId: "boot" } }
      assert.strictEqual((yield* stop(world, before)).ended, "already gone")
      assert.deepStrictEqual([world.did.filter((what) => what.endsWith("4711")), world.processes.alive], [[], [4711]])
    })
  )

  describe("its tree", () => {
    it.effect("the tree ends too: children, re-parented processes with its tag, and processes of the tools", () =>
      Effect.gen(function* () {
        const world = worldOf(
          conductor,
          { pid: 20, parent: 4711 },
          { pid: 21, parent: 20 },
          { pid: 30, parent: 1, environment: tool },
          { pid: 31, parent: 30 },
          { pid: 40, parent: 1 }
        )
        assert.deepStrictEqual(yield* stop(world), { ended: "SIGTERM", others: 4 })
        assert.deepStrictEqual(world.processes.alive, [40])
      })
    )
    it.effect("the tree is known by its launch", () =>
      Effect.gen(function* () {
        const launched: Watch = { ...watch, launchId: "w-g2" }
        const world = worldOf(conductor, { pid: 30, parent: 1, environment: { SOUFFLEUR_LAUNCH_ID: "w-g2" } })
        assert.deepStrictEqual(yield* stop(world, launched), { ended: "SIGTERM", others: 1 })
      })
    )
    it.effect("the tree is read before the first signal, and again after it for new processes", () =>
      Effect.gen(function* () {
        const world = worldOf({ ...conductor, on: { SIGTERM: 3000 } }, { pid: 20, parent: 4711 })
        const fiber = yield* stopping(world)
        yield* TestClock.adjust("1 second")
        // Re-parented before the Conductor is gone; started while it was ending.
        world.processes.run({ pid: 20, parent: 1 }, { pid: 22, parent: 1, environment: tool })
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* Effect.flatten(Fiber.join(fiber)), { ended: "SIGTERM", others: 2 })
        assert.deepStrictEqual(world.processes.alive, [])
      })
    )
    it.effect("the tree ends from the top down: a shell whose command ended would go on to its next one", () =>
      Effect.gen(function* () {
        const world = worldOf(
          { pid: 22, parent: 21 },
          { pid: 21, parent: 20 },
          { pid: 20, parent: 1, environment: tool, on: { SIGTERM: "stays" } },
          { pid: 30, parent: 1, environment: tool }
        )
        const fiber = yield* stopping(world)
        yield* TestClock.adjust("9 seconds")
        assert.sameMembers(world.did, ["SIGTERM 20", "SIGTERM 30"])
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(yield* Effect.flatten(Fiber.join(fiber)), { ended: "already gone", others: 4 })
        assert.deepStrictEqual(world.did.slice(2), ["SIGKILL 20", "SIGTERM 21", "SIGTERM 22"])
      })
    )
    it.effect("the tree is walked again until it is empty, and not for ever", () =>
      Effect.gen(function* () {
        const begins = (most: number) => {
          const world = worldOf({ pid: 30, parent: 1, environment: tool })
          world.processes.onSignal = (pid) => {
            if (pid < most) world.processes.run({ pid: pid + 1, parent: 1, environment: tool })
          }
          return world
        }
        const world = begins(33)
        assert.deepStrictEqual(yield* stop(world), { ended: "already gone", others: 4 })
        assert.deepStrictEqual(world.processes.alive, [])
        const error = yield* Effect.flip(stop(begins(99)))
        assert.strictEqual(error.message, "its processes begin others faster than they end: 35")
      })
    )
    it.effect("the tree has the agents that its tools run, unless a person or a task of comms may need them", () =>
      Effect.gen(function* () {
        const launchId = "w-g2-c1-6-launch-1"
        const ofLaunch = { SOUFFLEUR_LAUNCH_ID: launchId }
        const left = Effect.fnUntraced(function* (
          helper: Partial<FakeProcess>,
          { comms = null, sessionId, ...change }: { sessionId?: string } & Partial<Watch> = {},
          prepare: (world: FakeWorld) => void = () => {}
        ) {
          const world = worldOf({ pid: 40, parent: 1, words: ["/bin/agent", "-p"], ...helper }, { pid: 41, parent: 40 })
          if (sessionId !== undefined) world.agent.sessions = [{ pid: 40, sessionId }]
          prepare(world)
          yield* stop(world, { ...watch, launchId, comms, ...change })
          return world.processes.alive
        })
        const both = [40, 41]
        // By its command line alone, and by a session of its own.
        for (const sessionId of [undefined, "s-helper"])
          for (const environment of [tool, ofLaunch])
            assert.deepStrictEqual(yield* left({ environment }, { ...(sessionId && { sessionId }) }), [])
        const sessionId = "s-helper"
        assert.deepStrictEqual(yield* left({ parent: 1 }, { sessionId }), both, "no mark")
        assert.deepStrictEqual(yield* left({ environment: tool, hasTerminal: true }, { sessionId }), both, "a terminal")
        // Musicians carry the marks of a Conductor's tools.
        const comms = "/p/comms.db"
        assert.deepStrictEqual(yield* left({ environment: tool }, { sessionId, comms }), both)
        assert.deepStrictEqual(yield* left({ environment: ofLaunch }, { sessionId, comms }), [])
        const tasks = (sessionId: string | null) => (world: FakeWorld) =>
          void (world.comms.tasks = [{ id: "task-01", state: "working", sessionId, lastHeartbeat: null }])
        assert.deepStrictEqual(yield* left({ environment: ofLaunch }, { sessionId, comms }, tasks(sessionId)), both)
        assert.deepStrictEqual(yield* left({ environment: ofLaunch }, { sessionId, comms }, tasks(null)), [])
        const windowed = (world: FakeWorld) => {
          tasks(null)(world)
          world.processes.run(
            { pid: 39, parent: 1 },
            { pid: 40, parent: 39, words: ["/bin/agent"], environment: ofLaunch }
          )
          world.files.write("/p/temp/musician-task-01.pid", "39\n")
        }
        assert.includeMembers([...(yield* left({}, { sessionId, comms, project: "/p" }, windowed))], both)
        const out = (world: FakeWorld) => void (world.comms.out = "locked")
        assert.deepStrictEqual(yield* left({ environment: ofLaunch }, { sessionId, comms }, out), both, "not known")
      })
    )
    it.effect("the tree is stopped although the Conductor is gone: a kill leaves its tools behind", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 30, parent: 1, environment: tool })
        assert.deepStrictEqual(yield* stop(world), { ended: "already gone", others: 1 })
      })
    )
    it.effect(
      "the tree gets no signal when another agent has the Conductor's pid and session: tools carry the same tags",
      () =>
        Effect.gen(function* () {
          const world = worldOf(
            conductor,
            { pid: 20, parent: 4711, environment: tool },
            { pid: 30, parent: 1, environment: tool }
          )
          world.agent.sessions = [{ pid: 4711, sessionId: "s1" }]
          const before: Watch = { ...watch, conductor: { pid: 4711, startTime: 1, bootId: "boot" } }
          assert.deepStrictEqual(yield* stop(world, before), { ended: "already gone", others: 0 })
          assert.deepStrictEqual(world.did, [])
        })
    )
    it.effect(
      "the tree never has protected processes: souffleur, a terminal server, another agent session with its subtree",
      () =>
        Effect.gen(function* () {
          const world = worldOf(
            conductor,
            { pid: 10, parent: 4711, protected: true },
            { pid: 11, parent: 10 },
            { pid: 50, parent: 4711, environment: tool },
            { pid: 51, parent: 50, environment: tool },
            { pid: 60, parent: 4711 }
          )
          world.agent.sessions = [
            { pid: 4711, sessionId: "s1" },
            { pid: 50, sessionId: "another" }
          ]
          assert.deepStrictEqual(yield* stop(world), { ended: "SIGTERM", others: 1 })
          assert.deepStrictEqual(world.did, ["SIGTERM 4711", "SIGTERM 60"])
        })
    )
  })

  describe("a stop fails without proof of the end", () => {
    const failure = Effect.fnUntraced(function* (world: FakeWorld, of: Watch = watch) {
      const fiber = yield* stopping(world, of)
      yield* TestClock.adjust("1 minute")
      return yield* Effect.flip(Effect.flatten(Fiber.join(fiber)))
    })
    it.effect("a process that may not be signalled", () =>
      Effect.gen(function* () {
        const error = yield* failure(worldOf({ ...conductor, on: { SIGTERM: "not permitted" } }))
        assert.deepStrictEqual(
          [error._tag, error.message],
          ["StopFailed", "process 4711 belongs to another user and cannot be signalled"]
        )
      })
    )
    it.effect("a process that survives SIGKILL", () =>
      Effect.gen(function* () {
        const world = worldOf({ ...conductor, on: { SIGTERM: "stays", SIGKILL: "stays" } })
        assert.include((yield* failure(world)).message, "4711 did not end")
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "SIGKILL 4711"])
      })
    )
    it.effect("a child that survives SIGKILL, or may not be signalled", () =>
      Effect.gen(function* () {
        const stubborn = worldOf(conductor, { pid: 20, parent: 4711, on: { SIGTERM: "stays", SIGKILL: "stays" } })
        assert.include((yield* failure(stubborn)).message, "20")
        const foreign = worldOf(conductor, { pid: 20, parent: 4711, on: { SIGTERM: "not permitted" } })
        assert.include((yield* failure(foreign)).message, "20")
      })
    )
    it.effect("a Conductor whose process is not known", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor)
        assert.include((yield* failure(world, { ...watch, conductor: undefined })).message, "not known")
        assert.deepStrictEqual(world.did, [])
      })
    )
  })

  it.effect("the launched process is another writer while it lives, and the stop is not done", () =>
    Effect.gen(function* () {
      const world = two()
      world.processes.end(4711)
      world.agent.sessions = world.agent.sessions.slice(1)
      assert.isFalse(yield* within(world, isStopped(corrected)))
      assert.include(yield* within(world, otherWriter(corrected)), "5000")
      world.processes.end(5000)
      world.processes.end(5001)
      assert.isTrue(yield* within(world, isStopped(corrected)))
      assert.isUndefined(yield* within(world, otherWriter(corrected)))
    })
  )
  it.effect("a launched process that cannot be ended closes the cycle", () =>
    Effect.gen(function* () {
      const world = two()
      world.processes.run({ pid: 5000, parent: 10, on: { SIGTERM: "stays", SIGKILL: "stays" } })
      const fiber = yield* stopping(world, corrected)
      yield* TestClock.adjust("1 minute")
      assert.include(JSON.stringify(yield* Fiber.join(fiber)), "process 5000 did not end")
    })
  )
  it.effect("a launched process whose pid another agent now has is left alone", () =>
    Effect.gen(function* () {
      const world = two()
      const before = { ...corrected, launched: { ...launched, startTime: 1 } }
      assert.deepStrictEqual(yield* stop(world, before), { ended: "SIGTERM", others: 0 })
      assert.deepStrictEqual(world.processes.alive, [5000, 5001, 70])
      assert.isTrue(yield* within(world, isStopped(before)))
    })
  )

  it.effect("seen offspring is stopped with the Conductor, and so are its later children", () =>
    Effect.gen(function* () {
      const world = left()
      assert.isFalse(yield* knowing(world, isStopped(watch)))
      assert.include(yield* knowing(world, otherWriter(watch)), "40, 41")
      assert.deepStrictEqual(yield* knowing(world, endConductor(watch)), { ended: "already gone", others: 2 })
      assert.deepStrictEqual(world.processes.alive, [60])
      assert.isTrue(yield* knowing(world, isStopped(watch)))
    })
  )
  it.effect("seen offspring is left alone when it is another agent's session, or was seen of another Conductor", () =>
    Effect.gen(function* () {
      const world = left()
      world.agent.sessions = [{ pid: 40, sessionId: "another" }]
      assert.deepStrictEqual(yield* knowing(world, endConductor(watch)), { ended: "already gone", others: 0 })
      world.agent.sessions = []
      const before = { ...identityOf(4711), startTime: 1 }
      assert.deepStrictEqual(yield* knowing(world, endConductor(watch), before), { ended: "already gone", others: 0 })
      assert.deepStrictEqual(world.did, [])
    })
  )
})

describe("behaviour#one-owner", () => {
  it.effect("the grant is checked right before each signal, and none is sent without it", () =>
    Effect.gen(function* () {
      const world = worldOf({ ...conductor, on: { SIGTERM: "stays" } })
      const granted = Effect.suspend(() => (world.did.length === 0 ? Effect.void : Effect.fail("released" as const)))
      const fiber = yield* Effect.forkChild(Effect.exit(within(world, endConductor(watch, granted))))
      yield* settle
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Effect.flip(Effect.flatten(Fiber.join(fiber))), "released")
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
    })
  )
})

describe("behaviour#one-writer", () => {
  describe("one writer", () => {
    it.effect("a crash inside the stop: stopped only when the Conductor and its tree are gone", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor, { pid: 30, parent: 1, environment: tool })
        const stopped = within(world, isStopped(watch))
        assert.isFalse(yield* stopped)
        world.processes.table.get(4711)!.condition = "zombie"
        assert.isFalse(yield* stopped)
        world.processes.table.get(30)!.condition = "gone"
        assert.isTrue(yield* stopped)
        assert.isFalse(yield* within(world, isStopped({ ...watch, conductor: undefined })))
        // A process without children counts too.
        assert.isFalse(yield* within(worldOf(conductor), isStopped(watch)))
      })
    )
    it.effect("another writer is the live process with the session, or leftovers of the old tree", () =>
      Effect.gen(function* () {
        const world = worldOf()
        const writer = within(world, otherWriter(watch))
        assert.isUndefined(yield* writer)
        world.processes.run({ pid: 70, parent: 1 })
        world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
        assert.include(yield* writer, "70")
        world.agent.sessions = [{ pid: 70, sessionId: "another" }]
        assert.isUndefined(yield* writer)
        // A process that resumed the session of an earlier generation does the same work.
        const later = { ...watch, sessionId: "s2", sessions: ["another", "s2"] }
        assert.include(yield* within(world, otherWriter(later)), "70")
        world.processes.run({ pid: 30, parent: 1, environment: tool })
        assert.include(yield* writer, "30")
      })
    )
    it.effect("a tool is no leftover when another agent got the Conductor's pid and session during the read", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 30, parent: 1, environment: tool })
        assert.isFalse(yield* within(world, isStopped(watch)))
        let looks = 0
        Object.defineProperty(world.agent, "sessions", {
          get: () => (looks++ === 0 ? [] : [{ pid: 4711, sessionId: "s1" }])
        })
        assert.isTrue(yield* within(world, isStopped(watch)))
      })
    )
    it.effect("the holder of the session is checked last: a person may come while souffleur is suspended", () =>
      Effect.gen(function* () {
        const world = worldOf()
        world.processes.run({ pid: 70, parent: 1 })
        let looks = 0
        Object.defineProperty(world.agent, "sessions", {
          get: () => (looks++ < 1 ? [] : [{ pid: 70, sessionId: "s1" }])
        })
        assert.strictEqual(yield* within(world, otherWriter(watch)), "process 70 holds the session")
        assert.strictEqual(looks, 2)
      })
    )
  })
})

describe("behaviour#stop, security#processes", () => {
  it.effect("the launched process and its tree are stopped too: two would be at work", () =>
    Effect.gen(function* () {
      const world = two()
      assert.deepStrictEqual(yield* stop(world, corrected), { ended: "SIGTERM", others: 2 })
      assert.deepStrictEqual(world.processes.alive, [70])
    })
  )
})

describe("behaviour#still-dead", () => {
  it.effect("an agent that outlives its launcher is stopped, although it holds the session by itself now", () =>
    Effect.gen(function* () {
      const world = left()
      world.agent.sessions = [{ pid: 40, sessionId: "s1" }]
      assert.isFalse(yield* knowing(world, isStopped(watch)))
      assert.deepStrictEqual(yield* knowing(world, endConductor(watch)), { ended: "already gone", others: 2 })
      assert.deepStrictEqual(world.processes.alive, [60])
    })
  )
})
