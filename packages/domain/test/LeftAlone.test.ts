import { assert, describe, it } from "@effect/vitest"
import { Event, type KeepSight, leftAlone } from "../src/index.ts"
import { at, given, owner, watching } from "./Given.ts"

const sight: KeepSight = { dead: false, guarded: false, failedStarts: 0, self: owner }
const left = Event.OwnerLeft.make({ at, fence: 1 })
const rebooted = { ...owner, process: { ...owner.process, bootId: "next boot" } }

describe("behaviour#service", () => {
  it("a watch that a person ended stays without a souffleur, until the machine was rebooted or an owner came", () => {
    const { watch } = given(...watching, left)
    assert.strictEqual(leftAlone(watch, sight), "left")
    assert.isUndefined(leftAlone(watch, { ...sight, self: rebooted }))
    const others = [
      { ...rebooted, machine: "n" },
      { ...rebooted, host: "there" }
    ]
    for (const self of others) assert.strictEqual(leftAlone(watch, { ...sight, self }), "left")
    const nameless = { ...watch, left: { ...owner, machine: null } }
    assert.strictEqual(leftAlone(nameless, { ...sight, self: { ...rebooted, machine: null } }), "left")
    const again = given(...watching, left, Event.OwnerTook.make({ at, fence: 2, owner }))
    assert.isUndefined(leftAlone(again.watch, { ...sight, dead: true }))
  })

  it("a watch whose souffleur died gets another, unless its guardian lives, it died too often, or no start came", () => {
    const dead = { ...sight, dead: true }
    const { watch } = given(...watching)
    assert.isUndefined(leftAlone(watch, dead))
    assert.strictEqual(leftAlone(watch, { ...dead, guarded: true }), "guarded")
    assert.strictEqual(leftAlone({ ...watch, gaveUp: 1 }, dead), "gave up")
    assert.isUndefined(leftAlone({ ...watch, gaveUp: 0 }, dead))
    assert.isUndefined(leftAlone(watch, { ...dead, failedStarts: 2 }))
    assert.strictEqual(leftAlone(watch, { ...dead, failedStarts: 3 }), "never came")
  })
})
