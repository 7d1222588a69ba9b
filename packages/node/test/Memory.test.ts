import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { getHeapCodeStatistics } from "node:v8"
import { Memory } from "../src/index.ts"

it.effect("a process that rests gives back the memory of its start, and each hour that of later work", () =>
  Effect.gen(function* () {
    const made = Effect.sync(() => new WeakRef({ work: "done" }))
    // V8 keeps what a turn of the event loop has seen until its end.
    const turn = Effect.promise(() => setImmediate())
    const start = yield* made
    yield* Effect.forkScoped(Memory.givenBack)
    yield* turn
    yield* TestClock.adjust("9 seconds")
    assert.isDefined(start.deref())
    yield* turn
    yield* TestClock.adjust("1 second")
    assert.isUndefined(start.deref())
    const later = yield* made
    yield* turn
    yield* TestClock.adjust("1 hour")
    assert.isUndefined(later.deref())
  })
)

it.effect("a process that rests gives back the compiled code of its start", () =>
  Effect.gen(function* () {
    // So many that the code of the test runner does not count.
    const count = 20_000
    const functions = Array.from({ length: count }, (_, n) => new Function("x", `let y = x + ${n}; return y * y`))
    for (const each of functions) each(1)
    const before = getHeapCodeStatistics().bytecode_and_metadata_size
    yield* Effect.forkScoped(Memory.givenBack)
    yield* TestClock.adjust("10 seconds")
    assert.isBelow(getHeapCodeStatistics().bytecode_and_metadata_size, before - count * 170)
    assert.strictEqual(functions[7]!(1), 64)
  })
)
