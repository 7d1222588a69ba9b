import { assert, describe, it } from "@effect/vitest"
import { limitWait, pauseUntil } from "../src/index.ts"

const minute = 60_000
const day = 86_400_000
const unstated = (kind: "usage-limit" | "outage", waits: number) =>
  (limitWait(1000, waits, { kind, resetsAt: null }).until - 1000) / minute

describe("behaviour#limits-and-waits", () => {
  it("a limit is waited out until the time that it states, and its margin; a time that is over counts once", () => {
    const stated = (resetsAt: number, waits: number) =>
      limitWait(1000, waits, { kind: "usage-limit", resetsAt }, 60_000).until
    assert.strictEqual(limitWait(1000, 3, { kind: "usage-limit", resetsAt: 9000 }).until, 9000)
    assert.deepStrictEqual([stated(9000, 3), stated(500, 0), stated(500, 1)], [69_000, 61_000, 601_000])
  })
  it("a stated end is kept where it counts, and is missing where it does not", () => {
    const stated = (resetsAt: number, waits: number) =>
      limitWait(1000, waits, { kind: "usage-limit", resetsAt }).resetsAt
    assert.deepStrictEqual([stated(9000, 3), stated(500, 0), stated(500, 1)], [9000, 500, null])
    assert.isNull(stated(1000 + 33 * day, 0))
  })
  it("a limit that is stated to last for weeks keeps its date, and is tried again after each day", () => {
    const month = { kind: "usage-limit", resetsAt: 1000 + 20 * day } as const
    for (const waits of [0, 5])
      assert.deepStrictEqual(limitWait(1000, waits, month, 60_000), { resetsAt: month.resetsAt, until: 1000 + day })
  })
  it("a wait without a stated end is twice the last, from five minutes, or one of an outage, up to an hour", () => {
    const counts = [0, 1, 2, 3, 4, 5, 60]
    assert.deepStrictEqual(
      counts.map((waits) => unstated("usage-limit", waits)),
      [5, 10, 20, 40, 60, 60, 60]
    )
    assert.deepStrictEqual(
      counts.map((waits) => unstated("outage", waits)),
      [1, 2, 4, 8, 16, 32, 60]
    )
  })
})

describe("behaviour#restart", () => {
  it("a pause is five times as long after each death in a row, and five minutes at most", () =>
    assert.deepStrictEqual(
      [0, 1, 2, 3, 9].map((retries) => pauseUntil(1000, retries, 1000) - 1000),
      [1000, 1000, 5000, 25_000, 300_000]
    ))
})
