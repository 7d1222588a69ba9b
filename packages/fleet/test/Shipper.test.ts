import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { batchOf, decideShipment, markAfter, noMark } from "../src/index.ts"
import { eventAt, fleetWorld, layerHashing } from "./FleetWorld.ts"

describe("fleet#forks", () => {
  describe("a shipment", () => {
    const mark = { position: 3, digest: "a".repeat(64) }
    it("a shipment goes on where the own log has the hub's mark", () =>
      assert.deepStrictEqual(decideShipment({ mark, forked: false }, mark), { _tag: "GoOn", mark }))
    it("a shipment is forked by another digest, by a place that the own log lacks, and by the hub's word", () => {
      const forked = { _tag: "Forked", at: 3 } as const
      assert.deepStrictEqual(decideShipment({ mark, forked: false }, { ...mark, digest: "b".repeat(64) }), forked)
      assert.deepStrictEqual(decideShipment({ mark, forked: false }, { ...mark, position: 4 }), forked)
      assert.deepStrictEqual(decideShipment({ mark, forked: false }, undefined), forked)
      assert.deepStrictEqual(decideShipment({ mark, forked: true }, mark), forked)
    })
  })
})

it.layer(layerHashing)((it) => {
  describe("fleet#chain", () => {
    describe("the chain", () => {
      it.effect("two logs have the same digest if they have the same events in the same order", () =>
        Effect.gen(function* () {
          const digestOf = (...events: ReadonlyArray<ReturnType<typeof eventAt>>) =>
            Effect.map(markAfter(noMark, events), ({ digest }) => digest)
          const [one, two] = [eventAt(1), eventAt(2)]
          const digest = yield* digestOf(one, two)
          assert.strictEqual((yield* markAfter(yield* markAfter(noMark, [one]), [two])).digest, digest)
          const others = [
            yield* digestOf(one),
            yield* digestOf(two, one),
            yield* digestOf(eventAt(1, '{"n": 1}'), two),
            yield* digestOf(one, [3, ...two.slice(1)] as unknown as typeof two)
          ]
          assert.lengthOf(new Set([digest, ...others]), 5)
        })
      )
    })
  })

  describe("fleet#a-host, fleet#chain", () => {
    it.effect(
      "a shipper ships what is there and what comes, each event once and in order, and beats when nothing comes",
      () =>
        Effect.gen(function* () {
          const world = yield* fleetWorld
          for (let n = 1; n <= 1201; n++) world.events.push(eventAt(n))
          yield* Effect.forkChild(world.shipping)
          yield* world.caughtUp
          assert.deepStrictEqual(world.copied, world.events)
          assert.strictEqual(world.state.requests, 4, "begun, and three batches")
          world.events.push(eventAt(1300))
          yield* world.caughtUp
          assert.deepStrictEqual(world.copied, world.events)
          const { requests } = world.state
          yield* Effect.repeat(TestClock.adjust("1 second"), { times: 59 })
          assert.isAtLeast(world.beats.length, 5)
          assert.isAtMost(world.state.requests - requests, 6)
          assert.deepStrictEqual(world.copied, world.events)
          assert.deepStrictEqual(world.tags(), ["Begun"])
        })
    )
    it.effect("a shipper goes on through lost requests and lost answers, and tells each trouble and its end once", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        for (let n = 1; n <= 1000; n++) world.events.push(eventAt(n))
        yield* world.weather("away", "lost", "well")
        yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        assert.deepStrictEqual(world.copied, world.events)
        assert.deepStrictEqual(world.tags(), ["Away", "Begun"])
        for (const weather of [["lost"], ["away", "away", "lost", "lost"]] as const) {
          yield* world.weather(...weather)
          for (let n = 0; n < 700; n++) world.events.push(eventAt(world.events.length + 1))
          yield* world.caughtUp
          yield* Effect.repeat(TestClock.adjust("1 second"), { times: 30 })
          assert.deepStrictEqual(world.copied, world.events)
        }
        assert.deepStrictEqual(world.tags().slice(2), ["Away", "Back", "Away", "Back"])
      })
    )
    it.effect(
      "a new shipper goes on where the hub is, after a death as after a hub that was restored from a backup",
      () =>
        Effect.gen(function* () {
          const world = yield* fleetWorld
          for (let n = 1; n <= 700; n++) world.events.push(eventAt(n))
          const first = yield* Effect.forkChild(world.shipping)
          yield* world.caughtUp
          yield* Fiber.interrupt(first)
          world.events.push(eventAt(701))
          // The hub is as it was after the 600th event.
          world.copied.length = 600
          world.state.mark = yield* markAfter(noMark, world.copied)
          yield* Effect.forkChild(world.shipping)
          yield* world.caughtUp
          assert.deepStrictEqual(world.copied, world.events)
        })
    )
    it.effect("a hub that refuses each batch with the mark that it has is asked ever more rarely", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        world.events.push(eventAt(1))
        world.state.lies = true
        yield* Effect.forkChild(world.shipping)
        yield* Effect.repeat(TestClock.adjust("1 second"), { times: 59 })
        assert.isAtLeast(world.state.requests, 5)
        assert.isAtMost(world.state.requests, 10)
        world.state.lies = false
        yield* world.caughtUp
        assert.deepStrictEqual(world.copied, world.events)
      })
    )
    it.effect("a hub that sets its host back again and again costs it next to nothing, and hears of it later", () =>
      Effect.gen(function* () {
        for (const setBack of ["forgotten", "restored"] as const) {
          const world = yield* fleetWorld
          for (let n = 1; n <= 1000; n++) world.events.push(eventAt(n))
          const half = yield* markAfter(noMark, world.events.slice(0, 500))
          const shipping = yield* Effect.forkChild(world.shipping)
          /** Lets the hub be set back as soon as it has everything, for some minutes. Returns the events that were read. */
          const readIn = Effect.fnUntraced(function* (minutes: number) {
            const { read } = world.state
            for (let second = 0; second < 60 * minutes; second++) {
              yield* TestClock.adjust("1 second")
              if (world.copied.length < world.events.length) continue
              if (setBack === "forgotten") yield* world.forgotten
              else {
                world.copied.length = 500
                world.state.mark = half
              }
            }
            return world.state.read - read
          })
          assert.isAbove(yield* readIn(1), 3000)
          yield* readIn(10)
          // Four times in ten minutes it looks for its mark, and ships again.
          assert.isAtMost(yield* readIn(10), 6000)
          yield* TestClock.adjust("11 minutes")
          assert.deepStrictEqual(world.copied, world.events)
          yield* world.forgotten
          yield* TestClock.adjust("15 seconds")
          assert.deepStrictEqual(world.copied, world.events, "a single time costs a second")
          yield* Fiber.interrupt(shipping)
        }
      })
    )
    it.effect("a hub that is ahead is believed at once, however many answers were lost", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        yield* Effect.forkChild(world.shipping)
        yield* TestClock.adjust("1 second")
        for (let n = 1; n <= 20; n++) {
          yield* world.weather("lost")
          world.events.push(eventAt(n))
          yield* TestClock.adjust("5 seconds")
          assert.lengthOf(world.copied, n)
        }
      })
    )
    it.effect("a batch that does not get through is sent in smaller parts, and one event is enough", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        for (let n = 1; n <= 300; n++) world.events.push(eventAt(n))
        world.state.passes = 1
        yield* Effect.forkChild(world.shipping)
        yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => world.copied.length >= 5 })
        assert.deepInclude(world.news, { _tag: "Away", problem: "HTTP status 413" })
        world.state.passes = 100
        yield* world.caughtUp
        assert.deepStrictEqual(world.copied, world.events)
        world.state.passes = Number.MAX_SAFE_INTEGER
        for (let n = 301; n <= 1500; n++) world.events.push(eventAt(n))
        yield* world.caughtUp
        const { requests } = world.state
        for (let n = 1501; n <= 2000; n++) world.events.push(eventAt(n))
        yield* world.caughtUp
        assert.strictEqual(world.state.requests - requests, 1, "the parts have grown again")
      })
    )
    it.effect("a host whose bytes of the day are used up says so once, beats on, and loses nothing", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        world.state.full = 3_600_000
        for (let n = 1; n <= 700; n++) world.events.push(eventAt(n))
        const before = world.state.requests
        yield* Effect.repeat(TestClock.adjust("10 seconds"), { times: 180 })
        assert.deepStrictEqual(world.tags(), ["Begun", "Full"])
        assert.include(JSON.stringify(world.news.at(-1)), "1,000,000,000 bytes of this host in a day")
        assert.isAtLeast(world.beats.length, 150)
        assert.isBelow(world.state.requests - before, 200)
        assert.deepStrictEqual(world.copied, [])
        world.state.full = 0
        yield* Effect.repeat(TestClock.adjust("10 seconds"), { times: 190 })
        assert.deepStrictEqual(world.copied, world.events)
      })
    )
    it.effect("a lost answer costs no second look at what was shipped before", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        for (let n = 1; n <= 5000; n++) world.events.push(eventAt(n))
        yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        const { read } = world.state
        yield* world.weather("lost")
        world.events.push(eventAt(5001))
        yield* world.caughtUp
        world.events.push(eventAt(5002))
        yield* world.caughtUp
        assert.deepStrictEqual(world.copied, world.events)
        assert.isBelow(world.state.read - read, 10)
      })
    )
    it.effect("a log that the hub has lost is begun and shipped again", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        for (let n = 1; n <= 600; n++) world.events.push(eventAt(n))
        yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        yield* world.forgotten
        yield* world.caughtUp
        assert.deepStrictEqual(world.copied, world.events)
      })
    )
    it.effect("a host beats on where its clock was set back", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        const clock = yield* Clock.Clock
        let shift = 0
        const wall = () => clock.currentTimeMillisUnsafe() - shift
        const jumping: Clock.Clock = Object.create(clock, {
          currentTimeMillisUnsafe: { value: wall },
          currentTimeMillis: { value: Effect.sync(wall) }
        })
        yield* TestClock.adjust("2 hours")
        yield* Effect.forkChild(Effect.provideService(world.shipping, Clock.Clock, jumping))
        yield* Effect.repeat(TestClock.adjust("1 second"), { times: 15 })
        shift = 3_600_000
        const before = world.beats.length
        assert.isAtLeast(before, 1)
        yield* Effect.repeat(TestClock.adjust("1 second"), { times: 59 })
        assert.isAtLeast(world.beats.length - before, 5)
      })
    )
    it.effect("a revoked token and a damaged log end it", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        yield* world.weather("well", "revoked")
        const shipping = yield* Effect.forkChild(Effect.flip(world.shipping))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Fiber.join(shipping))._tag, "TokenRefused")
        world.state.unreadable = true
        world.state.mark = { position: 1, digest: "a".repeat(64) }
        assert.strictEqual((yield* Effect.flip(world.shipping))._tag, "LogUnusable")
      })
    )
    it.effect("a shipper says goodbye at its mark where it is ended, and a new one takes that back", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        world.events.push(eventAt(1))
        const first = yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        assert.isFalse(world.state.away)
        world.events.push(eventAt(2))
        yield* Fiber.interrupt(first)
        assert.deepStrictEqual([world.state.away, world.copied], [true, [eventAt(1)]])
        yield* Effect.forkChild(world.shipping)
        yield* world.caughtUp
        assert.isFalse(world.state.away)
      })
    )
    it.effect("the end of a shipper waits a second at most for its goodbye", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        const shipping = yield* Effect.forkChild(world.shipping)
        yield* TestClock.adjust("1 second")
        world.state.hangs = true
        const ending = yield* Effect.forkChild(Fiber.interrupt(shipping))
        yield* TestClock.adjust("500 millis")
        assert.isUndefined(shipping.pollUnsafe())
        yield* TestClock.adjust("500 millis")
        yield* Fiber.join(ending)
        assert.isDefined(shipping.pollUnsafe())
      })
    )
  })

  describe("fleet#words", () => {
    it.effect(
      "a shipper tells that words wait at the hub once the hub has taken a batch or a beat, and not before",
      () =>
        Effect.gen(function* () {
          const world = yield* fleetWorld
          world.events.push(eventAt(1))
          yield* world.weather("away")
          yield* Effect.forkChild(world.shipping)
          yield* TestClock.adjust("25 seconds")
          assert.strictEqual(world.state.toldOfWords, 0)
          world.state.words = [
            { id: "2b1f3c9a-4e52-4a3f-9a77-0c6f1f3f5a11", watch: "w", word: "go", seen: 1, person: "anna", left: 1 }
          ]
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual(world.state.toldOfWords, 2)
          world.state.forked = true
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual(world.state.toldOfWords, 2)
        })
    )
  })

  describe("fleet#forks", () => {
    it.effect("a log that is another one at the hub's mark is forked: the hub is told, and nothing is shipped", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        yield* world.given(eventAt(1), eventAt(2, '{"another":true}'))
        world.events.push(eventAt(1), eventAt(2), eventAt(3))
        const forked = yield* Effect.flip(world.shipping)
        assert.deepInclude(forked, { _tag: "LogForked", at: 2 })
        assert.include(forked.message, "souffleur fleet rename")
        assert.deepStrictEqual([world.state.forks, world.copied.length], [1, 2])
        assert.deepInclude(
          yield* Effect.flip(world.shipping),
          { _tag: "LogForked" },
          "and the other host is refused too"
        )
      })
    )
    it.effect("a log that ends before the hub's mark is forked: it was restored from a backup", () =>
      Effect.gen(function* () {
        const world = yield* fleetWorld
        yield* world.given(eventAt(1), eventAt(2))
        world.events.push(eventAt(1))
        assert.deepInclude(yield* Effect.flip(world.shipping), { _tag: "LogForked", at: 2 })
      })
    )
  })

  describe("fleet#contract", () => {
    it("a batch holds a megabyte, or one event", () => {
      const large = (position: number) => eventAt(position, "x".repeat(600_000))
      assert.lengthOf(batchOf([large(1), large(2)]), 1)
      assert.lengthOf(batchOf([eventAt(1, "x".repeat(3_000_000)), eventAt(2)]), 1)
      assert.lengthOf(batchOf([eventAt(1), large(2), eventAt(3)]), 3)
      assert.lengthOf(batchOf([]), 0)
    })
  })
})
