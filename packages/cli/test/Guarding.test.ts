import { assert, it } from "@effect/vitest"
import { Beats, type Condition, guardianOf, loadSettings, Processes, Settings } from "@souffleur/domain"
import { Effect, FileSystem, Layer, Logger, Path } from "effect"
import { TestClock } from "effect/testing"
import { guarded } from "../src/Guarding.ts"

/** A guardian with pid 50 that beat once and never again, and what SIGKILL makes of it. */
const silent = Effect.fnUntraced(function* (killed: Condition) {
  const did: Array<string> = []
  const warnings: Array<string> = []
  const world = Layer.mergeAll(
    Beats.layerMemory,
    Layer.mock(Processes)({
      self: { pid: 10, startTime: 1, bootId: "boot" },
      host: { name: "host", pidNamespace: "pid:[1]", uid: 1000 },
      find: () => Effect.succeedNone,
      condition: () => Effect.sync(() => (did.includes("SIGKILL 50") ? killed : "stopped")),
      signal: ({ pid }, signal) => Effect.sync(() => void did.push(`${signal} ${pid}`))
    }),
    Layer.effect(Settings, loadSettings({ projectDir: "/p", environment: { HOME: "/home" }, flags: {} })).pipe(
      Layer.provide([FileSystem.layerNoop({}), Path.layer])
    ),
    Logger.layer([Logger.make(({ message }) => void warnings.push(String(message)))])
  )
  yield* Effect.gen(function* () {
    const beats = yield* Beats
    yield* beats.beat(guardianOf("w"), { by: "guardian/50/5/boot", at: 0 })
    yield* Effect.forkChild(
      guarded(
        "w",
        Effect.sync(() => (did.push("start"), 51))
      )
    )
    for (let second = 0; second < 480; second++) yield* TestClock.adjust("1 second")
  }).pipe(Effect.provide(world), Effect.scoped)
  return { did, warnings }
})

it.effect("a guardian that is silent is killed, and another started once it is gone", () =>
  Effect.gen(function* () {
    const { did } = yield* silent("gone")
    assert.deepStrictEqual(did.slice(0, 2), ["SIGKILL 50", "start"])
  })
)
it.effect("one that was killed and does not end is told, and tried again later: no other is started beside it", () =>
  Effect.gen(function* () {
    const { did, warnings } = yield* silent("stopped")
    assert.deepStrictEqual(new Set(did), new Set(["SIGKILL 50"]))
    assert.isAbove(did.length, 1)
    assert.match(warnings[0] ?? "", /guardian with pid 50 .* does not end/u)
  })
)
