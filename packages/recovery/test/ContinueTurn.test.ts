import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { continueTurn, exportProvider, standardCompact } from "../src/index.ts"
import { closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { identityOf } from "@souffleur/testing"
import { signsOf, worldOf } from "./RecoveryWorld.ts"

/** A print-mode Conductor that has ended, and left a tool running. */
const ended = () => worldOf({ pid: 80, parent: 1, environment: { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" } })
const cycle = (world = ended()) => cycleOf([continueTurn], { trigger: "turn-ended" }, world)

describe("behaviour#continue_turn", () => {
  it.effect(
    "the session goes on: leftover processes are ended, and the same session is told that nothing crashed",
    () =>
      Effect.gen(function* () {
        const { log, run, world } = yield* cycle()
        yield* run
        assert.deepStrictEqual(world.did, ["SIGTERM 80", "launch 5000"])
        const [order] = world.agent.orders
        assert.deepStrictEqual(
          [order?.session, order?.permission, order?.print],
          [{ _tag: "Resume", sessionId: "s1" }, "acceptEdits", true]
        )
        assert.strictEqual(order?.prompt.split("\n")[0], "/conductor --recovery-bootstrap")
        assert.include(order?.prompt, "Your last turn ended by itself before the work was complete; nothing crashed.")
        const [relaunch] = relaunches(yield* log.events)
        assert.deepInclude(relaunch, {
          provider: "continue_turn",
          sessionId: "s1",
          awaiting: false,
          exportPath: null,
          conductor: identityOf(5000)
        })
      })
  )
  it.effect("after a limit the session goes on, told that it is over, and counts no death", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycleOf([continueTurn, standardCompact], { trigger: "limit", comms: null })
      yield* run
      // In a terminal the Conductor idles where the limit ended its turn.
      assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000"])
      assert.deepStrictEqual(world.agent.orders[0]?.session, { _tag: "Resume", sessionId: "s1" })
      assert.include(world.agent.orders[0]?.prompt, "ended by a usage limit or an outage of the service, which is over")
      assert.deepStrictEqual(
        relaunches(yield* log.events).map(({ provider }) => provider),
        ["continue_turn"]
      )
    })
  )
  it.effect("behaviour#caps-of-the-user: a launch is given what the generations before it left of a cap", () =>
    Effect.gen(function* () {
      const world = ended()
      world.agent.caps = [{ kind: "turns", flag: "--max-turns", limit: 12 }]
      world.agent.turns = 5
      const { run } = yield* cycle(world)
      yield* run
      const [launched] = world.launcher.prepared.values()
      assert.deepStrictEqual(launched?.command.args.slice(0, 2), ["--max-turns", "7"])
    })
  )
  it.effect("continue_turn applies only to an ended turn", () =>
    Effect.gen(function* () {
      for (const trigger of ["pid", "handoff"] as const) {
        const { log, run } = yield* cycleOf([continueTurn, standardCompact], { trigger })
        yield* run
        assert.deepStrictEqual(
          relaunches(yield* log.events).map(({ provider }) => provider),
          ["standard_compact"]
        )
      }
    })
  )
  it.effect(
    "a full context, and a file that cannot be read, are exported after an ended turn, and the reason is told",
    () =>
      Effect.gen(function* () {
        for (const trigger of ["turn-ended", "limit", "exit"] as const)
          for (const [signs, message] of [
            [signsOf(180_001), "its context is full: 180,001 tokens are in use, and the limit is 180,000"],
            [undefined, "its session file cannot be read"]
          ] as const) {
            const world = ended()
            world.agent.signs = () => signs
            const { log, run } = yield* cycleOf([continueTurn, exportProvider], { trigger, comms: null }, world)
            yield* run
            const events = yield* log.events
            assert.deepInclude(
              events.find(({ _tag }) => _tag === "RecoveryEscalated"),
              { from: "continue_turn", to: "claude_export", stage: "session", message, alreadyKilled: true }
            )
            assert.strictEqual(relaunches(events)[0]?.provider, "claude_export")
            assert.strictEqual(world.did.filter((act) => act === "SIGTERM 80").length, 1)
          }
      })
  )
  it.effect("completion before the launch, and another holder of the session, forbid it", () =>
    Effect.gen(function* () {
      const complete = yield* cycle(worldOf())
      complete.world.comms.conductor.state = "complete"
      yield* complete.run
      assert.deepStrictEqual([(yield* complete.last)?._tag, complete.world.did], ["ConductorCompleted", []])
      const held = yield* cycle(worldOf({ pid: 70, parent: 1 }))
      held.world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
      yield* held.run
      assert.deepStrictEqual(
        [closedAt(yield* held.last), held.world.processes.alive],
        [["one writer", "process 70 holds the session"], [70]]
      )
    })
  )
  for (const when of ["before", "after"] as const) {
    it.effect(`a crash ${when} any append: the session goes on once`, () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { last, log, run, start, world } = yield* cycle()
          const crashed = yield* inTime(log.abandonAt(append, when, start))
          yield* run
          assert.strictEqual((yield* last)?._tag, "ConductorRelaunched", `crashed at append ${append}`)
          assert.deepStrictEqual(
            [launches(world), world.processes.alive],
            [["launch 5000"], [5000]],
            `crashed at append ${append}`
          )
          if (!crashed) return assert.isAbove(append, 7)
        }
      })
    )
  }
  it.effect("a crash right after the launch: its process is the next generation", () =>
    Effect.gen(function* () {
      const { last, run, vanish, world } = yield* cycle()
      yield* vanish
      yield* run
      assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
      assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
    })
  )
})

describe("behaviour#early-ends", () => {
  it.effect("after an early end the session goes on, and is told which end it was", () =>
    Effect.gen(function* () {
      for (const [trigger, line] of [
        ["exit", "your process did not end by itself"],
        ["left-running", "They were stopped."],
        ["refused", "a permission refused your tool"],
        ["only-answered", "check it with a tool first"]
      ] as const) {
        const { log, run, world } = yield* cycleOf([continueTurn, standardCompact], { trigger, comms: null })
        yield* run
        assert.deepStrictEqual(world.agent.orders[0]?.session, { _tag: "Resume", sessionId: "s1" })
        assert.include(world.agent.orders[0]?.prompt, line)
        assert.strictEqual(relaunches(yield* log.events)[0]?.provider, "continue_turn")
      }
    })
  )
})
