import { assert, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Option, Result, Stream } from "effect"
import { EventLog, type Recorded } from "../src/watch/EventLog.ts"
import { type ReadError } from "@souffleur/eventlog"
import type { WatchEvent } from "../src/event/WatchEvent.ts"

/** Distinct events, by their watcher's number. */
export const numbered = (from: number, count: number): ReadonlyArray<WatchEvent> =>
  Array.from({ length: count }, (_, n) => ({
    _tag: "WatcherStarted",
    at: 1_700_000_000_000,
    watcher: from + n,
    awaiting: false,
    mode: "normal"
  }))

export const numberOf = ({ event }: Recorded): number => (event._tag === "WatcherStarted" ? event.watcher : -1)
const revisions = (events: ReadonlyArray<Recorded>) => events.map(({ revision }) => revision)
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

/** Tests what every log does. `live`: time is real, since the store waits in system calls. */
export const eventLogSuite = <E>(name: string, layer: Layer.Layer<EventLog, E>) => {
  const test = (what: string, effect: Effect.Effect<void, unknown, EventLog>) =>
    it.live(`${name}: ${what}`, () => Effect.provide(effect, layer))

  test(
    "appends what was decided on the newest revision, and nothing else",
    Effect.gen(function* () {
      const log = yield* EventLog
      assert.strictEqual(yield* log.append("a", 0, numbered(1, 1)), 1)
      assert.strictEqual(yield* log.append("a", 1, numbered(2, 3)), 4)
      for (const expected of [0, 3, 5, 1000]) {
        const refused = yield* Effect.flip(log.append("a", expected, numbered(9, 2)))
        assert.deepInclude(refused, { _tag: "Conflict", stream: "a", expected })
      }
      const ahead = yield* Effect.flip(log.append("never", 1, numbered(1, 1)))
      assert.strictEqual(ahead._tag, "Conflict")
      const events = yield* log.read("a", 0)
      assert.deepStrictEqual(revisions(events), upTo(4))
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        [...numbered(1, 4)]
      )
      assert.deepStrictEqual(yield* log.read("never", 0), [])
    })
  )

  test(
    "an empty append appends nothing and checks nothing",
    Effect.gen(function* () {
      const log = yield* EventLog
      assert.strictEqual(yield* log.append("a", 7, []), 7)
      assert.deepStrictEqual(yield* log.read("a", 0), [])
      assert.deepStrictEqual(yield* log.streams, [])
    })
  )

  test(
    "reads after a revision, and nothing after the newest",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a", 0, numbered(1, 5))
      assert.deepStrictEqual(revisions(yield* log.read("a", 3)), [4, 5])
      assert.deepStrictEqual(yield* log.read("a", 5), [])
      // A reader has seen events that the log lacks now. So a log that was cut differs from a log without news.
      for (const past of [log.read("a", 6), Stream.runHead(log.changes("a", 6)), log.read("never", 1)])
        assert.deepInclude(yield* Effect.flip(past as Effect.Effect<unknown, ReadError>), {
          _tag: "LogUnusable",
          reason: "shortened"
        })
    })
  )

  test(
    "of many fibers that decide on one revision, one appends",
    Effect.gen(function* () {
      const log = yield* EventLog
      const outcomes = yield* Effect.forEach(upTo(50), (n) => Effect.result(log.append("a", 0, numbered(n, 2))), {
        concurrency: "unbounded"
      })
      assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
      assert.lengthOf(yield* log.read("a", 0), 2)
    })
  )

  test(
    "fibers that append at once to streams of their own do not disturb each other, nor does one that is refused",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("stale", 0, numbered(1, 1))
      const outcomes = yield* Effect.all(
        [
          ...upTo(300).map((n) => Effect.result(log.append(`s${n}`, 0, numbered(n, 1 + (n % 3))))),
          Effect.result(log.append("stale", 0, numbered(2, 1)))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure._tag)),
        [...upTo(300).map((n) => 1 + (n % 3)), "Conflict"]
      )
      for (const n of [1, 77, 300])
        assert.deepStrictEqual(
          (yield* log.read(`s${n}`, 0)).map(numberOf),
          upTo(1 + (n % 3)).map((m) => n + m - 1)
        )
    })
  )

  test(
    "writers that decide again after a conflict lose nothing",
    Effect.gen(function* () {
      const log = yield* EventLog
      const one = (n: number) =>
        Effect.gen(function* () {
          const events = yield* log.read("a", 0)
          yield* log.append("a", events.length, numbered(n, 1))
        }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "Conflict" }))
      yield* Effect.forEach(upTo(40), one, { concurrency: "unbounded", discard: true })
      const events = yield* log.read("a", 0)
      assert.deepStrictEqual(revisions(events), upTo(40))
      assert.deepStrictEqual(
        events.map(numberOf).toSorted((a, b) => a - b),
        upTo(40)
      )
    })
  )

  test(
    "reads everything by pages, in the order of the log",
    Effect.gen(function* () {
      const log = yield* EventLog
      for (let n = 0; n < 3; n++) {
        yield* log.append("a", n * 700, numbered(n * 700, 700))
        yield* log.append(`b${n}`, 0, numbered(1, 1))
      }
      assert.lengthOf(yield* log.read("a", 0), 2100)
      assert.deepStrictEqual(revisions(yield* log.read("a", 1099)), upTo(2100).slice(1099))
      const all = yield* Stream.runCollect(log.readAll(0))
      assert.lengthOf(all, 2103)
      assert.isTrue(all.every(({ position }, n) => n === 0 || position > all[n - 1]!.position))
      assert.deepStrictEqual(
        all.filter(({ stream }) => stream === "a").map(numberOf),
        upTo(2100).map((n) => n - 1)
      )
      const rest = yield* Stream.runCollect(log.readAll(all[1500]!.position))
      assert.deepStrictEqual(rest, all.slice(1501))
      assert.deepStrictEqual(yield* log.streams, ["a", "b0", "b1", "b2"])
    })
  )

  test(
    "an interrupted append is in the log, or never will be",
    Effect.gen(function* () {
      const log = yield* EventLog
      const fibers = yield* Effect.forEach(upTo(20), (n) => Effect.forkChild(log.append(`s${n}`, 0, numbered(n, 1))))
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(fibers)
      const before = yield* log.streams
      yield* log.append("after", 0, numbered(1, 1))
      assert.deepStrictEqual(yield* log.streams, [...before, "after"])
    })
  )

  test(
    "changes gives the past, then what comes, to everyone, without a miss or a repeat",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("a", 0, numbered(1, 3))
      const follow = (after: number, count: number) =>
        Effect.forkChild(Stream.runCollect(Stream.take(log.changes("a", after), count)), { startImmediately: true })
      const early = yield* follow(0, 60)
      const later = yield* follow(3, 57)
      const everything = yield* Effect.forkChild(Stream.runCollect(Stream.take(log.changesAll(0), 79)), {
        startImmediately: true
      })
      const writer = (n: number) =>
        Effect.gen(function* () {
          yield* Effect.yieldNow
          const events = yield* log.read("a", 0)
          yield* log.append("a", events.length, numbered(n, 3))
          yield* log.append(`other${n}`, 0, numbered(n, 1))
        }).pipe(Effect.retry({ while: ({ _tag }) => _tag === "Conflict" }))
      const writers = yield* Effect.forkChild(Effect.forEach(upTo(19), writer, { concurrency: 5, discard: true }))
      const meanwhile = yield* follow(0, 60)
      yield* Fiber.join(writers)
      const written = yield* log.read("a", 0)
      assert.deepStrictEqual(revisions(written), upTo(60))
      assert.deepStrictEqual(yield* Fiber.join(early), written)
      assert.deepStrictEqual(yield* Fiber.join(meanwhile), written)
      assert.deepStrictEqual(yield* Fiber.join(later), written.slice(3))
      const all = yield* Stream.runCollect(log.readAll(0))
      assert.deepStrictEqual(yield* Fiber.join(everything), all)
      assert.lengthOf(all, 79)
      const quiet = yield* Effect.forkChild(Stream.runHead(log.changes("a", 60)), { startImmediately: true })
      for (let n = 0; n < 20; n++) yield* Effect.yieldNow
      assert.isUndefined(quiet.pollUnsafe())
      yield* log.append("a", 60, numbered(99, 1))
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(quiet)).revision, 61)
    })
  )
}
