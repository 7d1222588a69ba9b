import { assert, describe, it } from "@effect/vitest"
import { Event, EventLog, evolve, initial, type WatchEvent } from "@souffleur/domain"
import { memoryLog } from "@souffleur/eventlog"
import { RunLog } from "@souffleur/plan"
import { Effect, Layer, Option, Stream } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { reasonOf } from "../src/explain/WatchReason.ts"
import { SouffleurLog } from "../src/SouffleurLog.ts"
import { watchTimeline } from "../src/timeline/WatchTimeline.ts"
import { traceOfDecision } from "../src/trace/RecoveryTrace.ts"
import { eventsBetween, partSince } from "../src/timeline/WatchPast.ts"

const id = "long"
const minute = 60_000
/** Events that a look at the past may read. The history has many more. */
const most = 2500

/** A watch whose agent dies thousands of times. A minute lies between two events. */
const nights: ReadonlyArray<WatchEvent> = [
  examples.WatchOpened,
  examples.ConductorConfirmed,
  ...Array.from({ length: 3000 }, (_, n) => [
    { ...examples.ConductorDied, retries: 1 },
    Event.RecoveryStarted.make({ at: 0, cycle: n + 1, purpose: "relaunch", trigger: "pid" }),
    { ...examples.ConductorRelaunched, cycle: n + 1, generation: n + 2, awaiting: false },
    { ...examples.HandoffTaken, generation: n + 2 }
  ]).flat()
].map((event, n) => ({ ...event, at: (n + 1) * minute }))

/** Counts the events that are read. */
const layerCounted = (seen: { read: number }) =>
  Layer.merge(
    Layer.effect(
      EventLog,
      Effect.map(memoryLog<WatchEvent>(), (log) => ({
        ...log,
        read: (...asked: Parameters<typeof log.read>) =>
          Effect.tap(log.read(...asked), (events) => Effect.sync(() => (seen.read += events.length)))
      }))
    ),
    RunLog.layerMemory
  )
const withHistory = <A, E>(
  events: ReadonlyArray<WatchEvent>,
  look: (seen: { read: number }) => Effect.Effect<A, E, SouffleurLog | EventLog>
) => {
  const seen = { read: 0 }
  return Effect.gen(function* () {
    yield* EventLog.use((log) => log.append(id, 0, events))
    yield* SouffleurLog.use((log) => log.living)
    return yield* look(seen)
  }).pipe(Effect.provide(Layer.provideMerge(SouffleurLog.layer, layerCounted(seen))))
}
/** Runs a look, and holds that it reads a small part of the history. */
const briefly = <A, E, R>(seen: { read: number }, look: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    seen.read = 0
    const found = yield* look
    assert.isAtMost(seen.read, most)
    return found
  })
const whole = nights.map((event, n) => ({ stream: id, position: n + 1, revision: n + 1, event }))
const stateAt = (revision: number) => nights.slice(0, revision).reduce(evolve, initial)
const text = (value: unknown) => JSON.stringify(value)
const moments = [1, 499, 500, 501, 6003, 11_999, nights.length]

describe("command-line#status", () => {
  it.effect("a past state of a long history is folded from a kept one", () =>
    withHistory(nights, (seen) =>
      Effect.gen(function* () {
        const log = yield* SouffleurLog
        for (const revision of moments) {
          const state = yield* briefly(seen, log.state(id, { revision }))
          assert.strictEqual(text(state), text(stateAt(revision)))
          assert.deepStrictEqual(yield* briefly(seen, log.state(id, { time: (revision + 0.5) * minute })), state)
        }
        assert.strictEqual((yield* log.state(id, { time: 0 })).revision, 0)
      })
    )
  )

  it.effect("a decision of a long history is explained by the events around it", () =>
    withHistory(nights, (seen) =>
      Effect.gen(function* () {
        const log = yield* SouffleurLog
        const named = yield* log.find(id)
        assert.isTrue(Option.isNone(yield* briefly(seen, log.why(id, { revision: 1 }))))
        for (const revision of moments.slice(1)) {
          const why = Option.getOrThrow(yield* briefly(seen, log.why(id, { revision })))
          const { lines, ...reason } = why
          assert.deepStrictEqual(reason, reasonOf(whole, revision))
          assert.include(lines.join("\n"), reason.rule)
          assert.isNotNull(yield* briefly(seen, traceOfDecision(named, why.recorded)))
        }
      })
    )
  )

  it.effect("the last hours of a long history are read without the hours before", () =>
    withHistory(nights, (seen) =>
      Effect.gen(function* () {
        const since = (nights.length - 100) * minute
        const { before, events } = yield* briefly(seen, partSince(id, nights.length, since))
        const now = nights.length * minute
        const [part, all] = [watchTimeline(events, now, before), watchTimeline(whole, now)]
        const young = <A extends { readonly from: number }>(list: ReadonlyArray<A>) =>
          list.filter(({ from }) => from >= since)
        assert.deepStrictEqual(young(part.recoveries), young(all.recoveries))
        assert.deepStrictEqual(young(part.generations), young(all.generations))
        assert.lengthOf(young(part.recoveries), 25)
      })
    )
  )

  it.effect("a hold from long before the last hours is read from its begin", () => {
    const held: ReadonlyArray<WatchEvent> = [
      ...nights.slice(0, 2),
      { ...examples.HoldStarted, at: 3 * minute },
      ...Array.from({ length: 5000 }, (_, n) => ({ ...examples.OwnerTook, at: (n + 4) * minute }))
    ]
    return withHistory(held, () =>
      Effect.gen(function* () {
        const { before, events } = yield* partSince(id, held.length, (held.length - 10) * minute)
        const { waits } = watchTimeline(events, held.length * minute, before)
        assert.deepInclude(waits[0], { kind: "hold", from: 3 * minute, revision: 3 })
      })
    )
  })

  it.effect("a long history is streamed by parts, and its first events come at once", () =>
    withHistory(nights, (seen) =>
      Effect.gen(function* () {
        const log = yield* SouffleurLog
        const between = (after: number, upTo: number) => eventsBetween((range) => log.history(id, range), after, upTo)
        const first = yield* briefly(seen, Stream.runCollect(Stream.take(between(10, nights.length), 3)))
        assert.deepStrictEqual(
          first.map(({ revision }) => revision),
          [11, 12, 13]
        )
        assert.deepStrictEqual(yield* Stream.runCollect(between(10, nights.length)), whole.slice(10))
        assert.lengthOf(yield* Stream.runCollect(between(nights.length, nights.length)), 0)
      })
    )
  )
})
