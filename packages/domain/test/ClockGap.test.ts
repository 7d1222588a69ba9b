import { assert, describe, it } from "@effect/vitest"
import { brokenOff } from "../src/index.ts"

const before = { wall: 1_000_000, monotonic: 5000 }
const after = (wall: number, monotonic = wall) => ({
  wall: before.wall + wall,
  monotonic: before.monotonic + monotonic
})

describe("behaviour#heartbeat-age", () => {
  it("a poll is late when more than twice its time has passed", () => {
    assert.isFalse(brokenOff(before, after(60_000), 60_000))
    assert.isFalse(brokenOff(before, after(120_000), 60_000))
    assert.isTrue(brokenOff(before, after(120_001), 60_000))
  })
  it("polling is broken off when wall and monotonic clock moved more than 2 s apart, in either direction", () => {
    assert.isFalse(brokenOff(before, after(62_000, 60_000), 60_000))
    assert.isFalse(brokenOff(before, after(58_000, 60_000), 60_000))
    assert.isTrue(brokenOff(before, after(62_001, 60_000), 60_000))
    assert.isTrue(brokenOff(before, after(57_999, 60_000), 60_000))
  })
  it("polling at short intervals is broken off when the clocks moved apart by more than one interval", () => {
    assert.isFalse(brokenOff(before, after(300, 200), 100))
    assert.isTrue(brokenOff(before, after(301, 200), 100))
  })
})
