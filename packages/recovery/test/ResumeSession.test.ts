import { assert, describe, it } from "@effect/vitest"
import type { SessionSigns } from "@souffleur/domain"
import { identityOf } from "@souffleur/testing"
import { Clock, Effect } from "effect"
import { exportProvider, resumeSession, standardCompact } from "../src/index.ts"
import { type Change, closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { signsOf, worldOf } from "./RecoveryWorld.ts"

const sound = signsOf(1000)
const fresh = { ...sound, writtenAt: Number.MAX_SAFE_INTEGER }

/** A cycle without comms, whose Conductor was killed and left a tool running. */
const cycle = Effect.fnUntraced(function* (change: Change = {}, signs: SessionSigns | undefined = sound) {
  const world = worldOf({ pid: 80, parent: 1, environment: { AGENT_PID: "4711", AGENT_SESSION_ID: "s1" } })
  world.agent.signs = () => signs
  return yield* cycleOf([resumeSession, exportProvider, standardCompact], { comms: null, ...change }, world)
})
const providerOf = Effect.fnUntraced(function* (change: Change, signs?: SessionSigns) {
  const { log, run } = yield* cycle(change, signs)
  yield* run
  const events = yield* log.events
  const escalated = events.flatMap((event) => (event._tag === "RecoveryEscalated" ? [event.message] : []))
  return [relaunches(events)[0]?.provider, ...escalated]
})

describe("behaviour#resume", () => {
  it.effect("a killed agent goes on in its own session, after all that it left running is ended", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle()
      yield* run
      assert.deepStrictEqual(world.did, ["SIGTERM 80", "launch 5000"])
      const [order] = world.agent.orders
      assert.deepStrictEqual(order?.session, { _tag: "Resume", sessionId: "s1" })
      assert.match(order?.prompt ?? "", /^Continue the work of this project\.\n/u)
      assert.include(order?.prompt, "Your conversation is as it was.")
      assert.include(order?.prompt, "look before you run it again")
      assert.deepInclude(relaunches(yield* log.events)[0], {
        provider: "resume",
        sessionId: "s1",
        awaiting: false,
        exportPath: null,
        conductor: identityOf(5000)
      })
    })
  )
  it.effect("a resume is for a death by a kill or a hang, and not for a hand-off or a full context", () =>
    Effect.gen(function* () {
      for (const trigger of ["pid", "heartbeat", "hang"] as const)
        assert.deepStrictEqual(yield* providerOf({ trigger }), ["resume"], trigger)
      for (const trigger of ["handoff", "untaken", "context"] as const)
        assert.deepStrictEqual(yield* providerOf({ trigger }), ["claude_export"], trigger)
    })
  )
  it.effect("without a choice a watch with comms begins with the export; RECOVERY decides otherwise", () =>
    Effect.gen(function* () {
      const comms = "/p/comms.db"
      assert.deepStrictEqual(yield* providerOf({ comms }), ["claude_export"])
      assert.deepStrictEqual(yield* providerOf({ comms, settings: { recovery: "resume" } }), ["resume"])
      assert.deepStrictEqual(yield* providerOf({ settings: { recovery: "export" } }), ["claude_export"])
    })
  )
  it.effect("a resumed session that dies again without progress is exported, and the reason is told", () =>
    Effect.gen(function* () {
      const again = { provider: "resume", retries: 1 } as const
      const why = "the resumed session died again without progress"
      assert.deepStrictEqual(yield* providerOf(again), ["claude_export", why])
      assert.deepStrictEqual(yield* providerOf({ ...again, retries: 0 }), ["resume"])
      assert.deepStrictEqual(yield* providerOf({ provider: "claude_export", retries: 2 }), ["resume"])
    })
  )
  it.effect("a session that its agent would not resume is exported at once, and the reason is told", () =>
    Effect.gen(function* () {
      const why = "it has no conversation yet, and its agent resumes no such session"
      for (const signs of [
        { ...sound, resumable: false as const },
        { ...sound, turn: undefined, resumable: false as const }
      ])
        assert.deepStrictEqual(yield* providerOf({}, signs), ["claude_export", why])
    })
  )
  it.effect("a full context and an unreadable session are exported, and the reason is told", () =>
    Effect.gen(function* () {
      const full = "its context is full: 180,001 tokens are in use, and the limit is 180,000"
      assert.deepStrictEqual(yield* providerOf({}, signsOf(180_001)), ["claude_export", full])
      assert.deepStrictEqual(yield* providerOf({}, signsOf(180_000)), ["resume"])
      const unread = yield* cycle()
      unread.world.agent.signs = () => undefined
      yield* unread.run
      const escalated = (yield* unread.log.events).find(({ _tag }) => _tag === "RecoveryEscalated")
      assert.deepInclude(escalated, {
        stage: "session",
        message: "its session file cannot be read",
        alreadyKilled: true
      })
    })
  )
  it.effect("a session file that was not written for a second is not waited for", () =>
    Effect.gen(function* () {
      const waited = Effect.fnUntraced(function* (age: number) {
        const before = yield* Clock.currentTimeMillis
        const { run } = yield* cycle({}, { ...sound, writtenAt: before - age })
        yield* run
        return (yield* Clock.currentTimeMillis) - before
      })
      const soon = yield* waited(1000)
      assert.strictEqual((yield* waited(999)) - soon, 1000)
    })
  )
  it.effect("a session file that is still written after the stop is not resumed", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle({}, fresh)
      const mark = world.agent.session.mark.bind(world.agent.session)
      let offset = 0
      world.agent.session.mark = (path) => ({ ...mark(path), offset: offset++ })
      yield* run
      const escalated = (yield* log.events).find(({ _tag }) => _tag === "RecoveryEscalated")
      assert.deepInclude(escalated, { message: "its session file is still written, though its process is gone" })
    })
  )
  it.effect("a session that went on right before the launch is not resumed: the next provider reads it", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle({}, fresh)
      const mark = world.agent.session.mark.bind(world.agent.session)
      // The first two looks find the file quiet, and the third one is right before the launch.
      let looks = 0
      world.agent.session.mark = (path) => ({ ...mark(path), offset: looks++ < 2 ? 0 : 99 })
      yield* run
      const events = yield* log.events
      const escalated = events.find(({ _tag }) => _tag === "RecoveryEscalated")
      assert.deepInclude(escalated, { from: "resume", to: "claude_export", stage: "launch" })
      assert.strictEqual(relaunches(events)[0]?.provider, "claude_export")
    })
  )
  for (const [before, after, provider] of [
    ["resume", "export", "resume"],
    ["export", "resume", "claude_export"]
  ] as const)
    it.effect(`a cycle that has begun to ${before} goes on so after a crash, whatever RECOVERY says then`, () =>
      Effect.gen(function* () {
        const { last, log, startUnder, world } = yield* cycle({ settings: { recovery: before } })
        world.launcher.vanishes = 1
        yield* inTime(
          Effect.raceFirst(
            startUnder({ recovery: before }),
            Effect.repeat(Effect.yieldNow, { while: () => world.launcher.vanishes > 0 })
          )
        )
        yield* inTime(startUnder({ recovery: after }))
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
        assert.strictEqual(relaunches(yield* log.events)[0]?.provider, provider)
        assert.deepStrictEqual(launches(world), ["launch 5000"])
      })
    )
  it.effect("another holder of the session forbids a resume", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      world.processes.run({ pid: 70, parent: 1 })
      world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
      yield* run
      assert.deepStrictEqual(closedAt(yield* last), ["one writer", "process 70 holds the session"])
      assert.deepStrictEqual(launches(world), [])
    })
  )
  for (const when of ["before", "after"] as const) {
    it.effect(`a crash ${when} any append: the session is resumed once`, () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { last, log, run, start, world } = yield* cycle()
          const crashed = yield* inTime(log.abandonAt(append, when, start))
          yield* run
          assert.strictEqual((yield* last)?._tag, "ConductorRelaunched", `crashed at append ${append}`)
          assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
          if (!crashed) return assert.isAbove(append, 9)
        }
      })
    )
  }
})

describe("behaviour#stop", () => {
  it.effect(
    "the processes of the machine are listed until nothing of an ended agent is left, and once before the launch",
    () =>
      Effect.gen(function* () {
        const { run, world } = yield* cycle()
        yield* run
        // Before the stop, after it with the tool, and then without it.
        assert.strictEqual(world.processes.trees.length, 3 + 1)
      })
  )
})

describe("behaviour#hand-over", () => {
  it.effect("an agent that was stopped for a failed hand-over is resumed in its own session, and is told so", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle({ trigger: "handover" })
      yield* run
      assert.strictEqual(relaunches(yield* log.events)[0]?.provider, "resume")
      assert.include(world.agent.orders[0]?.prompt, "Your process was stopped, so that another agent could go on")
    })
  )
})

describe("behaviour#signs", () => {
  it.effect("a session is sound by the output of its launch, where its file does not tell its turn", () =>
    Effect.gen(function* () {
      const providerWith = Effect.fnUntraced(function* (output: string) {
        const { log, run, world } = yield* cycle({ provider: "claude_export" })
        world.agent.turnIn = output
        yield* run
        return relaunches(yield* log.events).at(-1)?.provider
      })
      assert.strictEqual(yield* providerWith("/state/launches/w-g2-c0-6-launch-1.out"), "resume")
      assert.strictEqual(yield* providerWith("/another"), "claude_export")
    })
  )
})
