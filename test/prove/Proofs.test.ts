import * as fs from "node:fs"
import { assert, it } from "@effect/vitest"
import { added, page, type Proof, proofs, withTable } from "./Proofs.ts"

const slice: Proof = {
  command: "pnpm fuzz",
  seeds: ["1"],
  size: 10,
  unit: "inputs",
  verdict: "held",
  commit: "a",
  date: "2026-01-01"
}

it("the page has the proofs of docs/proofs.json", () => {
  const text = fs.readFileSync(page, "utf8")
  assert.strictEqual(text, withTable(text, proofs()))
  assert.include(text, "<!-- proofs -->")
})

it("sizes of proofs add up on one commit alone, where one broken slice breaks the sum", () => {
  const broken = added([slice], { ...slice, seeds: ["2"], size: 5, verdict: "broken" })
  const [sum] = added(broken, { ...slice, seeds: ["3"], size: 1 })
  assert.deepStrictEqual(sum, { ...slice, seeds: ["1", "2", "3"], size: 16, verdict: "broken" })
  const other = { ...slice, seeds: ["4"], commit: "b" }
  assert.deepStrictEqual(added([slice], other), [other])
})
