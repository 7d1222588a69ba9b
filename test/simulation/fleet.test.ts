import { assert, describe, it } from "@effect/vitest"
import { FleetWord } from "@souffleur/domain"
import { Clock, Effect } from "effect"
import { simulateFleet } from "./fleet/FleetSimulation.ts"

/** The time for fresh seeds, in ms: as many run as fit. */
const slice = 2000

const check = (seed: number) => assert.deepStrictEqual(simulateFleet(seed).violations, [], `seed ${seed}`)

describe("fleet#a-host", () => {
  describe("simulated fleets", () => {
    it("a log is the same with a hub and without one, and reaches a hub that keeps its promises, whole and once", () => {
      for (const seed of [1, 2, 5, 8, 74]) check(seed)
      // A hand-over is among launches without progress.
      check(524382051)
      // A word ends a watch while its launcher is on its way.
      check(524024684)
      // A hub that is restored again and again hears of its host ten minutes later.
      check(542455201)
    })
    it("fleets of some seeds have killed shippers, and words of each kind that a host took, and refused ones", () => {
      const fleets = [42, 134].map((seed) => simulateFleet(seed))
      for (const { events, refused, restarts, taken } of fleets) {
        assert.isAbove(events, 20)
        assert.isAbove(restarts, 1)
        assert.isAbove(taken.length, 10)
        assert.isAbove(refused, 20)
      }
      assert.sameMembers([...new Set(fleets.flatMap(({ taken }) => taken))], [...FleetWord.literals])
      const ofLiar = simulateFleet(74)
      assert.isNotEmpty(ofLiar.taken)
      assert.isAbove(ofLiar.refused, 5)
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
})
