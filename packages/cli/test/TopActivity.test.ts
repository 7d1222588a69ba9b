import { assert, describe, it } from "@effect/vitest"
import { noted, sparkline } from "../src/top/TopActivity.ts"

const now = 1_772_402_400_000
const minute = 60_000

describe("command-line#top", () => {
  it("the last hour is drawn by five minutes, and what is older is forgotten", () => {
    assert.strictEqual(sparkline(new Map(), now), "")
    const times = [now, now, now, now, now - 6 * minute, now - 6 * minute, now - 54 * minute, now - 90 * minute]
    const activity = noted(new Map(), times, now)
    assert.strictEqual(sparkline(activity, now).length, 12)
    assert.match(sparkline(activity, now), /^▂·{8}▄·█$/u)
    assert.strictEqual(activity.size, 3)
    assert.strictEqual(noted(activity, [], now + 2 * 60 * minute).size, 0)
    assert.strictEqual(noted(new Map(), [now + 10 * minute], now).size, 0)
  })
})
