import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { formatQuietHours, nextTimeOfDay, parseQuietHours, quietUntil } from "../src/index.ts"

const utc = DateTime.zoneMakeOffset(0)
const at = (time: string) => Date.parse(`2026-03-01T${time}:00Z`)

describe("settings#values", () => {
  describe("quiet hours", () => {
    it("quiet hours are two times of a day, and nothing else", () => {
      assert.deepStrictEqual(Option.getOrUndefined(parseQuietHours("23:00-07:30")), { from: 1380, to: 450 })
      for (const text of ["", "23-7", "24:00-07:00", "07:00-07:00", "23:00", "23:00-07:60", "always"]) {
        assert.isTrue(Option.isNone(parseQuietHours(text)), text)
      }
      assert.strictEqual(formatQuietHours({ from: 1380, to: 450 }), "23:00-07:30")
    })
  })
})

describe("behaviour#quiet-hours", () => {
  describe("quiet hours", () => {
    it("over midnight end in the morning, tomorrow's or today's", () => {
      const night = { from: 1380, to: 420 }
      assert.strictEqual(quietUntil(night, at("23:00"), utc), Date.parse("2026-03-02T07:00:00Z"))
      assert.strictEqual(quietUntil(night, at("06:59"), utc), at("07:00"))
      assert.isNull(quietUntil(night, at("07:00"), utc))
      assert.isNull(quietUntil(night, at("22:59"), utc))
    })
    it("within a day end on it, in the zone of whose day it is", () => {
      const noon = { from: 720, to: 780 }
      assert.strictEqual(quietUntil(noon, at("12:30"), utc), at("13:00"))
      assert.isNull(quietUntil(noon, at("13:00"), utc))
      assert.strictEqual(quietUntil(noon, at("11:30"), DateTime.zoneMakeOffset(3_600_000)), at("12:00"))
    })
  })
})

describe("behaviour#allowance-of-a-run", () => {
  it.effect("a deadline is the next such time of the host's clock, and nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at("22:00"))
      assert.strictEqual(yield* nextTimeOfDay("22:01"), at("22:01"))
      for (const text of ["7:00", " 07:00"])
        assert.strictEqual(yield* nextTimeOfDay(text), Date.parse("2026-03-02T07:00:00Z"))
      assert.strictEqual(yield* nextTimeOfDay("22:00"), Date.parse("2026-03-02T22:00:00Z"))
      const morning = Date.parse("2026-03-02T07:00:00Z")
      yield* TestClock.setTime(morning + 3_600_000)
      assert.strictEqual(yield* nextTimeOfDay("07:00", morning), morning, "a command that is run again")
      assert.strictEqual(yield* nextTimeOfDay("07:30", morning), Date.parse("2026-03-03T07:30:00Z"))
      yield* TestClock.setTime(morning + 12 * 3_600_000)
      assert.strictEqual(yield* nextTimeOfDay("07:00", morning), Date.parse("2026-03-03T07:00:00Z"), "another night")
      for (const text of ["", "24:00", "7", "07:00-08:00", "8 hours"]) assert.isNull(yield* nextTimeOfDay(text))
    }).pipe(Effect.provideService(DateTime.CurrentTimeZone, utc))
  )
})
