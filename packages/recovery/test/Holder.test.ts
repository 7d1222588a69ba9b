import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { continueTurn, resumeSession } from "../src/index.ts"
import { type Change, closedAt, cycleOf } from "./Cycles.ts"
import { type FakeWorld } from "@souffleur/testing"
import { worldOf } from "./RecoveryWorld.ts"

const conductor = { pid: 4711, parent: 1 }
const person = { pid: 6000, parent: 1 }
const taken = [{ pid: 6000, sessionId: "s1" }]

/** Runs a recovery of a live Conductor, and returns its result. */
const recovered = Effect.fnUntraced(function* (world: FakeWorld, change: Change = {}) {
  const cycle = yield* cycleOf([continueTurn], { trigger: "turn-ended", ...change }, world)
  yield* cycle.run
  const signals = world.did.filter((what) => what.startsWith("SIG"))
  return { signals, last: closedAt(yield* cycle.last) }
})

describe("behaviour#still-dead", () => {
  describe("the check of the Conductor right before the first signal", () => {
    it.effect("a session that was taken elsewhere meanwhile prevents the stop", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor, person)
        world.processes.onTree = () => void (world.agent.sessions = taken)
        assert.deepStrictEqual(yield* recovered(world), {
          signals: [],
          last: ["stop", "process 6000 holds session s1, not process 4711: it is not stopped"]
        })
        assert.deepStrictEqual(world.processes.alive, [4711, 6000])
      })
    )
    it.effect("a hung Conductor whose subagent has written since is at work, and is not stopped", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(3_600_000)
        const after = Effect.fnUntraced(function* (writtenAt: number) {
          const world = worldOf(conductor)
          const turn = { _tag: "Tool", at: 0, name: "Agent", limit: undefined, spawns: false } as const
          world.agent.signs = () => ({ writtenAt, turn, context: undefined })
          const { run } = yield* cycleOf([resumeSession], { trigger: "hang", comms: null }, world)
          yield* run
          return world.processes.signals
        })
        assert.deepStrictEqual([yield* after(1), yield* after(0)], [[], ["SIGTERM 4711"]])
      })
    )
    it.effect("the check also runs before the intent", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor, { pid: 20, parent: 4711 }, person)
        world.agent.sessions = taken
        assert.deepStrictEqual((yield* recovered(world)).signals, [])
      })
    )
    it.effect("a process with another project's conversation, by hooks or pid file, is not stopped", () =>
      Effect.gen(function* () {
        for (const said of ["hooks", "pid file"]) {
          const world = worldOf(conductor)
          world.agent.began.set("theirs", "/elsewhere")
          if (said === "hooks") world.hooks.holds.set(4711, "theirs")
          else world.agent.sessions = [{ pid: 4711, sessionId: "theirs" }]
          const why = "process 4711 holds session theirs, not s1: it is not stopped"
          assert.deepStrictEqual(yield* recovered(world), { signals: [], last: ["stop", why] }, said)
        }
      })
    )
    it.effect("a process with another conversation of this project, such as after a /clear, is stopped", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor)
        world.hooks.holds.set(4711, "s2")
        assert.deepStrictEqual(yield* recovered(world), { signals: ["SIGTERM 4711"], last: "ConductorRelaunched" })
      })
    )
    it.effect("a wrapper that stays as the parent of the agent is stopped together with the agent", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor, { pid: 20, parent: 4711 }, { pid: 21, parent: 20 })
        world.agent.sessions = [{ pid: 20, sessionId: "s1" }]
        assert.deepStrictEqual(yield* recovered(world), {
          signals: ["SIGTERM 4711", "SIGTERM 20", "SIGTERM 21"],
          last: "ConductorRelaunched"
        })
      })
    )
    it.effect("a process that only carries the marks is not stopped: a person may have used one of its shells", () =>
      Effect.gen(function* () {
        const environment = { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" }
        const world = worldOf(conductor, { pid: 20, parent: 1, environment })
        world.agent.sessions = [{ pid: 20, sessionId: "s1" }]
        const why = "process 20 holds session s1, not process 4711: it is not stopped"
        assert.deepStrictEqual(yield* recovered(world), { signals: [], last: ["stop", why] })
      })
    )
    it.effect("the wrapper of a stranger's agent that goes on with the session is not stopped", () =>
      Effect.gen(function* () {
        const world = worldOf(conductor, { pid: 20, parent: 4711 }, { pid: 21, parent: 20 })
        world.agent.sessions = [
          { pid: 20, sessionId: "another" },
          { pid: 21, sessionId: "s1" }
        ]
        const why = "process 21 holds session s1, not process 4711: it is not stopped"
        assert.deepStrictEqual(yield* recovered(world), { signals: [], last: ["stop", why] })
      })
    )
    it.effect(
      "a process that a person named against the evidence is followed, and neither it nor its tree is signalled",
      () =>
        Effect.gen(function* () {
          const child = { pid: 20, parent: 4711 }
          assert.deepStrictEqual(yield* recovered(worldOf(conductor, child), { forced: true }), {
            signals: [],
            last: [
              "stop",
              'process 4711 was named with --force, against the evidence, and souffleur only follows it: end it yourself, then type "souffleur retry"'
            ]
          })
          const left = { pid: 30, parent: 1, environment: { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" } }
          assert.deepStrictEqual(yield* recovered(worldOf(left), { forced: true }), {
            signals: [],
            last: ["one writer", "processes that it started still run: 30"]
          })
          assert.deepStrictEqual(yield* recovered(worldOf(), { forced: true }), {
            signals: [],
            last: "ConductorRelaunched"
          })
        })
    )
    it.effect("an ended process needs no check: its tree is stopped, and another writer is told apart", () =>
      Effect.gen(function* () {
        const world = worldOf(person, {
          pid: 30,
          parent: 1,
          environment: { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" }
        })
        world.agent.sessions = taken
        assert.deepStrictEqual(yield* recovered(world), {
          signals: ["SIGTERM 30"],
          last: ["one writer", "process 6000 holds the session"]
        })
      })
    )
  })
})
