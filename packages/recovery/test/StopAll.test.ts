import { assert, describe, it } from "@effect/vitest"
import { identityOf } from "@souffleur/testing"
import { Effect } from "effect"
import type { StepServices } from "../src/Provider.ts"
import { closedAt, cycleOf, inTime } from "./Cycles.ts"
import { signsOf, worldOf } from "./RecoveryWorld.ts"

const asked = { purpose: "stop", trigger: "stop" } as const
const launch = {
  _tag: "PrepareLaunch",
  cycle: 1,
  launchId: "l1",
  digest: "d",
  sessionId: "s2",
  requested: "acceptEdits",
  effective: "acceptEdits"
} as const

/** Abandons souffleur before and after each append of a stop. */
const killedAtEach = Effect.fnUntraced(function* (stop: Parameters<typeof cycleOf>[1]) {
  for (const when of ["before", "after"] as const)
    for (let append = 1; ; append++) {
      const { last, log, run, start, world } = yield* cycleOf<StepServices>([], stop)
      const crashed = yield* inTime(log.abandonAt(append, when, start))
      if (!crashed) break
      yield* run
      const limit = stop?.trigger === "ceiling" ? "tokens" : null
      assert.deepInclude(yield* last, { _tag: "WatchStopped", limit }, `${when} ${append}`)
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"], `${when} ${append}`)
    }
})

describe("behaviour#stop-by-a-person", () => {
  it.effect("a Conductor at work is stopped with its tree, and its watch ends", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1 }, { pid: 20, parent: 4711 })
      // No sign of a death is needed.
      world.agent.signs = () => ({ ...signsOf(1000), turn: { _tag: "Asked", at: 0 } })
      const { last, run } = yield* cycleOf<StepServices>([], asked, world)
      yield* run
      assert.strictEqual((yield* last)?._tag, "WatchStopped")
      assert.deepStrictEqual([world.processes.alive, world.did.filter((what) => what.startsWith("launch"))], [[], []])
    })
  )
  it.effect("one that does not end leaves the watch in standby", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1, on: { SIGTERM: "stays", SIGKILL: "stays" } })
      const { last, run } = yield* cycleOf<StepServices>([], asked, world)
      yield* run
      assert.strictEqual(closedAt(yield* last)?.[0], "stop")
    })
  )
  it.effect("the watch of a command that is gone already ends too", () =>
    Effect.gen(function* () {
      const { last, run } = yield* cycleOf<StepServices>([], { ...asked, command: true }, worldOf())
      yield* run
      assert.strictEqual((yield* last)?._tag, "WatchStopped")
    })
  )
  it.effect("a launch that was under way never runs, or is ended too where it has run", () =>
    Effect.gen(function* () {
      for (const ran of [true, false]) {
        const world = worldOf({ pid: 4711, parent: 1 })
        if (ran) {
          world.processes.run({ pid: 5000, parent: 1 }, { pid: 5001, parent: 5000 })
          world.launcher.receipts.set("l1", identityOf(5000))
        }
        const { last, log, run } = yield* cycleOf<StepServices>([], {}, world)
        yield* log.operator.dispatch(launch)
        yield* log.operator.dispatch({ _tag: "Stop" })
        yield* run
        assert.strictEqual((yield* last)?._tag, "WatchStopped")
        assert.deepStrictEqual(world.processes.alive, [])
        assert.deepStrictEqual(world.launcher.receipts.get("l1"), ran ? identityOf(5000) : "tombstone")
      }
    })
  )
  it.effect(
    "a souffleur that is killed at any append of a stop leaves it to the next one, which signals nobody twice",
    () => killedAtEach(asked)
  )
})

describe("behaviour#limits-of-a-job", () => {
  it.effect(
    "a souffleur that is killed while a limit ends the agent leaves that to the next one, to be done once",
    () => killedAtEach({ purpose: "stop", trigger: "ceiling" })
  )
})
