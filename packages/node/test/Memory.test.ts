import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { GCProfiler, getHeapCodeStatistics, setFlagsFromString } from "node:v8"
import { Memory } from "../src/index.ts"

/** V8 may collect by itself at any moment: what was gone too early then is played again. */
const undisturbed = <E, R>(play: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(play, { until: (isKept) => isKept, times: 9 }).pipe(
    Effect.map((isKept) => assert.isTrue(isKept, "ten times it was gone too early"))
  )

it.effect("a process that rests gives back the memory of its start, and each hour that of later work", () =>
  Effect.gen(function* () {
    const made = Effect.sync(() => new WeakRef({ work: "done" }))
    // V8 keeps what a turn of the event loop has seen until its end.
    const turn = Effect.promise(() => setImmediate())
    const start = yield* made
    yield* Memory.makeRest
    yield* turn
    yield* TestClock.adjust("9 seconds")
    const isKept = start.deref() !== undefined
    yield* turn
    yield* TestClock.adjust("1 second")
    assert.isUndefined(start.deref())
    const later = yield* made
    yield* turn
    yield* TestClock.adjust("1 hour")
    assert.isUndefined(later.deref())
    return isKept
  }).pipe(Effect.scoped, undisturbed)
)

it.effect("a process gives back the memory of later work ten seconds after its end", () =>
  Effect.gen(function* () {
    const { wake } = yield* Memory.makeRest
    const turn = Effect.promise(() => setImmediate())
    yield* TestClock.adjust("10 seconds")
    const later = yield* Effect.sync(() => new WeakRef({ work: "done" }))
    yield* wake
    yield* turn
    yield* TestClock.adjust("5 seconds")
    yield* wake
    yield* turn
    yield* TestClock.adjust("9 seconds")
    const isKept = later.deref() !== undefined
    yield* turn
    yield* TestClock.adjust("1 second")
    assert.isUndefined(later.deref())
    return isKept
  }).pipe(Effect.scoped, undisturbed)
)

/** Calls a new function very often. Returns whether V8 has compiled it for speed, and how well. */
const speedOf = Effect.fnUntraced(function* (name: string, turns = 200) {
  // V8 takes up what it knows of another function of this text.
  const called = new Function("x", `let ${name} = 0; for (let y = 0; y < 9; y++) ${name} += x * y; return ${name}`)
  setFlagsFromString("--allow-natives-syntax")
  const speed = new Function("f", "return %ActiveTierIsTurbofan(f) ? 'full' : %ActiveTierIsMaglev(f) ? 'half' : 'none'")
  setFlagsFromString("--no-allow-natives-syntax")
  for (let turn = 0; turn < turns && speed(called) !== "full"; turn++) {
    for (let n = 0; n < 10_000; n++) called(n)
    // The compiler works in a thread of its own.
    yield* Effect.promise(() => setImmediate())
  }
  return speed(called) as string
})

it.effect("a process compiles for speed what works, and not what it does at rest", () =>
  Effect.gen(function* () {
    const { wake } = yield* Memory.makeRest
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* speedOf("first"), "none")
    yield* wake
    // A busy machine gives the compiler few of its turns.
    assert.strictEqual(yield* speedOf("second", 20_000), "full")
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(yield* speedOf("third"), "none")
  })
)

it.effect("a process that rests collects its young garbage each minute", () =>
  Effect.gen(function* () {
    yield* Memory.makeRest
    yield* TestClock.adjust("10 seconds")
    const profiler = new GCProfiler()
    profiler.start()
    yield* TestClock.adjust("1 minute")
    const kinds = profiler.stop()!.statistics.map(({ gcType }) => gcType)
    assert.include(kinds, "Scavenge")
  })
)

it.effect("a process that rests gives back the compiled code of its start", () =>
  Effect.gen(function* () {
    // So many that the code of the test runner does not count.
    const count = 20_000
    const functions = Array.from({ length: count }, (_, n) => new Function("x", `let y = x + ${n}; return y * y`))
    for (const each of functions) each(1)
    const before = getHeapCodeStatistics().bytecode_and_metadata_size
    yield* Memory.makeRest
    yield* TestClock.adjust("10 seconds")
    assert.isBelow(getHeapCodeStatistics().bytecode_and_metadata_size, before - count * 170)
    assert.strictEqual(functions[7]!(1), 64)
  })
)
