import { assert, it } from "@effect/vitest"
import { Words } from "@souffleur/domain"
import { Schema } from "effect"

/** Hundredths of a dollar up to which `toLocaleString` rounds nothing. */
const most = 1e13
const wholes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))
const edges = [0, 9, 99, 999, 1000, 999_999, 1_000_000, 12_345_678, most]

const holds = (number: number) => {
  assert.strictEqual(Words.count(number), number.toLocaleString("en-US"))
  const currency = (number / 100).toLocaleString("en-US", { style: "currency", currency: "USD" })
  assert.strictEqual(Words.dollars(number), currency)
}

it("numbers and dollars are written as English has them", () => edges.forEach(holds))
it.prop("any number is, too", [wholes], ([number]) => holds(number))
