import { assert, describe, it } from "@effect/vitest"
import { type Event, evolve, type GateSettings, initial, type Settings, type WatchEvent } from "@souffleur/domain"
import { LaunchSlots } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Option } from "effect"
import { exportProvider, gateOf, recovery, standardCompact } from "../src/index.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { inTime } from "./Cycles.ts"
import { type FakeWorld, identityOf } from "@souffleur/testing"
import { signsOf, worldLayer, worldOf } from "./RecoveryWorld.ts"

type Change = Parameters<typeof recovering>[0] & { readonly settings?: Partial<Settings["Service"]> }

/** Makes a recovery that can run as often as souffleur starts, with one world and one log. */
const cycle = Effect.fnUntraced(function* (
  change: Change = {},
  world = worldOf({ pid: 4711, parent: 1 }),
  providers: ReadonlyArray<typeof exportProvider> = [exportProvider]
) {
  const fs = yield* FileSystem.FileSystem
  const stateDir = yield* fs.makeTempDirectoryScoped()
  const log = yield* crashingLog(recovering(change))
  const layer = worldLayer(world, stateDir, change.settings)
  const run = Effect.gen(function* () {
    const ref = yield* log.ref()
    const watch = yield* ref.state
    if (watch.recovery !== undefined) yield* recovery(ref, watch, providers)
  }).pipe(Effect.provide(layer))
  const exports = Effect.gen(function* () {
    const folder = `${stateDir}/exports`
    return (yield* fs.exists(folder)) ? yield* fs.readDirectory(folder) : []
  })
  return {
    world,
    log,
    run,
    exports,
    stateDir,
    last: Effect.map(log.events, (all) => all.findLast((e) => e._tag !== "WatcherStarted"))
  }
})
const launched = (events: ReadonlyArray<WatchEvent>) =>
  events.filter((event): event is typeof Event.ConductorRelaunched.Type => event._tag === "ConductorRelaunched")
const failedClosed = (event: WatchEvent | undefined) =>
  event?._tag === "RecoveryFailedClosed" ? event.stage : event?._tag

describe("behaviour#claude_export", () => {
  it.effect("the earlier conversation is handed on again after a successor that died before its first word", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.unwritten.add("s2")
      const { log, run } = yield* cycle({ provider: "claude_export", successor: "s2" }, world)
      yield* run
      assert.deepStrictEqual(world.did, ["export s1", "launch 5000"])
      assert.include(world.agent.orders[0]?.prompt, "It is the conversation of session s1.")
      assert.lengthOf(launched(yield* log.events), 1)
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("a successor of an agent that chooses its ids begins without one", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.agent.reports = () => undefined
      const { log, run } = yield* cycle({}, world)
      yield* run
      assert.deepStrictEqual(world.agent.orders[0]?.session, { _tag: "Fresh", sessionId: "" })
      assert.strictEqual(launched(yield* log.events)[0]?.sessionId, "")
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect(
    "claude_export stops, exports, trims, estimates, and launches a successor with the export's path in its prompt",
    () =>
      Effect.gen(function* () {
        const { log, run, stateDir, world } = yield* cycle()
        yield* run
        const path = `${stateDir}/exports/w-g2-c1-2-export-1.md`
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "export s1", "launch 5000"])
        const [order] = world.agent.orders
        assert.match(order?.prompt ?? "", /^\/conductor --recovery-bootstrap\n/u)
        assert.include(order?.prompt, path)
        assert.include(order?.prompt, "Hand-off w-g2-c1-6-launch-1")
        assert.notInclude(order?.prompt, "hello")
        assert.deepStrictEqual([order?.permission, order?.session._tag, order?.print], ["acceptEdits", "Fresh", true])
        assert.match(order!.session.sessionId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
        const [launch] = [...world.launcher.prepared.values()]
        assert.deepStrictEqual([launch?.cwd, launch?.title, launch?.id], ["/p", "Conductor (S2)", "w-g2-c1-6-launch-1"])
        const [relaunch] = launched(yield* log.events)
        assert.deepInclude(relaunch, {
          generation: 2,
          provider: "claude_export",
          conductor: identityOf(5000),
          sessionId: order!.session.sessionId,
          awaiting: true,
          exportPath: path,
          conductorState: "working",
          lastMessageId: 9
        })
      }).pipe(Effect.provide(HostServices.layer))
  )

  describe("the gate", () => {
    const thirty = "x".repeat(30)
    it.effect("the gate launches at exactly the threshold", () =>
      Effect.gen(function* () {
        const { last, run, world } = yield* cycle({ settings: { forceCompactThresholdTokens: 10 } })
        world.agent.exported = thirty
        yield* run
        assert.strictEqual((yield* last)?._tag, "ConductorRelaunched")
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the gate escalates one token above it: the export is discarded and nothing is launched", () =>
      Effect.gen(function* () {
        const { exports, last, run, world } = yield* cycle({ settings: { forceCompactThresholdTokens: 9 } })
        world.agent.exported = thirty
        yield* run
        assert.deepStrictEqual([failedClosed(yield* last), yield* exports], ["gate", []])
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "export s1"])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("an export that fails escalates, and leaves nothing behind", () =>
      Effect.gen(function* () {
        const { exports, last, run, world } = yield* cycle()
        world.agent.exportFails = true
        yield* run
        assert.deepStrictEqual([failedClosed(yield* last), yield* exports], ["export", []])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("an export that cannot be trimmed is discarded too", () =>
      Effect.gen(function* () {
        const { exports, last, run } = yield* cycle({ settings: { trimChars: 0 } })
        yield* run
        assert.deepStrictEqual([failedClosed(yield* last), yield* exports], ["trim", []])
      }).pipe(Effect.provide(HostServices.layer))
    )
  })

  describe("the estimate", () => {
    it.effect("a missing estimate escalates, like an export that is too large", () =>
      Effect.gen(function* () {
        const { exports, last, log, run, stateDir, world } = yield* cycle()
        // Another program removes the export after the trim.
        assert.isTrue(yield* log.abandonAt(6, "after", run))
        yield* (yield* FileSystem.FileSystem).remove(`${stateDir}/exports`, { recursive: true })
        yield* run
        assert.deepStrictEqual([failedClosed(yield* last), yield* exports], ["estimate", []])
        assert.deepStrictEqual(world.did, ["SIGTERM 4711", "export s1"])
      }).pipe(Effect.provide(HostServices.layer))
    )
  })

  describe("an export whose session went on before the launch", () => {
    /** souffleur is suspended after the export, and another program acts. */
    const meanwhile = Effect.fnUntraced(function* (happens: (world: FakeWorld) => void) {
      const run = yield* cycle({}, undefined, [exportProvider, standardCompact])
      assert.isTrue(yield* run.log.abandonAt(4, "after", run.run))
      happens(run.world)
      yield* inTime(run.run)
      const events = yield* run.log.events
      return { ...run, events, by: launched(events).map(({ provider }) => provider) }
    })
    const launch = (events: ReadonlyArray<WatchEvent>) =>
      events.filter((one) => one._tag === "StepFailed" && one.step === "6 launch")

    for (const [what, happens] of [
      ["grew", (world: FakeWorld) => void (world.agent.session.size += 500)],
      ["was replaced", (world: FakeWorld) => void (world.agent.session.inode += 1)]
    ] as const) {
      it.effect(`the export is discarded once, and the session compacted and resumed, if it ${what}`, () =>
        Effect.gen(function* () {
          const { by, events, exports, run, world } = yield* meanwhile(happens)
          assert.deepStrictEqual([by, yield* exports], [["standard_compact"], []])
          assert.deepStrictEqual(
            world.agent.orders.map((order: FakeWorld["agent"]["orders"][number]) => order.session._tag),
            ["Resume", "Resume"]
          )
          assert.lengthOf(launch(events), 1)
          assert.include(JSON.stringify(launch(events)), "went on after it was read")
          yield* run
          assert.lengthOf(world.agent.orders, 2)
        }).pipe(Effect.provide(HostServices.layer))
      )
    }
    it.effect("the export is used when its session did not go on", () =>
      Effect.gen(function* () {
        const { by, events } = yield* meanwhile(() => {})
        assert.deepStrictEqual([by, launch(events)], [["claude_export"], []])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the export is used when its session file is gone", () =>
      Effect.gen(function* () {
        const { by } = yield* meanwhile((world) => world.agent.unwritten.add("s1"))
        assert.deepStrictEqual(by, ["claude_export"])
      }).pipe(Effect.provide(HostServices.layer))
    )
  })
})

describe("settings#gate, behaviour#export", () => {
  const gates: ReadonlyArray<
    readonly [
      what: string,
      window: number | undefined,
      settings: Partial<GateSettings>,
      expected: readonly [window: number | null, trim: number, by: string, threshold: number, by: string]
    ]
  > = [
    ["of 200,000 tokens", 200_000, {}, [200_000, 800_000, "window", 80_000, "window"]],
    ["of 1,000,000 tokens", 1_000_000, {}, [1_000_000, 4_000_000, "window", 400_000, "window"]],
    ["that is not known", undefined, {}, [null, 800_000, "default", 400_000, "default"]],
    [
      "that the settings outrank",
      200_000,
      { trimChars: 70_000, forceCompactThresholdTokens: 90 },
      [200_000, 70_000, "setting", 90, "setting"]
    ]
  ]
  for (const [what, window, settings, expected] of gates) {
    it.effect(`an export for a window ${what} keeps to its limits, and the log has them with their reasons`, () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 4711, parent: 1 })
        world.agent.signs = () => ({ ...signsOf(1000), context: { tokens: 1000, window, model: "m", at: 0 } })
        const [, most, , threshold] = expected
        const asked: Array<number | undefined> = []
        world.agent.onExport = (newest) => asked.push(newest)
        // A line more than the trim keeps.
        world.agent.exported = "twenty characters ..\n".repeat(Math.ceil(most / 21) + 1)
        const { log, run } = yield* cycle({ settings }, world)
        yield* run
        assert.deepStrictEqual(asked, [most])
        const outcome = (yield* log.events).flatMap((event) =>
          event._tag === "StepSucceeded" ? Option.toArray(gateOf(event)) : []
        )[0]!
        const { threshold_by, trim_by, trim_chars } = outcome
        assert.deepStrictEqual([outcome.window, trim_chars, trim_by, outcome.threshold, threshold_by], expected)
        assert.isAtMost(outcome.chars_full, most)
        assert.isAtLeast(outcome.chars_full, most - 21)
        assert.strictEqual(launched(yield* log.events).length, outcome.estimated_tokens > threshold ? 0 : 1)
      }).pipe(Effect.provide(HostServices.layer))
    )
  }
})

describe("behaviour#secrets", () => {
  it.effect("claude_export keeps no word of the conversation in the log, and its export private to its user", () =>
    Effect.gen(function* () {
      const { exports, log, run, stateDir } = yield* cycle()
      yield* run
      assert.notInclude(JSON.stringify(yield* log.events), "hello")
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual((yield* fs.stat(`${stateDir}/exports`)).mode & 0o777, 0o700)
      assert.strictEqual((yield* exports).length, 1)
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#awaiting-a-session-id", () => {
  it.effect("claude_export awaits no session id without comms, which could not confirm it", () =>
    Effect.gen(function* () {
      const { log, run } = yield* cycle({ comms: null })
      yield* run
      assert.isFalse(launched(yield* log.events)[0]?.awaiting)
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#steps", () => {
  for (const when of ["before", "after"] as const) {
    it.effect(`a crash ${when} any append: the successor is launched once, and no finished step is done again`, () =>
      Effect.gen(function* () {
        for (let append = 1; ; append++) {
          const { log, run, world } = yield* cycle()
          const crashed = yield* log.abandonAt(append, when, run)
          yield* run
          if (!crashed) return assert.isAbove(append, 13)
          const events = yield* log.events
          assert.deepStrictEqual(
            world.did.filter((what: string) => !what.startsWith("export")),
            ["SIGTERM 4711", "launch 5000"],
            `crashed at append ${append}`
          )
          assert.deepStrictEqual(
            launched(events).map(({ conductor, sessionId }) => [conductor?.pid, sessionId]),
            [[5000, world.agent.orders.at(-1)!.session.sessionId]]
          )
          // Only acts without a recorded outcome are done again.
          const recorded = events.filter(({ _tag }) => _tag === "StepSucceeded").length
          assert.deepStrictEqual([recorded, world.processes.alive], [6, [5000]])
          assert.isAtMost(
            world.did.filter((what: string) => what.startsWith("export")).length,
            when === "before" ? 2 : 1
          )
        }
      }).pipe(Effect.provide(HostServices.layer))
    )
  }
})

describe("behaviour#completion", () => {
  it.effect("completion before the stop prevents the launch, and nothing is stopped", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      world.comms.conductor.state = "complete"
      yield* run
      assert.deepStrictEqual([(yield* last)?._tag, world.did], ["ConductorCompleted", []])
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("completion before the launch prevents it", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      world.agent.onExport = () => (world.comms.conductor.state = "complete")
      yield* run
      assert.deepStrictEqual([(yield* last)?._tag, world.did], ["ConductorCompleted", ["SIGTERM 4711", "export s1"]])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#stop", () => {
  it.effect("a release between two signals prevents the second", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1, on: { SIGTERM: "stays" } })
      const { log, run } = yield* cycle({}, world)
      const { operator } = log
      const released = Effect.andThen(
        Effect.repeat(Effect.yieldNow, { until: () => world.did.length > 0 }),
        operator.dispatch({ _tag: "Release" })
      )
      yield* inTime(Effect.all([Effect.exit(run), released], { concurrency: 2 }))
      assert.deepStrictEqual(world.did, ["SIGTERM 4711"])
    }).pipe(Effect.provide(HostServices.layer))
  )
  it.effect("a failed stop prevents the launch", () =>
    Effect.gen(function* () {
      const world = worldOf({ pid: 4711, parent: 1, on: { SIGTERM: "not permitted" } })
      const { last, run } = yield* cycle({}, world)
      yield* run
      assert.deepStrictEqual([failedClosed(yield* last), world.did], ["stop", []])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#one-writer", () => {
  it.effect("a live process with the session prevents the launch", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      world.agent.onExport = () => {
        world.processes.run({ pid: 70, parent: 1 })
        world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
      }
      yield* run
      assert.deepStrictEqual([failedClosed(yield* last), world.processes.alive], ["one writer", [70]])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#providers", () => {
  it.effect("a launch that failed for good closes the cycle without a second try", () =>
    Effect.gen(function* () {
      const { last, run, world } = yield* cycle()
      world.launcher.becomes = () => "the launch file is damaged"
      yield* run
      assert.strictEqual(failedClosed(yield* last), "launch")
      assert.deepStrictEqual([world.agent.orders.length, world.processes.alive], [1, []])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#launch", () => {
  it.effect("the launch waits for its turn among the watches of this machine before its last checks", () =>
    Effect.gen(function* () {
      const turns: Array<string> = []
      const { last, run, world } = yield* cycle()
      const turn = (watch: string) =>
        Effect.sync(() => {
          turns.push(watch)
          world.processes.run({ pid: 70, parent: 1 })
          world.agent.sessions = [{ pid: 70, sessionId: "s1" }]
        })
      yield* Effect.provideService(run, LaunchSlots, turn)
      assert.deepStrictEqual([turns, failedClosed(yield* last)], [["w"], "one writer"])
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#raised-in-this-generation", () => {
  it.effect(
    "a successor launched while comms is out is measured against the last launch, and its request needs another state first",
    () =>
      Effect.gen(function* () {
        const { log, run, world } = yield* cycle({ trigger: "handoff" })
        world.agent.onExport = () => (world.comms.out = "locked")
        yield* run
        assert.deepInclude(launched(yield* log.events)[0], {
          taskCount: 2,
          taskFingerprint: "2 tasks",
          conductorState: null,
          lastMessageId: 7
        })
      }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#permission-ceiling", () => {
  it.effect("a higher ceiling changes nothing: a crash asks for acceptEdits", () =>
    Effect.gen(function* () {
      const { log, run, world } = yield* cycle({ settings: { maxExternalPermission: "bypassPermissions" } })
      yield* run
      assert.strictEqual(world.agent.orders[0]?.permission, "acceptEdits")
      const prepared = (yield* log.events).find((event) => event._tag === "LaunchPrepared")
      assert.deepInclude(prepared, {
        requested: "acceptEdits",
        effective: "acceptEdits",
        digest: "digest of w-g2-c1-6-launch-1"
      })
    }).pipe(Effect.provide(HostServices.layer))
  )
})

describe("behaviour#wrap-up", () => {
  it.effect("the successor is the next generation, watched by a new watcher", () =>
    Effect.gen(function* () {
      const { log, run } = yield* cycle()
      yield* run
      const watch = [...recovering(), ...(yield* log.events)].reduce(evolve, initial)
      assert.deepStrictEqual([watch.generation, watch.watcher?.watcher, watch.recovery], [2, 2, undefined])
    }).pipe(Effect.provide(HostServices.layer))
  )
})
