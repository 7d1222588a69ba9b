import { assert, describe, it } from "@effect/vitest"
import { describeEvent, Event, evolve, initial, type Terminal, type WatchEvent } from "@souffleur/domain"
import { identityOf } from "@souffleur/testing"
import { Effect } from "effect"
import { exportProvider, restart, resumeSession, standardCompact } from "../src/index.ts"
import { recovering } from "./CrashingLog.ts"
import { type Change, closedAt, cycleOf, inTime, launches, relaunches } from "./Cycles.ts"
import { worldOf } from "./RecoveryWorld.ts"

/** A cycle of a souffleur in these terminals, of which some open no window. */
const cycle = Effect.fnUntraced(function* (
  terminals: readonly [Terminal, ...ReadonlyArray<Terminal>],
  gone: ReadonlyArray<Terminal>,
  change: Change = {}
) {
  const world = worldOf({ pid: 4711, parent: 1 })
  world.launcher.terminals = terminals
  for (const one of gone) world.launcher.windowless.add(one)
  return yield* cycleOf([resumeSession, exportProvider, standardCompact], { comms: null, ...change }, world)
})
const refusals = (events: ReadonlyArray<WatchEvent>) =>
  events.flatMap((event) => (event._tag === "WindowRefused" ? [`${event.terminal} ${event.instead}`] : []))

describe("behaviour#no-window", () => {
  it.effect("a launch without a window is cancelled, and the next is made for print mode, under an id of its own", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle(["tmux", "headless"], ["tmux"])
      yield* run
      const [first, second] = world.agent.orders
      assert.deepStrictEqual([first?.print, second?.print], [false, true])
      const ids = ["w-g2-c1-resume-in-place-1", "w-g2-c1-resume-in-place-1-headless"] as const
      assert.deepStrictEqual(world.launcher.asked, [...ids])
      // The prompt of each names its own launch, by which the hand-off is known.
      assert.isTrue(first?.prompt.endsWith(ids[0]) && second?.prompt.endsWith(ids[1]))
      assert.strictEqual(world.launcher.receipts.get(ids[0]), "tombstone")
      const events = yield* log.events
      assert.deepStrictEqual(refusals(events), ["tmux headless"])
      assert.deepInclude(relaunches(events)[0], { conductor: identityOf(5000), launchId: ids[1], print: true })
    })
  )
  it.effect("another terminal that is there comes before none, and its launch has a window", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle(["window", "kitty", "tmux", "headless"], ["window", "kitty"])
      yield* run
      const events = yield* log.events
      assert.deepStrictEqual(refusals(events), ["window kitty", "kitty tmux"])
      assert.deepInclude(relaunches(events)[0], { print: false })
      assert.strictEqual(world.launcher.launches[0]?.place, "tmux")
    })
  )
  it.effect("with a named terminal the cycle fails closed, and says which command launches without a window", () =>
    Effect.gen(function* () {
      const { last, log, run, world } = yield* cycle(["tmux"], ["tmux"])
      yield* run
      const says =
        'tried for ten minutes: tmux does not answer; to launch it without a window, type "souffleur retry w --headless"'
      assert.deepStrictEqual(closedAt(yield* last), ["launch", says])
      assert.deepStrictEqual([launches(world), refusals(yield* log.events)], [[], []])
    })
  )
  it.effect("retry --headless launches without a window from then on, and a later retry asks the terminal again", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle(["tmux"], ["tmux"])
      yield* run
      yield* log.operator.dispatch({ _tag: "Retry", headless: true })
      assert.isTrue((yield* log.operator.state).headless)
      yield* run
      assert.deepInclude(relaunches(yield* log.events)[0], { print: true })
      assert.strictEqual(world.launcher.launches[0]?.place, "headless")
      const closed = Event.RecoveryFailedClosed.make({ at: 0, cycle: 1, stage: "launch", message: "no" })
      const said = [true, false].map((headless) => Event.RecoveryRetried.make({ at: 0, cycle: 1, headless }))
      const after = [...recovering(), closed, ...said].reduce(evolve, initial)
      assert.isFalse(after.headless)
    })
  )
  it.effect(
    "a terminal that opened no window is not asked again in its cycle, as for the launch after a compaction",
    () =>
      Effect.gen(function* () {
        const { log, run, world } = yield* cycle(["tmux", "headless"], ["tmux"], {
          trigger: "handoff",
          settings: { forceCompactThresholdTokens: 1 }
        })
        yield* run
        assert.strictEqual(world.launcher.compacted, 1)
        assert.deepStrictEqual(refusals(yield* log.events), ["tmux headless"])
        assert.lengthOf(relaunches(yield* log.events), 1)
      })
  )
  it.effect("nothing is launched in the next terminal where a person has resumed the session meanwhile", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle(["tmux", "headless"], ["tmux"])
      const { becomes } = world.launcher
      world.launcher.becomes = (id) => (assert.notInclude(id, "headless"), becomes(id))
      const has = world.launcher.windowless.has.bind(world.launcher.windowless)
      world.launcher.windowless.has = (terminal) => {
        world.processes.run({ pid: 90 })
        world.agent.sessions = [{ pid: 90, sessionId: "s1" }]
        return has(terminal)
      }
      yield* run
      assert.deepStrictEqual(closedAt(yield* last), ["one writer", "process 90 holds the session"])
    })
  )
  it.effect("a souffleur that dies at any append of it leaves one launch, and the next one finds it", () =>
    Effect.gen(function* () {
      for (const when of ["before", "after"] as const)
        for (let append = 1; ; append++) {
          const { log, run, start, world } = yield* cycle(["tmux", "headless"], ["tmux"])
          const crashed = yield* inTime(log.abandonAt(append, when, start))
          yield* run
          const events = yield* log.events
          assert.lengthOf(relaunches(events), 1, `${when} append ${append}`)
          assert.deepStrictEqual(launches(world), ["launch 5000"], `${when} append ${append}`)
          assert.deepStrictEqual(refusals(events), ["tmux headless"], `${when} append ${append}`)
          if (!crashed) break
        }
    })
  )
  it.effect("a souffleur that dies right after the launch in the next terminal finds it by its id", () =>
    Effect.gen(function* () {
      const { log, run, vanish, world } = yield* cycle(["tmux", "headless"], ["tmux"])
      yield* vanish
      yield* run
      assert.deepInclude(relaunches(yield* log.events)[0], { launchId: "w-g2-c1-resume-in-place-1-headless" })
      assert.deepStrictEqual(launches(world), ["launch 5000"])
    })
  )
  it.effect("a command with a terminal of its own gets one without a person at it", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 })
      Object.assign(world.launcher, { terminals: ["tmux", "headless"] })
      world.launcher.windowless.add("tmux")
      const command = { program: "/bin/make", args: [], environment: {} }
      const id = "w-g1-launch-1"
      world.launcher.prepared.set(id, { id, command, cwd: "/p", title: "make", terminal: "own" })
      const { log, run } = yield* cycleOf([restart], { comms: null, command: true }, world)
      yield* run
      assert.deepStrictEqual(refusals(yield* log.events), ["tmux headless"])
      assert.deepInclude(world.launcher.launches[0], { place: "headless", terminal: "own", command })
    })
  )
  it("it is told as a warning in comms and as a notice, with what to do", () => {
    const refused = Event.WindowRefused.make({
      at: 0,
      cycle: 1,
      launchId: "w-1",
      terminal: "tmux",
      instead: "headless",
      message: "no server"
    })
    const agent = describeEvent(refused, { who: { comms: null, kind: "agent" } })
    assert.deepInclude(agent, { severity: "warning", message: "warning", notice: "warning" })
    assert.strictEqual(
      agent.text,
      "No window of tmux was opened for the agent (no server): it is launched in print mode, where nobody can answer it or type to it. Start tmux again before its next launch."
    )
    const command = describeEvent(
      { ...refused, terminal: "window", instead: "kitty" },
      { who: { comms: null, kind: "command" } }
    )
    assert.strictEqual(
      command.text,
      "No window by TERMINAL_COMMAND was opened for the command (no server): one of kitty is tried."
    )
  })
})
