import { assert, it } from "@effect/vitest"
import { no, ok } from "@souffleur/eventlog"
import { givenBy } from "../src/index.ts"

/** A purse that takes no more than 10. */
const given = givenBy({
  decide: (sum: number, amount: number) => (sum + amount > 10 ? no("not now", "it is full") : ok(paid(amount))),
  evolve: (sum, { amount }) => sum + amount,
  initial: 0
})
const paid = (amount: number) => ({ _tag: "Paid" as const, amount })

it("what a decider decides is as the test expects it, or the test fails with both sides", () => {
  const granted = given(paid(3), paid(2)).when(5)
  granted.then(paid(5))
  assert.deepStrictEqual(granted.thenTags("Paid"), [paid(5)])
  assert.throws(
    () => granted.then(paid(6)),
    'expected [{"_tag":"Paid","amount":6}], and it decided [{"_tag":"Paid","amount":5}]'
  )
  assert.throws(() => granted.then(), "expected []")
  assert.throws(() => granted.thenTags(), 'it decided ["Paid"]')
  assert.throws(() => granted.thenRefused("not now"), "it decided")
  const refused = given(paid(3), paid(2)).when(6)
  assert.strictEqual(refused.thenRefused("not now"), "it is full")
  assert.throws(() => refused.thenRefused("never"), 'expected "never"')
  assert.throws(() => refused.then(), "it is full")
})
