import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { simulateRun } from "./runs/RunSimulation.ts"

/** The time for fresh seeds, in ms: as many run as fit. */
const slice = 2000

const check = (seed: number) => {
  const { violations } = simulateRun(seed, { story: false })
  if (violations.length === 0) return
  const { story } = simulateRun(seed)
  assert.fail(
    `seed ${seed}: ${violations.join("; ")}: pnpm simulate --runs --seed ${seed} --cycles 1\n${story.slice(-200).join("\n")}`
  )
}

describe("behaviour#run", () => {
  describe("simulated runs", () => {
    it("a seed tells the same story of a run each time", { tags: ["cases"] }, () => {
      assert.strictEqual(JSON.stringify(simulateRun(11)), JSON.stringify(simulateRun(11)))
    })
    it.live("fresh seeds of runs", () =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const fixed = process.env["SOUFFLEUR_SEED"]
        const base = fixed === undefined ? start % 1_000_000_000 : Number(fixed)
        console.log(`SOUFFLEUR_SEED=${base}`)
        for (let seed = base; (yield* Clock.currentTimeMillis) - start < slice; seed++) check(seed)
      })
    )
  })
})
