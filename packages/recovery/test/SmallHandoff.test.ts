import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { exportProvider, recovery, smallHandoff, standardCompact } from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { closedAt, relaunches, type Change } from "./Cycles.ts"
import { identityOf } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

/** A conversation that no longer fits, and every way out of it, against real files. */
const exhausted = Effect.fnUntraced(function* (
  change: Change,
  world = worldOf(),
  providers: ReadonlyArray<typeof smallHandoff> = [exportProvider, standardCompact, smallHandoff]
) {
  const fs = yield* FileSystem.FileSystem
  const stateDir = yield* fs.makeTempDirectoryScoped()
  const log = yield* crashingLog(recovering({ trigger: "context", ...change }))
  yield* Effect.gen(function* () {
    const ref = yield* log.ref()
    yield* recovery(ref, yield* ref.state, providers)
  }).pipe(Effect.provide(worldLayer(world, stateDir, change.settings)))
  const events = yield* log.events
  return { world, events, providers: relaunches(events).map(({ provider }) => provider), stateDir }
})
const long = `# Export\n${"word ".repeat(60_000)}\nits newest words\n`

describe("behaviour#context-exhaustion", () => {
  it.effect("a conversation that no longer fits is exported, and never compacted", () =>
    Effect.gen(function* () {
      const { providers, world } = yield* exhausted({})
      assert.deepStrictEqual(
        [providers, world.agent.orders.length, world.launcher.compacted],
        [["claude_export"], 1, 0]
      )
      // Nor where the gate refuses its export, which is why any other would be.
      const refused = worldOf()
      refused.agent.exported = long
      assert.deepStrictEqual(
        (yield* exhausted({ settings: { forceCompactThresholdTokens: 1000 } }, refused, [
          exportProvider,
          standardCompact
        ])).providers,
        []
      )
      assert.deepStrictEqual(refused.did, ["export s1"])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#claude_export", () => {
  it.effect("a conversation that went on before the launch is exported again, as a small hand-off", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.onExport = () => {
        world.agent.session.size += 500
        world.agent.onExport = () => {}
      }
      const { providers } = yield* exhausted({}, world)
      assert.deepStrictEqual(providers, ["small_handoff"])
      assert.deepStrictEqual(world.did, ["export s1", "export s1", "launch 5000"])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#small_handoff", () => {
  it.effect("an export that the gate refuses becomes a small hand-off: its newest words, in a fresh session", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const world = worldOf({ pid: 4711, parent: 1 })
      world.agent.exported = long
      const {
        events,
        providers,
        world: after
      } = yield* exhausted({ settings: { forceCompactThresholdTokens: 1000 } }, world)
      assert.deepStrictEqual([providers, after.launcher.compacted], [["small_handoff"], 0])
      // Stopped once: the hand-off found it stopped.
      assert.deepStrictEqual(
        after.did.filter((what: string) => what.startsWith("SIG")),
        ["SIGTERM 4711"]
      )
      const [relaunch] = relaunches(events)
      assert.deepInclude(relaunch, { conductor: identityOf(5000), awaiting: true })
      assert.strictEqual(after.agent.orders[0]?.session._tag, "Fresh")
      const handoff = yield* fs.readFileString(relaunch!.exportPath!)
      assert.isAtMost(handoff.length, 40_000)
      assert.include(handoff, "its newest words")
      assert.include(after.agent.orders[0]?.prompt, relaunch!.exportPath!)
      assert.strictEqual(after.agent.orders[0]?.reads, relaunch!.exportPath!)
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("an export that filled its successor without progress is not tried again: a small hand-off follows", () =>
    Effect.gen(function* () {
      const again = yield* exhausted({ provider: "claude_export", retries: 1 })
      assert.deepStrictEqual(again.providers, ["small_handoff"])
      const progressed = yield* exhausted({ provider: "claude_export", retries: 0 })
      assert.deepStrictEqual(progressed.providers, ["claude_export"])
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("a small hand-off stops the Conductor, and applies only to a conversation that no longer fits", () =>
    Effect.gen(function* () {
      for (const [trigger, did] of [
        ["context", ["SIGTERM 4711", "export s1", "launch 5000"]],
        ["pid", []]
      ] as const) {
        const world = worldOf({ pid: 4711, parent: 1 })
        yield* exhausted({ trigger }, world, [smallHandoff])
        assert.deepStrictEqual(world.did, [...did])
      }
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("nothing is launched without a conversation to hand on", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.exportFails = true
      const { events, world: after } = yield* exhausted({}, world)
      assert.strictEqual(closedAt(events.findLast(({ _tag }) => _tag === "RecoveryFailedClosed"))?.[0], "hand-off")
      assert.isEmpty(after.agent.orders)
    }).pipe(Effect.provide(HostServices.layer))
  )
})
