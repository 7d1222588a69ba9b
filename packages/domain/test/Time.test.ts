import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { clockBefore, day, epochOf, iso, makeDates, moment, personsZone, sleepUntil, time } from "../src/Time.ts"
import { jumpingClock } from "./JumpingClock.ts"

describe("behaviour#numbers-of-others", () => {
  it("a time is read as epoch milliseconds, in UTC where it names no zone, and no other text is one", () => {
    const noon = 1_772_366_400_000
    for (const text of ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00", "2026-03-01T14:00:00+02:00"])
      assert.strictEqual(epochOf(text), noon, text)
    for (const text of ["", "noon", "2026-13-01T12:00:00Z"]) assert.isUndefined(epochOf(text), text)
  })
})

const zoneNamed = (name: string) =>
  Effect.runSync(Effect.provideService(personsZone, DateTime.CurrentTimeZone, DateTime.zoneMakeNamedUnsafe(name)))
const [berlin, tokyo] = [zoneNamed("Europe/Berlin"), zoneNamed("Asia/Tokyo")]
/** Half an hour before midnight in Berlin, by winter time. */
const late = epochOf("2026-03-01T22:30:00Z")!
const hour = 3_600_000

describe("behaviour#times", () => {
  it("a time is written by the clock of its zone, with the date where the day is another", () => {
    assert.deepStrictEqual([time(late), time(late, berlin), time(late, tokyo)], ["22:30:00", "23:30:00", "07:30:00"])
    assert.deepStrictEqual([day(late), day(late, tokyo)], ["2026-03-01", "2026-03-02"])
    assert.strictEqual(moment(late + hour, late), "23:30:00")
    assert.strictEqual(moment(late + hour, late, berlin), "2026-03-02 00:30")
    // Summer time begins at the end of March.
    assert.strictEqual(time(late + 30 * 24 * hour, berlin), "00:30:00")
  })

  it("a time that no calendar has is written too", () => {
    for (const at of [Number.NaN, Infinity, -Infinity, 8.64e15]) assert.match(time(at, tokyo), /\d\d:\d\d/u)
  })
  it("a date is told at midnight of the zone, and at first where it is not today's", () => {
    const dates = makeDates(late, berlin)
    assert.deepStrictEqual([late, late + hour, late + 2 * hour].map(dates), [undefined, "2026-03-02", undefined])
    assert.strictEqual(makeDates(late + 24 * hour, berlin)(late), "2026-03-01")
  })

  it("the zone of a person is the provided one, else the host's", () => {
    const before = process.env["TZ"]
    try {
      for (const [name, zone] of [
        ["Europe/Berlin", berlin],
        ["Asia/Tokyo", tokyo]
      ] as const) {
        process.env["TZ"] = name
        const host = Effect.runSync(personsZone)
        // Summer and winter.
        for (const at of [late, late + 120 * 24 * hour]) assert.strictEqual(host(at), zone(at), name)
        assert.strictEqual(zoneNamed("UTC")(late), 0)
      }
    } finally {
      if (before === undefined) delete process.env["TZ"]
      else process.env["TZ"] = before
    }
  })

  it("a time of the clock is the last such time of its zone, and with a date that very time", () => {
    const noon = Date.UTC(2026, 2, 1, 11)
    const read = (text: string) => {
      const at = clockBefore(text, noon, berlin)
      return at === undefined ? undefined : iso(at)
    }
    assert.strictEqual(read("11:30"), "2026-03-01T10:30:00.000Z")
    assert.strictEqual(read("20:48:05"), "2026-02-28T19:48:05.000Z")
    assert.strictEqual(read("2026-07-01 9:00"), "2026-07-01T07:00:00.000Z")
    for (const text of ["8h", "25:00", "2026-13-01 10:00", "noon", ""]) assert.isUndefined(read(text), text)
  })
})

/** Sleeps until an hour from now by a wall clock that is ahead of the timers, or behind. */
const slept = Effect.fnUntraced(function* (until: number) {
  const wall = { ahead: 0 }
  const clock = yield* jumpingClock(() => wall.ahead)
  const fiber = yield* Effect.forkChild(Effect.provideService(sleepUntil({ since: 0, until }), Clock.Clock, clock))
  yield* Effect.yieldNow
  return { wall, isOver: Effect.map(Effect.yieldNow, () => fiber.pollUnsafe() !== undefined) }
})

describe("behaviour#limits-and-waits", () => {
  it.effect("a sleep until a time ends then, also where its timer rings a millisecond early", () =>
    Effect.gen(function* () {
      const { isOver, wall } = yield* slept(hour)
      wall.ahead = -1
      yield* TestClock.adjust(hour)
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isOver)
      yield* sleepUntil({ since: 0, until: hour })
    })
  )

  it.effect("a sleep until a time ends where the clock was set back to before its beginning", () =>
    Effect.gen(function* () {
      const { isOver, wall } = yield* slept(hour)
      wall.ahead = -hour
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* isOver)
    })
  )
  it.effect("a sleep until a time is a minute late at most where the machine slept too", () =>
    Effect.gen(function* () {
      const { isOver, wall } = yield* slept(hour)
      wall.ahead = hour
      assert.isFalse(yield* isOver)
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* isOver)
    })
  )
})
