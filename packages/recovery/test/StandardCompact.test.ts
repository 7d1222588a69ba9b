import { assert, describe, it } from "@effect/vitest"
import { type WatchEvent } from "@souffleur/domain"
import { LaunchSlots } from "@souffleur/eventlog"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Escalated, type Provider, standardCompact } from "../src/index.ts"
import { closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { identityOf } from "@souffleur/testing"
import { worldOf } from "./RecoveryWorld.ts"

const cycle = cycleOf([standardCompact])
const stepsOf = (events: ReadonlyArray<WatchEvent>, tag: "StepSucceeded" | "StepFailed") =>
  events.flatMap((event) => (event._tag === tag ? [event.step] : []))
const outcomeOf = (events: ReadonlyArray<WatchEvent>, step: string) =>
  events.flatMap((event) => (event._tag === "StepSucceeded" && event.step === step ? [event.outcome] : []))[0]

describe("behaviour#standard_compact", () => {
  describe("standard_compact", () => {
    it.effect("standard_compact stops, compacts in a session of its own, proves that gone, and resumes", () =>
      Effect.gen(function* () {
        const { log, run, world } = yield* cycle
        yield* run
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000", "SIGTERM 5000", "launch 5001"])
        const [compact, resume] = world.agent.orders
        assert.deepStrictEqual(
          [compact?.session, compact?.prompt],
          [{ _tag: "Resume", sessionId: "s1" }, "compact yourself"]
        )
        assert.deepStrictEqual(
          [resume?.session, resume?.permission],
          [{ _tag: "Resume", sessionId: "s1" }, "acceptEdits"]
        )
        assert.strictEqual(resume?.prompt.split("\n")[0], "/conductor --recovery-bootstrap")
        assert.include(resume?.prompt, "This session was compacted")
        assert.deepStrictEqual(
          [...world.launcher.prepared.values()].map(({ title }) => title),
          ["Compact (S1)", "Conductor (S2)"]
        )
        const [relaunch] = relaunches(yield* log.events)
        assert.deepInclude(relaunch, {
          provider: "standard_compact",
          sessionId: "s1",
          awaiting: false,
          conductor: identityOf(5001)
        })
      })
    )
    it.effect("an agent that cannot be told to compact is left alone, and the cycle closes", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 4711, parent: 1 })
        world.agent.compactPrompt = null
        const { last, run } = yield* cycleOf([standardCompact], {}, world)
        yield* run
        assert.deepStrictEqual(closedAt(yield* last), ["compact", "a session of this agent cannot be told to compact"])
        assert.deepStrictEqual(world.did, [])
      })
    )
    it.effect("a session whose file was swept away is told as lost, with the way on, whatever its agent can do", () =>
      Effect.gen(function* () {
        for (const compactPrompt of ["compact yourself", null]) {
          const world = worldOf({ pid: 4711, parent: 1 })
          world.agent.compactPrompt = compactPrompt
          world.agent.files = new Set()
          const { last, run } = yield* cycleOf([standardCompact], {}, world)
          yield* run
          assert.match(
            String(closedAt(yield* last)),
            /no session file of s1: its conversation is lost.*"souffleur release"/u
          )
        }
      })
    )
    it.effect("standard_compact skips the stop after an escalation, and only that", () =>
      Effect.gen(function* () {
        const before: Provider<never> = {
          name: "first",
          recover: () => Effect.fail(new Escalated({ stage: "gate", message: "too large", alreadyKilled: true }))
        }
        const { run, world } = yield* cycleOf([before, standardCompact], {}, worldOf())
        yield* run
        assert.deepStrictEqual(world.did, ["launch 5000", "SIGTERM 5000", "launch 5001"])
      })
    )
    it.effect("another holder of the session closes the cycle before a compaction", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        const turn = () =>
          Effect.sync(() => {
            world.processes.run({ pid: 70, parent: 1 })
            world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
          })
        yield* Effect.provideService(run, LaunchSlots, turn)
        assert.deepStrictEqual([closedAt(yield* last)?.[0], world.did], ["one writer", ["SIGTERM 4711"]])
      })
    )
    it.effect("a tool that outlives the compact session is ended, and its session is resumed", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.launcher.compactions = ["compacts and ends"]
        world.launcher.becomes = (launchId) => {
          if (!launchId.includes("compact")) return { pid: 5001 }
          const environment = { SOUFFLEUR_LAUNCH_ID: launchId, AGENT_PID: "5000", AGENT_SESSION_ID: "s1" }
          world.processes.run({ pid: 20, parent: 1, environment }, { pid: 21, parent: 20, environment })
          return { pid: 5000 }
        }
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual(world.processes.alive, [5001])
        assert.deepStrictEqual(world.did.slice(1), ["launch 5000", "SIGTERM 20", "SIGTERM 21", "launch 5001"])
      })
    )
    it.effect("a compact session that ends by itself counts like an idle one", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.launcher.compactions = ["compacts and ends"]
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "launch 5000", "launch 5001"])
      })
    )
    it.effect("a boundary that was written while the session ended counts", () =>
      Effect.gen(function* () {
        const { last, log, run, world } = yield* cycle
        world.launcher.compactions = ["compacts as it ends"]
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual(
          [launches(world), stepsOf(yield* log.events, "StepFailed")],
          [["launch 5000", "launch 5001"], []]
        )
      })
    )
    it.effect("a compact session is ended after its summary, or 5 s after its boundary", () =>
      Effect.gen(function* () {
        const { log, start, world } = yield* cycle
        world.agent.session.summarizes = false
        yield* Effect.forkChild(start)
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
        world.agent.session.summary()
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(launches(world), ["launch 5000", "launch 5001"])
        assert.deepStrictEqual(outcomeOf(yield* log.events, "compact#1"), { compacted: true, summarized: true })

        const without = yield* cycle
        without.world.agent.session.summarizes = false
        yield* Effect.forkChild(without.start)
        yield* TestClock.adjust("4 seconds")
        assert.deepStrictEqual(without.world.processes.alive, [5000])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(launches(without.world), ["launch 5000", "launch 5001"])
        assert.deepStrictEqual(outcomeOf(yield* without.log.events, "compact#1"), {
          compacted: true,
          summarized: false
        })
      })
    )
    it.effect("an ended compact session is not waited on for its summary", () =>
      Effect.gen(function* () {
        const { log, start, world } = yield* cycle
        world.agent.session.summarizes = false
        world.launcher.compactions = ["compacts and ends"]
        yield* Effect.forkChild(start)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(outcomeOf(yield* log.events, "compact#1"), { compacted: true, summarized: false })
      })
    )
    it.effect("an earlier boundary, or a boundary of another file, does not count", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.agent.session.boundary()
        world.launcher.compactions = ["ends"]
        yield* run
        assert.deepStrictEqual(closedAt(yield* last), ["compact", "the compact session ended without a boundary"])
        assert.strictEqual(launches(world).length, 2)
      })
    )
  })

  describe("an attempt that fails", () => {
    it.effect("an attempt that ends without a boundary, or in time, is retried once", () =>
      Effect.gen(function* () {
        for (const first of ["ends", "hangs"] as const) {
          const { log, run, world } = yield* cycle
          world.launcher.compactions = [first, "compacts"]
          yield* run
          assert.deepStrictEqual(launches(world), ["launch 5000", "launch 5001", "launch 5002"], first)
          assert.deepStrictEqual(stepsOf(yield* log.events, "StepFailed"), ["compact#1"])
          assert.deepStrictEqual(
            relaunches(yield* log.events).map(({ conductor }) => conductor?.pid),
            [5002]
          )
          assert.deepStrictEqual(world.processes.alive, [5002])
        }
      })
    )
    it.effect("an attempt that fails twice closes the cycle: nothing is launched or exported", () =>
      Effect.gen(function* () {
        const { last, log, run, world } = yield* cycle
        world.launcher.compactions = ["hangs"]
        yield* run
        assert.deepStrictEqual(closedAt(yield* last), ["compact", "no boundary came in time"])
        assert.deepStrictEqual(stepsOf(yield* log.events, "StepFailed"), ["compact#1", "compact#2"])
        assert.deepStrictEqual(world.did, [
          "SIGTERM 4711",
          "launch 5000",
          "SIGTERM 5000",
          "launch 5001",
          "SIGTERM 5001"
        ])
        // And it stays closed.
        yield* run
        assert.strictEqual(launches(world).length, 2)
      })
    )
    it.effect("an attempt waits the whole timeout, and no longer", () =>
      Effect.gen(function* () {
        const { log, start, world } = yield* cycle
        world.launcher.compactions = ["hangs"]
        yield* Effect.forkChild(start)
        yield* TestClock.adjust("299 seconds")
        assert.deepStrictEqual(launches(world), ["launch 5000"])
        assert.deepStrictEqual(stepsOf(yield* log.events, "StepFailed"), [])
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(stepsOf(yield* log.events, "StepFailed"), ["compact#1"])
        world.agent.session.boundary()
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual(launches(world), ["launch 5000", "launch 5001", "launch 5002"])
      })
    )
    it.effect("an attempt whose session is not provably gone is not retried", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.launcher.compactions = ["cannot be ended"]
        yield* run
        assert.deepStrictEqual(closedAt(yield* last), [
          "compact",
          "the compact session: process 5000 did not end, not even by SIGKILL"
        ])
        assert.deepStrictEqual(launches(world), ["launch 5000"])
      })
    )
    it.effect("an attempt whose boundary came after its last look counts for the second, without a launch", () =>
      Effect.gen(function* () {
        const clean = yield* cycle
        clean.world.launcher.compactions = ["ends"]
        yield* clean.run
        const failed = (yield* clean.log.events).findIndex(({ _tag }) => _tag === "StepFailed") + 1
        const { last, log, run, start, world } = yield* cycle
        world.launcher.compactions = ["ends"]
        assert.isTrue(yield* inTime(log.abandonAt(failed, "after", start)))
        world.agent.session.boundary()
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual(launches(world), ["launch 5000", "launch 5001"])
        assert.deepStrictEqual(stepsOf(yield* log.events, "StepSucceeded").slice(2), [
          "compact#2",
          "prepare to resume",
          "resume"
        ])
      })
    )
    it.effect("an attempt whose launch fails is retried like any other", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.launcher.becomes = () => "no receipt within 30 s"
        yield* run
        assert.deepStrictEqual(
          [closedAt(yield* last), world.agent.orders.length],
          [["compact", "no receipt within 30 s"], 2]
        )
      })
    )
  })

  describe("a crash", () => {
    for (const when of ["before", "after"] as const) {
      for (const compactions of [["compacts"], ["ends", "compacts"], ["ends"]] as const) {
        it.effect(
          `a crash ${when} any append with sessions that do: ${compactions.join(", ")}: it compacts as often, and resumes once`,
          () =>
            Effect.gen(function* () {
              for (let append = 1; ; append++) {
                const { log, run, start, world } = yield* cycle
                world.launcher.compactions = compactions
                const crashed = yield* inTime(log.abandonAt(append, when, start))
                yield* run
                const events = yield* log.events
                const compacted = world.launcher.compacted
                assert.isAtMost(compacted, 2, `crashed at append ${append}`)
                const resumed = relaunches(events).map(({ conductor }) => conductor!.pid)
                assert.deepStrictEqual(world.processes.alive, resumed, `crashed at append ${append}`)
                assert.strictEqual(resumed.length, compactions.at(-1) === "ends" ? 0 : 1, `crashed at append ${append}`)
                if (!crashed) return assert.isAbove(append, 10)
              }
            })
        )
      }
    }
    it.effect("a crash while the compact session runs: it is waited for, and no other is launched", () =>
      Effect.gen(function* () {
        const { last, log, start, vanish, world } = yield* cycle
        world.launcher.compactions = ["hangs"]
        yield* vanish
        yield* Effect.forkChild(start)
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
        world.agent.session.boundary()
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000", "launch 5001"], [5001]])
        assert.deepStrictEqual(stepsOf(yield* log.events, "StepFailed"), [])
      })
    )
    it.effect("a crash right after the launch of the successor: it is the next generation", () =>
      Effect.gen(function* () {
        const { last, log, run, start, vanish, world } = yield* cycle
        const compacted = yield* inTime(log.abandonAt(11, "before", start))
        assert.isTrue(compacted)
        yield* vanish
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.deepStrictEqual([launches(world).length, world.processes.alive], [2, [5001]])
      })
    )
  })

  describe("reasons against a compaction", () => {
    it.effect("completion before a compaction and before the resume prevents each", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.comms.conductor.state = "complete"
        yield* run
        assert.deepStrictEqual([(yield* last)?._tag, world.did], ["ConductorCompleted", []])
      })
    )
    it.effect("a live process with the session prevents the resume", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle
        world.processes.end(4711)
        world.processes.run({ pid: 70, parent: 1 })
        world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
        yield* run
        assert.deepStrictEqual(
          [closedAt(yield* last), world.processes.alive],
          [["one writer", "process 70 holds the session"], [70]]
        )
      })
    )
  })
})

describe("behaviour#launch-at-most-once", () => {
  it.effect("a compaction that a crash left running is ended before the watch completes", () =>
    Effect.gen(function* () {
      const { last, run, vanish, world } = yield* cycle
      yield* vanish
      assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
      world.comms.conductor.state = "complete"
      yield* run
      assert.deepInclude(yield* last, { _tag: "ConductorCompleted", by: "recovery" })
      assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], []])
    })
  )
})
