import type { EventLog } from "@souffleur/domain"
import { Parts, type RunningWatch, Souffleur } from "@souffleur/embed"
import { fakeKind, FakeWorld, passes, untilDone, untilEvent } from "@souffleur/testing"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { median, type Row } from "./Table.ts"

/** Jobs that are played before the measured ones, until what they need is loaded and compiled. */
const [unmeasured, measured] = [20, 21]

const realNanos = TestClock.withLive(Clock.monotonicTimeNanos)

/** A job of the fake agent, in a world of its own. */
interface Played {
  readonly world: FakeWorld
  readonly watch: RunningWatch
}

/** Plays such jobs, and returns the seconds that this part of one usually takes. */
const usual = Effect.fnUntraced(function* <E>(
  part: (played: Played) => Effect.Effect<unknown, E, EventLog | Souffleur>
) {
  const play = Effect.suspend(() => {
    const world = new FakeWorld()
    return Effect.gen(function* () {
      const { run } = yield* Souffleur
      const watch = yield* run({ project: "/p", command: ["agent", "do it"] })
      yield* untilEvent(watch.id, "WatchSettled")
      const before = yield* realNanos
      yield* part({ world, watch })
      return Number((yield* realNanos) - before) / 1e9
    }).pipe(
      Effect.scoped,
      Effect.provide(Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))),
      Effect.provide(TestClock.layer())
    )
  })
  yield* Effect.replicateEffect(play, unmeasured, { discard: true })
  return median(yield* Effect.replicateEffect(play, measured))
})

const night = ({ watch: { ended, id }, world: { conductor } }: Played) =>
  Effect.gen(function* () {
    const recovered = Effect.gen(function* () {
      yield* untilEvent(id, "ConductorRelaunched", { within: "4 hours" })
      yield* conductor.answers
      yield* untilEvent(id, "HandoffTaken")
    })
    for (let death = 1; death <= 3; death++) {
      yield* conductor.progresses
      yield* passes("10 minutes")
      yield* conductor.dies
      yield* recovered
    }
    yield* conductor.progresses
    yield* conductor.meetsLimit(Date.UTC(2026, 0, 5, 16))
    yield* recovered
    yield* conductor.completes
    yield* untilDone(ended)
  })

/** Measures what the test of an app waits for, with `@souffleur/testing`: an hour of silence, and a night. */
export const nightsInMemory = Effect.gen(function* () {
  const hour = yield* usual(() => passes("1 hour"))
  const rows: ReadonlyArray<Row> = [
    { cells: ["an hour of a silent agent, in memory"], measured: hour, limit: { atMost: 0.02 } },
    {
      cells: ["a night of three deaths and a limit, in memory"],
      measured: yield* usual(night),
      limit: { atMost: 0.3 }
    }
  ]
  return rows
})
