import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { overlaps } from "../torture/Diaries.ts"
import { standingOf } from "../torture/LogFromOutside.ts"
import { outlived } from "../torture/Souffleurs.ts"
import { torture } from "../torture/Torture.ts"

/** `pnpm torture` has the long one. Printed with each failure: `SOUFFLEUR_TEST_SEED=…` chooses the same moments again. */
const seed = process.env["SOUFFLEUR_TEST_SEED"] ?? crypto.randomUUID()

describe("behaviour#ends", () => {
  it.live(
    "14 kills of souffleur, guardian and launchers in real recoveries leave one live agent, every event, and no process behind",
    () =>
      Effect.gen(function* () {
        const { violations } = yield* torture(14, seed, 3)
        assert.deepStrictEqual(violations, [], `seed ${seed}: ${JSON.stringify(violations)}`)
      })
  )
})

it("two agents that lived at one moment are found, though neither saw the other begin or end", () => {
  const life = (pid: number, from: number, to: number) => ({ pid, from, to })
  assert.deepStrictEqual(overlaps([life(1, 0, 10), life(2, 11, 20), life(3, 21, 30)]), [])
  assert.deepStrictEqual(
    overlaps([life(1, 0, 100), life(2, 10, 20), life(3, 100, 120)]).map((pair) => pair.map(({ pid }) => pid)),
    [
      [1, 2],
      [1, 3]
    ]
  )
})

describe("behaviour#guardian", () => {
  it("an owner that still lived after another had taken the watch is found", () => {
    const [one, other, third] = [
      { pid: 1, at: 0 },
      { pid: 2, at: 100 },
      { pid: 3, at: 200 }
    ]
    const seen = [
      { pid: 1, to: 100 },
      { pid: 2, to: 201 },
      { pid: 3, to: 900 }
    ]
    assert.deepStrictEqual(outlived(seen, [one, other]), [])
    assert.deepStrictEqual(outlived(seen, [one, other, third]), [
      "souffleur 2 was there until 201, 3 has owned the watch since 200"
    ])
  })
})

it("a kill is counted by the state of the log: in a step, after it, or outside a recovery", () => {
  const rows = (...tags: ReadonlyArray<string>) =>
    standingOf(
      tags.map((tag, n) => ({
        stream: "w",
        revision: n + 1,
        tag,
        at: n,
        data: tag.startsWith("Step") ? '{"step":"2 export"}' : "{}"
      }))
    )
  assert.deepInclude(rows("WatchSettled"), { phase: "watching", at: "watching", relaunched: false })
  assert.deepInclude(rows("RecoveryStarted", "StepStarted"), { phase: "recovering", at: "in 2 export" })
  assert.deepInclude(rows("RecoveryStarted", "StepStarted", "StepSucceeded", "OwnerTook"), {
    phase: "recovering",
    at: "after 2 export"
  })
  assert.deepInclude(rows("RecoveryStarted", "StepStarted", "StepFailed", "RecoveryFailedClosed"), {
    phase: "standing by"
  })
  assert.deepInclude(rows("RecoveryStarted", "StepSucceeded", "ConductorRelaunched"), {
    phase: "watching",
    relaunched: true
  })
})
