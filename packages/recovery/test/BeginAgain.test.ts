import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { beginAgain, exportProvider, resumeSession, standardCompact, startOver } from "../src/index.ts"
import { type Change, closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { firstLaunch } from "./CrashingLog.ts"
import { worldOf } from "./RecoveryWorld.ts"

const prompt = "Work through PLAN.md."
const command = { program: "/bin/agent", args: ["s1", "--", prompt], environment: {} }

/** An agent that was killed before its first answer: no session has a file. */
const mute = () => {
  const world = worldOf({ pid: 4711, parent: 1 })
  world.processes.end(4711)
  world.agent.files = new Set()
  world.agent.signs = () => undefined
  world.agent.exportFails = true
  world.agent.compactPrompt = null
  world.launcher.prepared.set(firstLaunch.launchId, {
    id: firstLaunch.launchId,
    command,
    cwd: "/p",
    title: "Conductor (S1)",
    prompt
  })
  return world
}
const providers = [beginAgain, resumeSession, exportProvider, standardCompact]
const cycle = (change: Change = {}, world = mute()) =>
  cycleOf(providers, { comms: null, launched: "acceptEdits", ...change }, world)

describe("behaviour#begin_again", () => {
  it.effect(
    "an agent that was killed before its first answer is launched once more, by the same prompt and session",
    () =>
      Effect.gen(function* () {
        const { log, run, world } = yield* cycle()
        world.processes.run({ pid: 81, parent: 1, environment: { SOUFFLEUR_LAUNCH_ID: firstLaunch.launchId } })
        yield* run
        const [relaunch] = relaunches(yield* log.events)
        assert.deepInclude(relaunch, { provider: "begin_again", sessionId: "s1", exportPath: null })
        assert.deepStrictEqual(world.did, ["SIGTERM 81", "launch 5000"])
        const [order] = world.agent.orders
        assert.deepStrictEqual(order?.session, { _tag: "Fresh", sessionId: "s1" })
        assert.strictEqual(order?.prompt, `${prompt}\n\nHand-off ${relaunch?.launchId}`)
        assert.notInclude(JSON.stringify(yield* log.events), "PLAN.md")
      })
  )
  it.effect("an agent that chooses its ids gets none", () =>
    Effect.gen(function* () {
      const world = mute()
      world.agent.reports = () => undefined
      const { run } = yield* cycle({}, world)
      yield* run
      assert.strictEqual(world.agent.orders[0]?.session.sessionId, "")
    })
  )
  it.effect("the launch stays under the ceiling of now", () =>
    Effect.gen(function* () {
      const world = mute()
      const { run } = yield* cycle(
        {
          launched: "bypassPermissions",
          ceiling: "bypassPermissions",
          settings: { maxExternalPermission: "acceptEdits" }
        },
        world
      )
      yield* run
      assert.strictEqual(world.agent.orders[0]?.permission, "acceptEdits")
    })
  )
  for (const [why, worse, message] of [
    ["its session has a file after all", { files: ["s1"] }, "session s1 has begun"],
    ["several sessions may be its own", { files: ["s1a", "s1b"] }, "session s1 has begun"],
    ["its launch reports a session that has a file", { files: ["s7"], reports: "s7" }, "session s7 has begun"],
    ["its first launch had no prompt", { prompt: "none" }, "its first launch had no prompt"],
    ["its launch file is lost", { prompt: "lost" }, "the launch file is missing"],
    [
      "it ran for longer than a first answer takes",
      { ran: Duration.toMillis("361 seconds") * 3 + 1 },
      "it ran for longer than a first answer takes, and no session file is found"
    ]
  ] as const)
    it.effect(`a launch is not made once more where ${why}: the next provider is tried`, () =>
      Effect.gen(function* () {
        const world = mute()
        const {
          files = [],
          prompt,
          ran = 0,
          reports
        } = worse as {
          readonly files?: ReadonlyArray<string>
          readonly prompt?: "lost" | "none"
          readonly ran?: number
          readonly reports?: string
        }
        world.agent.files = new Set(files)
        if (reports !== undefined) world.agent.reports = () => reports
        const kept = world.launcher.prepared.get(firstLaunch.launchId)!
        if (prompt === "lost") world.launcher.prepared.clear()
        if (prompt === "none")
          world.launcher.prepared.set(firstLaunch.launchId, { id: kept.id, command, cwd: kept.cwd, title: kept.title })
        const { log, run } = yield* cycle({ ran }, world)
        yield* run
        const escalated = (yield* log.events).find(({ _tag }) => _tag === "RecoveryEscalated")
        assert.deepInclude(escalated, { from: "begin_again", to: "resume", message, alreadyKilled: true })
        assert.isFalse(world.agent.orders.some(({ session }) => session._tag === "Fresh" && session.sessionId === "s1"))
      })
    )
  it.effect("a generation as long as a first answer takes is begun again", () =>
    Effect.gen(function* () {
      const { log, run } = yield* cycle({ ran: Duration.toMillis("361 seconds") * 3 })
      yield* run
      assert.strictEqual(relaunches(yield* log.events)[0]?.provider, "begin_again")
    })
  )
  it.effect("an agent that souffleur did not launch is not begun again: a person is told", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycleOf(providers, { comms: null }, mute())
      yield* run
      assert.deepStrictEqual(closedAt(yield* last)?.[0], "compact")
      assert.deepStrictEqual(launches(world), [])
    })
  )
  it.effect("another holder of the session forbids it", () =>
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
    it.effect(`a crash ${when} any append: the first launch is made once more, and only once`, () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { last, log, run, start, world } = yield* cycle()
          const crashed = yield* inTime(log.abandonAt(append, when, start))
          yield* run
          assert.strictEqual((yield* last)?._tag, "ConductorRelaunched", `crashed at append ${append}`)
          assert.deepStrictEqual([launches(world), world.processes.alive], [["launch 5000"], [5000]])
          if (!crashed) return assert.isAbove(append, 6)
        }
      })
    )
  }
})

describe("behaviour#start_over", () => {
  /** The agent had done this much, for hours, when its session file was swept away. */
  const swept = (change: Change = {}, world = mute()) =>
    cycleOf(
      [beginAgain, resumeSession, exportProvider, startOver, standardCompact],
      { comms: null, launched: "acceptEdits", ran: Duration.toMillis("3 hours"), tasks: 10, retries: 0, ...change },
      world
    )
  it.effect("an agent that had worked gets its first prompt in a new session, and hears what is lost", () =>
    Effect.gen(function* () {
      for (const trigger of ["pid", "limit"] as const) {
        const { log, run, world } = yield* swept({ trigger })
        yield* run
        const [relaunch] = relaunches(yield* log.events)
        assert.deepInclude(relaunch, { provider: "start_over", exportPath: null })
        assert.notInclude(["", "s1"], relaunch?.sessionId)
        const [order] = world.agent.orders
        assert.deepStrictEqual(order?.session, { _tag: "Fresh", sessionId: relaunch!.sessionId })
        assert.match(order!.prompt, /^Work through PLAN\.md\.\n\nAn earlier session .* is lost/u)
        assert.notInclude(JSON.stringify(yield* log.events), "PLAN.md")
      }
    })
  )
  it.effect("a file that is still there, an agent that nothing was seen of, and a lost prompt ask a person", () =>
    Effect.gen(function* () {
      for (const [change, spoil] of [
        [{}, (world: ReturnType<typeof mute>) => (world.agent.files = new Set(["s1"]))],
        [{ tasks: 0, retries: 1 }, () => {}],
        [{}, (world: ReturnType<typeof mute>) => world.launcher.prepared.clear()]
      ] as const) {
        const world = mute()
        spoil(world)
        const { last, run } = yield* swept(change, world)
        yield* run
        assert.strictEqual(closedAt(yield* last)?.[0], "compact")
        assert.deepStrictEqual(launches(world), [])
      }
    })
  )
})
