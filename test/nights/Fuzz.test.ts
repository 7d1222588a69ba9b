import { assert, describe, it } from "@effect/vitest"
import { borders } from "../fuzz/Borders.ts"
import { campaign, stretchesOf } from "../fuzz/FuzzCampaign.ts"
import { borders as faulty } from "../fuzz/Faulty.ts"
import { reportOf } from "../fuzz/FuzzReport.ts"
import { seedOf } from "../fuzz/SeedOf.ts"

/** A hang is found by its processor time, and a wait by its sleep. No clock decides the end of these tests. */
const patience = { timeout: 600_000 }

/** A fixed seed gives the same inputs each time. `pnpm fuzz` takes another seed. */
const seed = 7
const slice = 900

describe("fuzzing", () => {
  it(
    "finds what throws, hangs, waits, is slow, ends the process, breaks a promise or starts a program, and goes on behind it",
    patience,
    async () => {
      const tallies = await campaign(
        1,
        stretchesOf(faulty, faulty.length + 1),
        new URL("../fuzz/Faulty.ts", import.meta.url).href
      )
      const found = [...tallies].map(
        ([name, { findings, inputs }]) => [name, inputs, findings.map(({ kind }) => kind)] as const
      )
      assert.deepStrictEqual(found, [
        ["throws", 1, ["uncaught"]],
        ["strays", 1, ["uncaught"]],
        ["breaks", 1, ["broken"]],
        ["starts", 1, ["shell"]],
        ["loops", 2, ["hang", "hang"]],
        ["is-slow", 1, ["slow"]],
        ["ends-it", 1, ["uncaught"]],
        ["waits", 1, ["hang"]],
        ["is-well", 1, []]
      ])
      assert.include(reportOf(1, tallies), "pnpm fuzz --seed 1 --border breaks --input 0")
    }
  )
  it("an input is the same each time, whatever came before it", () => {
    const draw = () => seedOf(7, "verdicts", 3).next()
    assert.strictEqual(draw(), draw())
    assert.notStrictEqual(draw(), seedOf(7, "verdicts", 4).next())
    assert.notStrictEqual(draw(), seedOf(7, "payloads", 3).next())
  })
  it("every border holds for a slice of hostile inputs: nothing uncaught, no hang, no shell", patience, async () => {
    const tallies = await campaign(seed, stretchesOf(borders, slice))
    const findings = [...tallies.values()].flatMap((tally) => tally.findings)
    assert.deepStrictEqual(findings, [], reportOf(seed, tallies))
  })
})
