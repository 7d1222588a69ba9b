import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { formatTime, heartbeatAge, parseTime, see } from "../src/index.ts"

const noon = Date.UTC(2026, 5, 30, 12, 0, 0)

describe("behaviour#tables-of-comms", () => {
  describe("parseTime", () => {
    it("reads datetime('now') text and ISO 8601, both as UTC", () => {
      for (const text of [
        "2026-06-30 12:00:00",
        "2026-06-30T12:00:00Z",
        " 2026-06-30T12:00:00.000Z ",
        "2026-06-30T12:00:00"
      ])
        assert.deepStrictEqual(parseTime(text), Option.some(noon), text)
      assert.deepStrictEqual(parseTime("2026-06-30 12:00:00.5"), Option.some(noon + 500))
      assert.deepStrictEqual(parseTime("2026-06-30T12:00:00.123456789Z"), Option.some(noon + 123))
      assert.deepStrictEqual(parseTime("2024-02-29 00:00:00"), Option.some(Date.UTC(2024, 1, 29)))
    })
    it("takes nothing else for a time", () => {
      for (const text of [
        null,
        "",
        "now",
        "1780000000",
        "2026-06-30",
        "2026-06-31 12:00:00",
        "2026-02-29 12:00:00",
        "2026-13-01 12:00:00",
        "2026-06-30 24:00:00",
        "2026-06-30 12:60:00",
        "2026-06-30 12:00:00+02:00",
        "2026-06-30 12:00:00.",
        "2026-06-30  12:00:00",
        "12026-06-30 12:00:00",
        "2026-06-30 12:00:00; DROP TABLE orchestration_tasks"
      ])
        assert.deepStrictEqual(parseTime(text), Option.none(), String(text))
    })
    const instants = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Date.UTC(9999, 0) }))
    it.prop("reads back what it writes, to the second below", [instants], ([at]) => {
      assert.match(formatTime(at), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/u)
      assert.deepStrictEqual(parseTime(formatTime(at)), Option.some(at - (at % 1000)))
    })
  })
})

describe("behaviour#heartbeat-age", () => {
  describe("heartbeatAge", () => {
    const at = (ms: number) => formatTime(noon + ms)
    const first = (raw: string | null) => see(undefined, raw, noon)
    it("the age counts from the heartbeat, or from the launch where that is later", () => {
      assert.strictEqual(heartbeatAge(first(at(-241_000)), noon, 0), 241_000)
      assert.strictEqual(heartbeatAge(first(at(-241_000)), noon, noon - 5000), 5000)
      assert.strictEqual(heartbeatAge(first(at(-1000)), noon, noon - 5000), 1000)
      // The clock was set back after the launch.
      assert.strictEqual(heartbeatAge(first(at(-1000)), noon, noon + 5000), 0)
    })
    it("the age is unknown for NULL, for text that is no time, and for the future", () => {
      for (const raw of [null, "", "soon", at(1000)]) assert.isUndefined(heartbeatAge(first(raw), noon, 0), String(raw))
    })
    it("a value that goes on changing is alive, even if it names an old time", () => {
      const hourAgo = first(at(-3_600_000))
      assert.strictEqual(heartbeatAge(hourAgo, noon, 0), 3_600_000)
      const changed = see(hourAgo, at(-3_540_000), noon + 60_000)
      assert.strictEqual(heartbeatAge(changed, noon + 60_000, 0), 0)
      // And grows again once it does not change any more.
      const unchanged = see(changed, at(-3_540_000), noon + 120_000)
      assert.strictEqual(unchanged, changed)
      assert.strictEqual(heartbeatAge(unchanged, noon + 120_000, 0), 60_000)
    })
    it("the first look at a value is no change", () => assert.isUndefined(first(at(0)).changedAt))
  })
})
