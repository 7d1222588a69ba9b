import { assert, describe, it } from "@effect/vitest"
import { LaunchFailed, type WatchEvent } from "@souffleur/domain"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { exportProvider, restart, resumeSession } from "../src/index.ts"
import { againForAWhile } from "../src/launch/LaunchAgain.ts"
import { Cycle } from "../src/steps/Step.ts"
import { closedAt, cycleOf, launches, relaunches } from "./Cycles.ts"
import { worldOf } from "./RecoveryWorld.ts"

const delays = (events: ReadonlyArray<WatchEvent>) =>
  events.flatMap((event) => (event._tag === "LaunchDelayed" ? [(event.until - event.at) / 1000] : []))
const command = { command: { program: "/bin/make", args: [], environment: {} }, cwd: "/p", title: "make" }
const busy = new LaunchFailed({ message: "no process is left", momentary: true })

describe("behaviour#launch", () => {
  it.effect("a program that is missing for some seconds is waited for", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 })
      const begun = yield* Clock.currentTimeMillis
      world.agent.lacks = (now) => now - begun < 12_000
      const { log, run } = yield* cycleOf([resumeSession, exportProvider], { comms: null }, world)
      yield* run
      const events = yield* log.events
      assert.deepStrictEqual([delays(events), relaunches(events).length, launches(world).length], [[5, 10], 1, 1])
    })
  )
  it.effect("a program that stays away is told for ten minutes, then the cycle fails closed with its name", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 })
      world.agent.missing = true
      const { last, log, run } = yield* cycleOf([resumeSession, exportProvider], { comms: null }, world)
      yield* run
      assert.deepStrictEqual(delays(yield* log.events), [5, 10, 20, 40, 80, 120, 120, 120])
      assert.deepStrictEqual(closedAt(yield* last), ["launch", "tried for ten minutes: agent: not found in PATH"])
      assert.deepStrictEqual(launches(world), [])
    })
  )
  it.effect("what a try or a sleep of the machine takes is no pause, and costs no other try", () =>
    Effect.gen(function* () {
      const { log } = yield* cycleOf([restart], { comms: null, command: true }, worldOf({ pid: 4711, parent: 1 }))
      const watch = yield* log.ref()
      const tries = yield* againForAWhile((n) =>
        Effect.andThen(Effect.sleep(n === 0 ? "30 minutes" : 0), n < 3 ? Effect.fail(busy) : Effect.succeed(n))
      ).pipe(Effect.provideService(Cycle, { number: 1, watch }), Effect.forkChild)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Fiber.join(tries), 3)
    })
  )
  it.effect("each further try has a launch of its own, and what cannot pass is not tried again", () =>
    Effect.gen(function* () {
      for (const momentary of [true, false]) {
        const world = worldOf({ pid: 4711, parent: 1 })
        world.launcher.prepared.set("w-g1-launch-1", { id: "w-g1-launch-1", ...command })
        let tries = 0
        world.launcher.becomes = () => {
          if (tries++ > 1) return { pid: 5000 }
          return momentary ? busy : "the launch file is damaged"
        }
        const { last, log, run } = yield* cycleOf([restart], { comms: null, command: true }, world)
        yield* run
        const first = "w-g2-c1-restart-1"
        const ids = momentary ? [first, `${first}-again-1`, `${first}-again-2`] : [first]
        assert.deepStrictEqual(world.launcher.asked, ids)
        assert.deepStrictEqual(delays(yield* log.events), momentary ? [5, 10] : [])
        if (!momentary) assert.deepStrictEqual(closedAt(yield* last), ["launch", "the launch file is damaged"])
      }
    })
  )
})
