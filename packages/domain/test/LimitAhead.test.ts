import { assert, describe, it } from "@effect/vitest"
import { type ComingLimit, Event, lookAhead, isComing } from "../src/index.ts"
import { at, given, watching } from "./Given.ts"

const minute = 60_000
const hour = 60 * minute
const noon = Date.UTC(2026, 2, 1, 12)
/** The per cent that are used at noon of a limit of five hours, three hours after it began anew. */
const usage = (used: number) =>
  ({
    limit: "usage",
    used,
    of: 100,
    since: noon - 3 * hour,
    at: noon,
    span: 5 * hour,
    resetsAt: noon + 2 * hour
  }) as const
const dollars = (used: number) => ({ limit: "dollars", used, of: 500, since: noon - hour, at: noon }) as const
const time = (of: number) => ({ limit: "time", used: hour, of, since: noon - hour, at: noon }) as const

describe("behaviour#limits-that-come", () => {
  it("it is reached when its use goes on as it did so far, and a time at its time", () => {
    assert.deepInclude(lookAhead(usage(90), noon), { reachedAt: noon + 20 * minute, basis: "estimated", used: 90 })
    assert.deepInclude(lookAhead(dollars(250), noon), { reachedAt: noon + hour, basis: "estimated", resetsAt: null })
    assert.deepInclude(lookAhead(time(8 * hour), noon), { reachedAt: noon + 7 * hour, basis: "exact" })
  })
  it("it lasts where it begins anew before, or where nothing is used", () => {
    assert.isNull(lookAhead(usage(60), noon).reachedAt)
    assert.isNull(lookAhead(usage(0), noon).reachedAt)
    assert.isNull(lookAhead(dollars(0), noon).reachedAt)
    assert.isNull(lookAhead({ ...dollars(1), at: noon - 2 * hour }, noon).reachedAt, "a clock that was set back")
  })
  it("a record that is older than the time that it foresees says that it is reached now", () => {
    const old = { ...usage(90), since: noon - 4 * hour, at: noon - hour }
    assert.strictEqual(lookAhead(old, noon).reachedAt, noon)
  })
  it("a person is told at nine tenths, or where half is used and half an hour is left, and not of what lasts", () => {
    for (const [use, comes] of [
      [{ ...dollars(449), since: noon - 10 * hour }, false],
      [{ ...dollars(450), since: noon - 10 * hour }, true],
      [time(hour + 31 * minute), false],
      [time(hour + 30 * minute), true],
      [{ ...time(20 * minute), used: 9 * minute, since: noon - 9 * minute }, false],
      [{ ...time(20 * minute), used: 10 * minute, since: noon - 10 * minute }, true],
      [{ ...usage(99), resetsAt: noon + 1000 }, false]
    ] as const)
      assert.strictEqual(isComing(lookAhead(use, noon), noon), comes, JSON.stringify(use))
  })

  const coming = (one: Partial<ComingLimit> = {}) =>
    ({ ...lookAhead(usage(92), noon), reachedAt: noon + 15 * minute, resetsAt: 5000, ...one }) as const
  const told = (one: Partial<ComingLimit> = {}) => Event.LimitForeseen.make({ at, ...coming(one) })
  const tell = (one: Partial<ComingLimit> = {}) => ({ _tag: "ReportForeseen", foreseen: coming(one) }) as const

  it("it is told once until it begins anew, and each limit for itself", () => {
    given(...watching)
      .when(tell())
      .then(Event.LimitForeseen.make({ at: 1000, ...coming() }))
    given(...watching, told())
      .when(tell({ used: 95, resetsAt: 5001 }))
      .then()
    for (const other of [{ span: 168 * hour }, { limit: "dollars" }, { limit: "turns", flag: "--max-turns" }] as const)
      given(...watching, told())
        .when(tell(other))
        .thenTags("LimitForeseen")
    given(...watching, told({ resetsAt: 900 }))
      .when(tell())
      .thenTags("LimitForeseen")
  })
  it("a person who allows as much again hears of a limit again, and not of one that the service sets", () => {
    const own = { limit: "dollars", span: null, resetsAt: null } as const
    const renewed = [...watching, told(), told(own), Event.AllowanceRenewed.make({ at })]
    given(...renewed)
      .when(tell(own))
      .thenTags("LimitForeseen")
    given(...renewed)
      .when(tell())
      .then()
  })
  it("nothing is stopped, launched or waited for by it", () => {
    const { watch } = given(...watching)
    const after = given(...watching, told()).watch
    assert.deepStrictEqual({ ...after, foreseen: [], revision: watch.revision }, { ...watch, lastEventAt: at })
  })
})
