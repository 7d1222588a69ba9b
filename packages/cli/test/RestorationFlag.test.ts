import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { restorationOf } from "../src/watching/RestorationFlag.ts"

describe("behaviour#guardian", () => {
  it.effect("--restored takes the word of a guardian, and refuses any other", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* restorationOf(Option.none())))
      assert.deepStrictEqual(
        yield* restorationOf(Option.some("silent:12")),
        Option.some({ reason: "silent" as const, over: 12 })
      )
      for (const word of ["killed:3", "died:", "died:x", "died:3 ", "died:1234567890123456"])
        assert.include((yield* Effect.flip(restorationOf(Option.some(word)))).message, "for the guardian alone")
    })
  )
})
