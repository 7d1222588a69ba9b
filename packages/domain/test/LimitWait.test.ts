import { assert, it } from "@effect/vitest"
import { limitWaitUntil } from "../src/index.ts"

const minute = 60_000
const unstated = (kind: "usage-limit" | "outage", waits: number) =>
  (limitWaitUntil(1000, waits, { kind, resetsAt: null }) - 1000) / minute

it("a limit is waited out until it says that it ends, and one that has ended by now is not", () => {
  assert.strictEqual(limitWaitUntil(1000, 3, { kind: "usage-limit", resetsAt: 9000 }), 9000)
  assert.strictEqual(limitWaitUntil(1000, 3, { kind: "usage-limit", resetsAt: 500 }), 1000)
})
it("where nobody says it, each wait in a row is twice as long, from five minutes, or one of an outage, up to an hour", () => {
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
