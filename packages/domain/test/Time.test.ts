import { assert, it } from "@effect/vitest"
import { epochOf } from "../src/Time.ts"

it("a time is read as epoch milliseconds, in UTC where it names no zone, and no other text is one", () => {
  const noon = 1_772_366_400_000
  for (const text of ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00", "2026-03-01T14:00:00+02:00"])
    assert.strictEqual(epochOf(text), noon, text)
  for (const text of ["", "noon", "2026-13-01T12:00:00Z"]) assert.isUndefined(epochOf(text), text)
})
