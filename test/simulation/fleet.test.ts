import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { simulateFleet } from "./fleet/FleetSimulation.ts"

/** The time for fresh seeds, in ms: as many run as fit. */
const slice = 2000

const check = (seed: number) => assert.deepStrictEqual(simulateFleet(seed).violations, [], `seed ${seed}`)

describe("simulated fleets", () => {
  it("a log is the same with a hub and without one, and reaches a hub that keeps its promises, whole and once", () => {
    for (const seed of [1, 2, 8, 9]) check(seed)
  })
  it("fleets of some seeds have shippers that were killed, events, and words that do not count", () => {
    const { events, restarts } = simulateFleet(1)
    assert.isAbove(events, 20)
    assert.isAbove(restarts, 1)
    assert.isAbove(simulateFleet(9).refused, 5)
  })
  it.live("fresh seeds of fleets", () =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const given = process.env["SOUFFLEUR_SEED"]
      const base = given === undefined ? start % 1_000_000_000 : Number(given)
      console.log(`SOUFFLEUR_SEED=${base}`)
      for (let seed = base; (yield* Clock.currentTimeMillis) - start < slice; seed++) check(seed)
    })
  )
})
