import {
  type Condition,
  guardianOf,
  initial,
  Processes,
  type ProcessIdentity,
  Settings,
  untilSeenOver,
  type Watch,
  type WatchRef
} from "@souffleur/domain"
import { Beats, type LogError, LogUnusable, Refused } from "@souffleur/eventlog"
import { loadSettings, TrustedFiles } from "@souffleur/process"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Option, Path } from "effect"
import { TestClock } from "effect/testing"
import { claudeCode } from "@souffleur/agents"
import { Departure } from "../src/keeping/Departure.ts"
import { guarded } from "../src/keeping/GuardianKeeper.ts"

/** The watch "w", of which it is seen what is told of whom; or the log says no. */
const refOf = (
  did: Array<string>,
  told: Effect.Effect<Watch, Refused | LogError> = Effect.succeed(initial)
): WatchRef => ({
  id: "w",
  state: Effect.die("not asked"),
  dispatch: (intent) =>
    Effect.andThen(
      Effect.sync(
        () => void did.push(intent._tag === "EndProcess" ? `tell ${intent.what} ${intent.process.pid}` : intent._tag)
      ),
      told
    )
})

/** A halt of the machine: its start `at` and how long it lasts, in seconds. */
interface Stillness {
  readonly at: number
  readonly lasts: number
}

/**
 * Plays the first eight minutes with a guardian with pid 50 that beat once and never again. `killed` is its condition
 * after SIGKILL.
 */
const silent = Effect.fnUntraced(function* (
  killed: Condition,
  { still, told }: { readonly still?: Stillness; readonly told?: Effect.Effect<Watch, Refused | LogError> } = {}
) {
  const did: Array<string> = []
  const warnings: Array<string> = []
  const condition = () => Effect.sync(() => (did.includes("SIGKILL 50") ? killed : "stopped"))
  const world = Layer.mergeAll(
    Beats.layerMemory,
    Layer.mock(Processes)({
      self: { pid: 10, startTime: 1, bootId: "boot" },
      host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
      find: () => Effect.succeedNone,
      condition,
      untilOver: untilSeenOver(condition),
      signal: ({ pid }, signal) => Effect.sync(() => void did.push(`${signal} ${pid}`))
    }),
    Layer.effect(
      Settings,
      loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/home" }, flags: {} })
    ).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer])),
    Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
  )
  yield* Effect.gen(function* () {
    const beats = yield* Beats
    yield* beats.beat(guardianOf("w"), { by: "guardian/50/5/boot", at: 0 })
    const heldUp = Effect.gen(function* () {
      const now = (yield* Clock.currentTimeMillis) / 1000
      if (now === still?.at) yield* Effect.sleep(Duration.seconds(still.lasts))
    })
    const late = Beats.of({ ...beats, last: (watch) => Effect.tap(beats.last(watch), heldUp) })
    yield* Effect.forkChild(
      guarded(
        refOf(did, told),
        Effect.sync(() => (did.push("start"), 51))
      ).pipe(Effect.provideService(Beats, late))
    )
    for (let second = 0; second < 480; second++) yield* TestClock.adjust("1 second")
  }).pipe(Effect.provide(world), Effect.scoped)
  return { did, warnings }
})

/**
 * Looks each second at a guardian with pid 50, or at none. A start gives a process with pid 51 that never beats, or
 * nothing.
 */
const guarding = Effect.fnUntraced(function* (given: {
  readonly guardian?: Condition
  readonly starts: boolean
  readonly full?: Effect.Effect<boolean>
}) {
  const did: Array<string> = []
  const identity = { pid: 51, startTime: 5, bootId: "boot" }
  const info = { identity, parent: 1, uid: 1000, name: "node", condition: "running" as const }
  const conditionOf = (pid: number) =>
    did.includes(`SIGKILL ${pid}`) ? "gone" : pid === 51 ? "running" : (given.guardian ?? "gone")
  const condition = ({ pid }: ProcessIdentity) => Effect.sync(() => conditionOf(pid))
  const world = Layer.mergeAll(
    Layer.effect(
      Beats,
      Effect.map(Beats, (beats) => Beats.of({ ...beats, full: given.full ?? beats.full }))
    ).pipe(Layer.provide(Beats.layerMemory)),
    Layer.mock(Processes)({
      self: { pid: 10, startTime: 1, bootId: "boot" },
      host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
      find: (pid) => Effect.succeed(pid === 51 ? Option.some(info) : Option.none()),
      condition,
      untilOver: untilSeenOver(condition),
      signal: ({ pid }, signal) => Effect.sync(() => void did.push(`${signal} ${pid}`))
    }),
    Layer.effect(
      Settings,
      loadSettings({ agent: claudeCode, projectDir: "/p", environment: { HOME: "/home" }, flags: {} })
    ).pipe(Layer.provide([TrustedFiles.layerNone, Path.layer]))
  )
  const begin = Effect.sync(() => (did.push("start"), given.starts ? 51 : 0))
  const fiber = yield* Effect.gen(function* () {
    if (given.guardian !== undefined) yield* (yield* Beats).beat(guardianOf("w"), { by: "guardian/50/5/boot", at: 0 })
    return yield* Effect.forkScoped(guarded(refOf(did), begin))
  }).pipe(Effect.provide(world))
  const seconds = (count: number) => Effect.replicateEffect(TestClock.adjust("1 second"), count, { discard: true })
  return { did, fiber, seconds }
})

describe("behaviour#guardian", () => {
  it.effect("a silent guardian is killed, and another is started once it is gone", () =>
    Effect.gen(function* () {
      const { did } = yield* silent("gone")
      assert.deepStrictEqual(did.slice(0, 3), ["tell guardian 50", "SIGKILL 50", "start"])
    })
  )
  it.effect("the guardian's silence is counted from zero after souffleur itself was suspended", () =>
    Effect.gen(function* () {
      const { did } = yield* silent("gone", { still: { at: 200, lasts: 200 } })
      assert.deepStrictEqual(did, [])
    })
  )
  it.effect("a silent guardian is killed and reported although the log cannot be written: it may hold the log", () =>
    Effect.gen(function* () {
      const locked = Effect.fail(new LogUnusable({ reason: "locked", problem: "by the guardian" }))
      const { did, warnings } = yield* silent("gone", { told: locked })
      assert.deepStrictEqual(did.slice(0, 3), ["tell guardian 50", "SIGKILL 50", "start"])
      assert.match(warnings[0] ?? "", /pid 50 is killed without a word in the log/u)
    })
  )
  it.effect("a souffleur that no longer owns the watch kills no guardian, and stops looking", () =>
    Effect.gen(function* () {
      const { did } = yield* silent("gone", {
        told: Effect.fail(new Refused({ reason: "fenced", message: "another has it" }))
      })
      assert.deepStrictEqual(did, ["tell guardian 50"])
    })
  )
  it.effect(
    "a killed guardian that does not end is reported and killed again later, and no other is started beside it",
    () =>
      Effect.gen(function* () {
        const { did, warnings } = yield* silent("stopped")
        assert.deepStrictEqual(new Set(did), new Set(["tell guardian 50", "SIGKILL 50"]))
        assert.isAbove(did.length, 1)
        assert.match(warnings[0] ?? "", /guardian with pid 50 .* does not end/u)
      })
  )

  it.effect("a guardian that is gone is replaced at once, without a signal", () =>
    Effect.gen(function* () {
      const { did, seconds } = yield* guarding({ guardian: "gone", starts: true })
      yield* seconds(2)
      assert.deepStrictEqual(did, ["start"])
    })
  )
  it.effect("a guardian that was started and never beats is ended after a minute, and no other process is", () =>
    Effect.gen(function* () {
      const { did, seconds } = yield* guarding({ starts: true })
      yield* seconds(60)
      assert.deepStrictEqual(did, ["start"])
      yield* seconds(3)
      assert.deepStrictEqual(did, ["start", "tell guardian 51", "SIGKILL 51"])
    })
  )
  it.effect("a guardian that cannot be started three times is reported, and no further start is tried", () =>
    Effect.gen(function* () {
      const { did, fiber, seconds } = yield* guarding({ starts: false })
      yield* seconds(60)
      assert.deepStrictEqual(did, ["start", "start", "start"])
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
    })
  )
  it.effect("on a full disk a silent guardian is left alone, a failed start counts nothing, and room ends both", () =>
    Effect.gen(function* () {
      let full = true
      const disk = { full: Effect.sync(() => full) }
      const silent = yield* guarding({ guardian: "running", starts: true, ...disk })
      const gone = yield* guarding({ starts: false, ...disk })
      yield* silent.seconds(1000)
      assert.deepStrictEqual([silent.did, gone.did], [[], []])
      full = false
      yield* silent.seconds(1)
      assert.deepStrictEqual(gone.did, ["start"])
      full = true
      yield* silent.seconds(100)
      full = false
      yield* silent.seconds(400)
      assert.deepStrictEqual(gone.did, ["start", "start", "start", "start"], "one of them counted nothing")
      assert.deepStrictEqual(silent.did, ["tell guardian 50", "SIGKILL 50", "start"])
    })
  )
  it.effect("a souffleur that is told to leave dismisses its guardian, whether that beats or was just started", () =>
    Effect.gen(function* () {
      const left = yield* Deferred.make<void>()
      const departing = Effect.provideService(Departure, Deferred.await(left))
      const beating = yield* departing(guarding({ guardian: "running", starts: true }))
      const young = yield* departing(guarding({ starts: true }))
      yield* beating.seconds(2)
      yield* Deferred.succeed(left, undefined)
      yield* beating.seconds(1)
      assert.deepStrictEqual(beating.did, ["SIGTERM 50"])
      assert.deepStrictEqual(young.did, ["start", "SIGTERM 51"])
    })
  )
})
