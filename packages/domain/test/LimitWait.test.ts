import { assert, it } from "@effect/vitest"
import { limitWaitUntil } from "../src/index.ts"

const minute = 60_000
const unstated = (kind: "usage-limit" | "outage", waits: number) =>
  (limitWaitUntil(1000, waits, { kind, resetsAt: null }) - 1000) / minute

it("a limit is waited out until the time that it states, and not at all after that time", () => {
  assert.strictEqual(limitWaitUntil(1000, 3, { kind: "usage-limit", resetsAt: 9000 }), 9000)
  assert.strictEqual(limitWaitUntil(1000, 3, { kind: "usage-limit", resetsAt: 500 }), 1000)
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
