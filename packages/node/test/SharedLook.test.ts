import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeSharedLook } from "../src/processes/SharedLook.ts"

it.live("all who ask in one turn share a look, which comes after each of them has asked", () =>
  Effect.gen(function* () {
    let looks = 0
    let asked = 0
    const seen: Array<number> = []
    const look = makeSharedLook({
      table: () => {
        looks++
        seen.push(asked)
        return new Map()
      },
      environments: () => () => false
    })
    const ask = Effect.andThen(
      Effect.sync(() => void asked++),
      look
    )
    const first = yield* Effect.all(
      Array.from({ length: 40 }, () => ask),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual([looks, seen, new Set(first).size], [1, [40], 1])
    assert.notStrictEqual(yield* ask, first[0])
    assert.deepStrictEqual(seen, [40, 41])
  })
)

it.live("a system that does not answer is a defect of each who asked, and the next look is another", () =>
  Effect.gen(function* () {
    let fails = true
    const look = makeSharedLook({
      table: () => {
        if (fails) throw new Error("EMFILE")
        return new Map()
      },
      environments: () => () => false
    })
    const [one, other] = yield* Effect.all([Effect.exit(look), Effect.exit(look)], { concurrency: 2 })
    assert.deepStrictEqual([one._tag, other._tag], ["Failure", "Failure"])
    fails = false
    assert.strictEqual((yield* look).table.size, 0)
  })
)
