import { utc } from "@souffleur/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sinceOf } from "../src/commands/Options.ts"

const now = Date.UTC(2026, 2, 1, 20, 48)

describe("command-line#looking", () => {
  it.effect("an age is taken from now, and begins with 1970 where it is older", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* sinceOf("8h", now, utc), now - 8 * 3_600_000)
      for (const age of ["999999999999h", `${"9".repeat(400)}d`, "Infinity"])
        assert.strictEqual(yield* sinceOf(age, now, utc), 0, age)
    })
  )
})
