import { assert, describe, it } from "@effect/vitest"
import { type Settings } from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { Beats } from "@souffleur/eventlog"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import {
  exportProvider,
  Completed,
  Escalated,
  FailedClosed,
  type Provider,
  recovery,
  type Successor
} from "../src/index.ts"
import { preparation } from "../../domain/test/Given.ts"
import { crashingLog, recovering } from "./CrashingLog.ts"
import { type FakeWorld, identityOf } from "@souffleur/testing"
import { worldLayer, worldOf } from "./RecoveryWorld.ts"

const baseline = { taskCount: 3, taskFingerprint: "3 tasks", conductorState: "working", lastMessageId: 8 }
const successor: Successor = {
  launchId: "l1",
  conductor: identityOf(5000),
  sessionId: "s2",
  awaiting: true,
  print: true,
  exportPath: null,
  baseline
}
const escalated = (alreadyKilled: boolean) =>
  Effect.fail(new Escalated({ stage: "gate", message: "too large", alreadyKilled }))
/** Makes a provider with this result that notes its input. */
const provider = (
  entered: Array<string>,
  name: string,
  recover: ReturnType<Provider<never>["recover"]>
): Provider<never> => ({
  name,
  recover: (_, { alreadyKilled }) =>
    Effect.andThen(
      Effect.sync(() => entered.push(`${name} ${alreadyKilled}`)),
      recover
    )
})

/** Runs one cycle with these providers, and returns its result. */
const cycle = Effect.fnUntraced(function* (providers: readonly [Provider<never>, ...ReadonlyArray<Provider<never>>]) {
  const log = yield* crashingLog(recovering())
  const ref = yield* log.ref()
  yield* ref.dispatch({
    _tag: "PrepareLaunch",
    ...preparation
  })
  yield* recovery(ref, yield* ref.state, providers).pipe(Effect.provide(worldLayer(worldOf(), "/state")))
  return (yield* log.events).slice(1)
})
const onLayer = Effect.provide([FileSystem.layerNoop({}), Path.layer, TrustedFiles.layerNone])

describe("behaviour#providers", () => {
  describe("the providers", () => {
    it.effect("the providers are tried in order, and an escalation hands on whether the Conductor was killed", () =>
      Effect.gen(function* () {
        const entered: Array<string> = []
        const events = yield* cycle([
          provider(entered, "first", escalated(true)),
          provider(entered, "second", Effect.succeed(successor)),
          provider(entered, "third", Effect.succeed(successor))
        ])
        assert.deepStrictEqual(entered, ["first false", "second true"])
        const [escalation, relaunched, watcher] = events
        assert.deepInclude(escalation, {
          _tag: "RecoveryEscalated",
          from: "first",
          to: "second",
          stage: "gate",
          message: "too large",
          alreadyKilled: true
        })
        assert.deepInclude(relaunched, {
          _tag: "ConductorRelaunched",
          provider: "second",
          generation: 2,
          exportPath: null,
          ...baseline
        })
        assert.strictEqual(watcher?._tag, "WatcherStarted")
      }).pipe(onLayer)
    )
    it.effect("the cycle fails closed when the last provider has escalated", () =>
      Effect.gen(function* () {
        const entered: Array<string> = []
        const [, closed, watcher] = yield* cycle([
          provider(entered, "first", escalated(true)),
          provider(entered, "second", escalated(true))
        ])
        assert.deepInclude(closed, { _tag: "RecoveryFailedClosed", stage: "gate", message: "too large" })
        assert.deepInclude(watcher, { _tag: "WatcherStarted", watcher: 2 })
      }).pipe(onLayer)
    )
    it.effect("the cycle ends at the first provider that fails closed: no other may launch in it", () =>
      Effect.gen(function* () {
        const entered: Array<string> = []
        const [closed] = yield* cycle([
          provider(entered, "first", Effect.fail(new FailedClosed({ stage: "launch", message: "no receipt" }))),
          provider(entered, "second", Effect.succeed(successor))
        ])
        assert.deepStrictEqual([entered, closed?._tag], [["first false"], "RecoveryFailedClosed"])
      }).pipe(onLayer)
    )
    it.effect("completion cancels the providers", () =>
      Effect.gen(function* () {
        const [completed] = yield* cycle([provider([], "first", Effect.fail(new Completed()))])
        assert.deepInclude(completed, { _tag: "ConductorCompleted", by: "recovery" })
      }).pipe(onLayer)
    )
  })
})

describe("behaviour#beats", () => {
  it.effect("a recovery beats in the watcher's place each 60 s, also in comms", () =>
    Effect.gen(function* () {
      const log = yield* crashingLog(recovering())
      const ref = yield* log.ref()
      const beats: Array<readonly [string, number]> = []
      const world = worldOf()
      const watch = yield* ref.state
      const noted = Layer.succeed(
        Beats,
        Beats.of({
          beat: (_, { at, by }) => Effect.sync(() => void beats.push([by, at])),
          last: () => Effect.succeed(Option.none()),
          full: Effect.succeed(false)
        })
      )
      const waiting = provider([], "slow", Effect.as(Effect.sleep("150 seconds"), successor))
      yield* Effect.forkChild(
        recovery(ref, watch, [waiting]).pipe(
          Effect.provide(Layer.merge(worldLayer(world, "/state"), noted)),
          Effect.exit
        )
      )
      yield* TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }))
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(beats, [
        ["recovery/1", 0],
        ["recovery/1", 60_000],
        ["recovery/1", 120_000]
      ])
      assert.deepStrictEqual(
        world.comms.beats.map(({ at }) => at),
        [0, 60_000, 120_000],
        "the row of comms mirrors them"
      )
    }).pipe(onLayer)
  )
})

describe("behaviour#retries", () => {
  describe("the third end without progress", () => {
    const salvage = Effect.fnUntraced(function* (world: FakeWorld, settings: Partial<Settings["Service"]> = {}) {
      const stateDir = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const log = yield* crashingLog(recovering({ purpose: "export" }))
      const ref = yield* log.ref()
      yield* recovery(ref, yield* ref.state, [exportProvider]).pipe(
        Effect.provide(worldLayer(world, stateDir, settings))
      )
      return { last: (yield* log.events).at(-1), path: `${stateDir}/exports/w-g2-c1-2-export-1.md` }
    })
    it.effect("the third death stops, exports for a person, and launches nothing", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 4711, parent: 1 })
        const { last, path } = yield* salvage(world)
        assert.deepInclude(last, { _tag: "RetriesExhausted", exportPath: path })
        assert.deepStrictEqual([world.did, world.processes.alive], [["SIGTERM 4711", "export s1"], []])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the third death also exports a Conductor that could not be stopped", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 4711, parent: 1, on: { SIGTERM: "not permitted" } })
        const { last, path } = yield* salvage(world)
        assert.deepInclude(last, { _tag: "RetriesExhausted", exportPath: path })
        assert.deepStrictEqual([world.did, world.processes.alive], [["export s1"], [4711]])
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the third death ends the watch without an export when none is possible", () =>
      Effect.gen(function* () {
        const world = worldOf()
        world.agent.exportFails = true
        assert.deepInclude((yield* salvage(world)).last, { _tag: "RetriesExhausted", exportPath: null })
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the third death keeps an export that could not be trimmed", () =>
      Effect.gen(function* () {
        const { last, path } = yield* salvage(worldOf(), { trimChars: 0 })
        assert.deepInclude(last, { _tag: "RetriesExhausted", exportPath: path })
        assert.isTrue(yield* (yield* FileSystem.FileSystem).exists(path))
      }).pipe(Effect.provide(HostServices.layer))
    )
    it.effect("the third death does not count when the Conductor completed after all", () =>
      Effect.gen(function* () {
        const world = worldOf({ pid: 4711, parent: 1 })
        world.comms.conductor.state = "complete"
        assert.deepInclude((yield* salvage(world)).last, { _tag: "ConductorCompleted", by: "recovery" })
        assert.deepStrictEqual(world.did, [])
      }).pipe(Effect.provide(HostServices.layer))
    )
  })
})
