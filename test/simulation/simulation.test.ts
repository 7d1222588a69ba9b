import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { simulate } from "./Simulation.ts"

/**
 * The seeds of the same worlds each time, of every kind. A failure that a seed once showed is a scenario of its own
 * (`test/scenarios`). A seed tells another story once the simulation draws anything else.
 */
const fixed = [1, 2, 3, 4, 5, 6, 7, 8]

/** The time for fresh seeds, in ms: as many run as fit. */
const slice = 3000

const check = (seed: number) => {
  const { violations } = simulate(seed, { story: false })
  if (violations.length === 0) return
  const { story } = simulate(seed)
  assert.fail(
    `seed ${seed}: ${violations.join("; ")}: pnpm simulate --seed ${seed} --cycles 1\n${story.slice(-200).join("\n")}`
  )
}

describe("simulation", () => {
  describe("behaviour#never", () => {
    it("a seed tells the same story each time", { tags: ["cases"] }, () => {
      for (const seed of [3, 4, 5]) assert.deepStrictEqual(simulate(seed), simulate(seed))
    })
    it.live("fresh seeds", () =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const given = process.env["SOUFFLEUR_SEED"]
        const base = given === undefined ? start % 1_000_000_000 : Number(given)
        console.log(`SOUFFLEUR_SEED=${base}`)
        for (let seed = base; (yield* Clock.currentTimeMillis) - start < slice; seed++) check(seed)
      })
    )
  })

  describe("behaviour#ordering", () => {
    it("fixed seeds", () => fixed.forEach(check))
  })
})
