import { claudeCode } from "@souffleur/agents"
import { Event, EventLog, makeWatchRef, Settings, type WatchEvent } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Path } from "effect"
import { TestClock } from "effect/testing"
import { evidence, owner } from "../../domain/test/Given.ts"
import { jumpingClock } from "../../domain/test/JumpingClock.ts"
import { selfMonitor } from "../src/index.ts"

/** The start of every watch here, in epoch ms. */
const begun = Date.UTC(2026, 0, 5, 12, 0, 0)
const at = begun
const before: ReadonlyArray<WatchEvent> = [
  Event.WatchOpened.make({ at, project: "/p", comms: null, pid: 4711, sessionId: "s1", observe: false }),
  Event.OwnerTook.make({ at, fence: 1, owner }),
  Event.ConductorConfirmed.make({
    at,
    print: false,
    conductor: { pid: 4711, startTime: 99, bootId: "boot" },
    sessionId: "s1",
    taskCount: 0,
    taskFingerprint: "",
    conductorState: null,
    lastMessageId: 0
  }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 })
]
const settings = Layer.effect(
  Settings,
  loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/home" }, flags: {} })
).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer]))

/** Moves the clock to a second of the watch. */
const until = (second: number) => TestClock.setTime(begun + second * 1000)
const settle = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }))

/** Runs a self-monitor; the test plays the watcher. */
const monitoring = Effect.gen(function* () {
  yield* until(0)
  const context = yield* Layer.build(Layer.mergeAll(EventLog.layerMemory, Beats.layerMemory, settings))
  const [log, beats] = [Context.get(context, EventLog), Context.get(context, Beats)]
  const looks: Array<number> = []
  const world = { slow: 0, wallJump: 0 }
  const watched = Beats.of({
    ...beats,
    last: Effect.fnUntraced(function* (watch) {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      looks.push((now - begun) / 1000)
      const found = yield* beats.last(watch)
      const slow = world.slow
      world.slow = 0
      return yield* Effect.delay(Effect.succeed(found), slow)
    })
  })
  yield* log.append("w", 0, before)
  const ref = yield* Effect.provideContext(makeWatchRef("w", { _tag: "Owner", fence: 1 }), context)
  const fiber = yield* selfMonitor(ref, yield* ref.state).pipe(
    Effect.provideService(Beats, watched),
    Effect.provideContext(context),
    Effect.provideService(Clock.Clock, yield* jumpingClock(() => world.wallJump)),
    Effect.forkChild
  )
  yield* settle
  return {
    ref,
    log,
    looks,
    world,
    beat: (second: number, by = "watcher/1") => beats.beat("w", { by, at: begun + second * 1000 }),
    /** Reads each `WatcherLost`: its watcher, second and age. */
    lost: Effect.map(log.read("w", before.length), (all) =>
      all.flatMap(({ event }) =>
        event._tag === "WatcherLost" ? [[event.watcher, (event.at - begun) / 1000, event.beatAge] as const] : []
      )
    ),
    ended: Effect.sync(() => fiber.pollUnsafe() !== undefined)
  }
})

describe("behaviour#self-monitor", () => {
  describe("the rounds of the self-monitor", () => {
    it.effect("the rounds come at exactly 360 s, then each 180 s", () =>
      Effect.gen(function* () {
        const { beat, looks } = yield* monitoring
        yield* beat(10_000)
        yield* until(359.999)
        assert.deepStrictEqual(looks, [])
        yield* until(900)
        assert.deepStrictEqual(looks, [360, 540, 720, 900])
      })
    )
    it.effect("the self-monitor reports at once that it runs, which settles the watch", () =>
      Effect.gen(function* () {
        const { ref } = yield* monitoring
        assert.strictEqual((yield* ref.state).phase, "Watching")
      })
    )
  })

  describe("the watcher's beat", () => {
    it.effect("a beat of exactly 180 s ago is no death", () =>
      Effect.gen(function* () {
        const { beat, lost } = yield* monitoring
        yield* beat(180)
        yield* until(360)
        assert.deepStrictEqual(yield* lost, [])
      })
    )
    it.effect("a beat of 180 s and one millisecond ago is a death", () =>
      Effect.gen(function* () {
        const { beat, lost } = yield* monitoring
        yield* beat(179.999)
        yield* until(360)
        assert.deepStrictEqual(yield* lost, [[1, 360, 180_001]])
      })
    )
    it.effect("a beat that never came is a death, 180 s after the watcher was asked for", () =>
      Effect.gen(function* () {
        const { lost } = yield* monitoring
        yield* until(360)
        assert.deepStrictEqual(yield* lost, [[1, 360, null]])
      })
    )
    it.effect("a beat of a bootstrap or a recovery counts as well", () =>
      Effect.gen(function* () {
        const { beat, lost } = yield* monitoring
        yield* beat(300, "recovery/1")
        yield* until(360)
        assert.deepStrictEqual(yield* lost, [])
      })
    )
  })

  describe("WATCHER_DEAD", () => {
    it.effect("WATCHER_DEAD is repeated each 180 s with the current watcher, until the beat is fresh", () =>
      Effect.gen(function* () {
        const { beat, ended, lost } = yield* monitoring
        yield* until(720)
        assert.deepStrictEqual(
          (yield* lost).map(([watcher, second]) => [watcher, second]),
          [
            [1, 360],
            [2, 540],
            [3, 720]
          ]
        )
        yield* beat(721, "watcher/4")
        yield* until(900)
        assert.strictEqual((yield* lost).length, 3)
        assert.isFalse(yield* ended)
      })
    )
    it.effect("WATCHER_DEAD is followed by a new watcher in the same mode", () =>
      Effect.gen(function* () {
        const { ref } = yield* monitoring
        yield* until(360)
        assert.deepStrictEqual((yield* ref.state).watcher, { watcher: 2, since: begun + 360_000 })
      })
    )
    it.effect("WATCHER_DEAD is not reported for a watcher that was asked for just now", () =>
      Effect.gen(function* () {
        const { log, lost, ref } = yield* monitoring
        yield* until(200)
        yield* log.append("w", (yield* ref.state).revision, [
          Event.WatcherStarted.make({ at: begun + 200_000, watcher: 2, awaiting: false, mode: "normal" })
        ])
        yield* until(539)
        assert.deepStrictEqual(yield* lost, [])
        yield* until(540)
        assert.deepStrictEqual(yield* lost, [[2, 540, null]])
      })
    )
    it.effect("WATCHER_DEAD is not reported during a recovery, and is reported again after it", () =>
      Effect.gen(function* () {
        const { log, lost, ref } = yield* monitoring
        yield* until(100)
        yield* log.append("w", (yield* ref.state).revision, [
          Event.ConductorDied.make({
            at: begun + 100_000,
            watcher: 1,
            taskCount: null,
            taskFingerprint: null,
            evidence,
            reason: "pid",
            retries: 1
          }),
          Event.RecoveryStarted.make({ at: begun + 100_000, cycle: 1, purpose: "relaunch", trigger: "pid" })
        ])
        yield* until(1200)
        assert.deepStrictEqual(yield* lost, [])
        yield* ref.dispatch({ _tag: "FailClosed", cycle: 1, stage: "stop", message: "stuck" })
        yield* until(1620)
        assert.deepStrictEqual(
          (yield* lost).map(([watcher]) => watcher),
          [2, 3]
        )
      })
    )
    it.effect("WATCHER_DEAD is not reported by a late round: the watcher had no chance to beat either", () =>
      Effect.gen(function* () {
        const { beat, looks, lost, world } = yield* monitoring
        yield* beat(300)
        yield* until(359)
        world.slow = 400_000
        yield* until(1119)
        // The round of 360 s ended at 760 s. The next, at 940 s, came 580 s after it and does not even look.
        assert.deepStrictEqual(looks, [360])
        assert.deepStrictEqual(yield* lost, [])
        yield* until(1120)
        assert.deepStrictEqual(yield* lost, [[1, 1120, 820_000]])
      })
    )
    it.effect("WATCHER_DEAD is not reported right after a sleep of the machine, in which no watcher could beat", () =>
      Effect.gen(function* () {
        const { beat, looks, lost, world } = yield* monitoring
        yield* beat(300)
        yield* until(359)
        world.wallJump = 170_000
        yield* until(539)
        assert.deepStrictEqual(looks, [])
        // The next round compares again.
        yield* until(540)
        assert.deepStrictEqual(yield* lost, [[1, 710, 410_000]])
      })
    )
  })
})
