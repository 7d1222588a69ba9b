import { assert, describe, it } from "@effect/vitest"
import { evolve, initial, type Recorded, type WatchEvent } from "@souffleur/domain"
import { Effect } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { makeExcerpts } from "../src/history/Excerpts.ts"
import { began, night } from "./PageStage.ts"

/** The events of a night, and then so many that a person was awaited. */
const long = (count: number): ReadonlyArray<Recorded> =>
  [
    ...night("/srv/opera"),
    ...Array.from({ length: count }, (_, n): WatchEvent => ({
      ...examples.PersonAwaited,
      at: began + 20_000_000 + n,
      for: `${n}`
    }))
  ].map((event, n) => ({ position: n + 1, stream: "a", revision: n + 1, event }))

/** Excerpts of a log of which so many events are there, and the events that each read returned. */
const looking = Effect.fnUntraced(function* (log: ReadonlyArray<Recorded>) {
  const reads: Array<number> = []
  const now = { there: log.length }
  const excerpts = yield* makeExcerpts({
    history: (_, { after, upTo }) =>
      Effect.suspend(() => {
        const found = log.slice(after, Math.min(upTo, now.there))
        reads.push(found.length)
        return Effect.as(Effect.yieldNow, found)
      })
  })
  return { excerpts, now, reads: () => reads.splice(0) }
})
const folded = (log: ReadonlyArray<Recorded>, upTo: number) =>
  log.slice(0, upTo).reduce((watch, { event }) => evolve(watch, event), initial)

describe("command-line#page", () => {
  it.effect("a short history is its own excerpt, and a further look reads what is new alone", () =>
    Effect.gen(function* () {
      const log = long(0)
      const { excerpts, now, reads } = yield* looking(log)
      now.there = 5
      const both = yield* Effect.all([excerpts("a"), excerpts("a")], { concurrency: 2 })
      for (const one of both)
        assert.deepStrictEqual(one, { id: "a", before: initial, events: log.slice(0, 5), last: 5 })
      now.there = log.length
      reads()
      assert.deepStrictEqual((yield* excerpts("a")).events, log)
      assert.deepStrictEqual(reads(), [log.length - 5])
      assert.deepStrictEqual((yield* excerpts("a", 3)).events, log)
      assert.deepStrictEqual(reads(), [0])
    })
  )
  it.effect("an excerpt of a long history is bounded, has the state before it, and no gap", () =>
    Effect.gen(function* () {
      const log = long(7000)
      const { excerpts, reads } = yield* looking(log)
      yield* excerpts("a")
      assert.isAtMost(Math.max(...reads()), 1500, "the first look holds a piece at a time")
      yield* excerpts("a")
      assert.deepStrictEqual(reads(), [0], "the newest events are kept")
      for (const around of [undefined, 1, 13, 500, 501, 1499, 3000, 6999, log.length, log.length + 50]) {
        const { before, events, last } = yield* excerpts("a", around)
        const asked = Math.min(around ?? log.length, log.length)
        const [first, end] = [events[0]!.revision, events.at(-1)!.revision]
        assert.deepStrictEqual(events, log.slice(first - 1, end))
        assert.isTrue(first <= asked && asked <= end, `${first} <= ${asked} <= ${end}`)
        assert.isAtMost(events.length, 2000)
        assert.isAtLeast(events.length, 500)
        assert.strictEqual(end, Math.min(log.length, asked + 500))
        assert.deepStrictEqual(before, folded(log, first - 1))
        assert.strictEqual(last, log.length)
        assert.isAtMost(
          reads().reduce((sum, count) => sum + count, 0),
          2000
        )
      }
    })
  )
  it.effect("an excerpt begins outside a recovery, unless that has no end", () =>
    Effect.gen(function* () {
      const recovering = night("/srv/opera").slice(0, 8)
      const steps = (count: number) =>
        Array.from({ length: count }, (_, n): WatchEvent => ({
          ...examples.StepStarted,
          at: began + 10_800_000 + n,
          attempt: n + 1
        }))
      const rest = night("/srv/opera").slice(10)
      const log = [
        ...recovering,
        ...steps(600),
        ...rest,
        ...long(600)
          .slice(13)
          .map(({ event }) => event)
      ].map((event, n): Recorded => ({ position: n + 1, stream: "a", revision: n + 1, event }))
      const { excerpts } = yield* looking(log)
      const { before } = yield* excerpts("a")
      assert.isAbove(before.revision, 600)
      assert.isUndefined(before.recovery)
      const endless = [...recovering, ...steps(2600)].map((event, n): Recorded => ({
        position: n + 1,
        stream: "a",
        revision: n + 1,
        event
      }))
      assert.isAtMost((yield* (yield* looking(endless)).excerpts("a")).events.length, 2000)
    })
  )
})
