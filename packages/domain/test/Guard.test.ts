import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { guard, type Guard, guardFrom, type GuardSight } from "../src/index.ts"

const silentAfter = 360_000
const given = guardFrom(4, 1_000_000)
const sight = (more: Partial<GuardSight> & { readonly now: number }): GuardSight => ({
  late: false,
  owner: { fence: 4, condition: "running" },
  beatAt: more.now,
  started: undefined,
  ...more
})
const act = (before: Guard, seen: GuardSight) => guard(before, seen, silentAfter)[1]
const gone = { fence: 4, condition: "gone" } as const

describe("behaviour#guardian", () => {
  it("a guardian waits while the owner lives and beats, and for as long as its self-monitor may take", () => {
    assert.deepStrictEqual(act(given, sight({ now: 1_001_000 })), { _tag: "Wait" })
    assert.deepStrictEqual(act(given, sight({ now: 1_500_000, beatAt: 1_500_000 - silentAfter })), { _tag: "Wait" })
  })
  it("a guardian restores souffleur when its process is gone or a zombie, and when it does not beat", () => {
    for (const condition of ["gone", "zombie"] as const)
      assert.deepStrictEqual(act(given, sight({ now: 1_001_000, owner: { fence: 4, condition } })), {
        _tag: "Restore",
        reason: "died",
        over: 4
      })
    assert.deepStrictEqual(act(given, sight({ now: 1_500_000, beatAt: 1_500_000 - silentAfter - 1 })), {
      _tag: "Restore",
      reason: "silent",
      over: 4
    })
  })
  it("a guardian holds a stopped process for alive until it is silent", () => {
    const stopped = { fence: 4, condition: "stopped" } as const
    assert.deepStrictEqual(act(given, sight({ now: 1_010_000, owner: stopped })), { _tag: "Wait" })
    assert.strictEqual(act(given, sight({ now: 1_400_000, owner: stopped, beatAt: 1_000_000 }))._tag, "Restore")
  })
  it("a guardian skips its own late look, and counts silence again from there", () => {
    const [after, late] = guard(
      given,
      sight({ now: 9_000_000, late: true, beatAt: 1_000_000, owner: gone }),
      silentAfter
    )
    assert.deepStrictEqual(late, { _tag: "Wait" })
    assert.deepStrictEqual(act(after, sight({ now: 9_000_000 + silentAfter, beatAt: 1_000_000 })), { _tag: "Wait" })
    assert.strictEqual(act(after, sight({ now: 9_000_001 + silentAfter, beatAt: 1_000_000 }))._tag, "Restore")
    assert.strictEqual(act(after, sight({ now: 9_001_000, owner: gone }))._tag, "Restore")
  })
  it("a clock that was set back puts off no restoration, and no end of a start that hangs", () => {
    const day = 86_400_000
    const [starting] = guard(given, sight({ now: 1_001_000 + day, owner: gone }), silentAfter)
    for (const started of ["ended", "shut out", "running"] as const) {
      const [before] = guard(starting, sight({ now: 1_002_000 + day, owner: gone, started }), silentAfter)
      const [after] = guard(before, sight({ now: 1_000_000, late: true, owner: gone, started }), silentAfter)
      assert.strictEqual(
        act(after, sight({ now: 1_060_001, owner: gone, started }))._tag,
        started === "running" ? "EndStarted" : "Restore"
      )
    }
  })
  it("a guardian leaves when the owner left, or the watch has ended", () => {
    assert.deepStrictEqual(act({ ...given, startedAt: 1_000_500 }, sight({ now: 1_001_000, owner: "left" })), {
      _tag: "Leave"
    })
  })
  it("a guardian starts no second souffleur, and begins again when a souffleur owns the watch", () => {
    const [starting] = guard(given, sight({ now: 1_001_000, owner: gone }), silentAfter)
    assert.deepStrictEqual(act(starting, sight({ now: 1_061_000, owner: gone, started: "running" })), {
      _tag: "Wait"
    })
    assert.deepStrictEqual(act(starting, sight({ now: 1_061_001, owner: gone, started: "running" })), {
      _tag: "EndStarted"
    })
    const [owned, wait] = guard(
      starting,
      sight({ now: 1_003_000, owner: { fence: 5, condition: "running" }, started: "running" }),
      silentAfter
    )
    assert.deepStrictEqual([owned, wait], [guardFrom(5, 1_003_000), { _tag: "Wait" }])
  })
  it("a guardian gives up after three failed starts, each after a longer pause", () => {
    let [state, now] = [given, 1_001_000]
    const pauses: Array<number> = []
    for (let n = 1; n <= 3; n++) {
      const began = now
      while (guard(state, sight({ now, owner: gone }), silentAfter)[1]._tag !== "Restore") now += 100
      pauses.push(now - began)
      ;[state] = guard(state, sight({ now, owner: gone }), silentAfter)
      const [after, what] = guard(state, sight({ now, owner: gone, started: "ended" }), silentAfter)
      state = after
      assert.deepStrictEqual(what, { _tag: n < 3 ? "Wait" : "GiveUp" })
    }
    assert.deepStrictEqual(pauses, [0, 5000, 10_000])
  })
  it("a guardian never gives up a log that cannot be used, and looks again after half a minute", () => {
    let [state, now] = [given, 1_001_000]
    for (let n = 1; n <= 10; n++) {
      ;[state] = guard(state, sight({ now, owner: gone }), silentAfter)
      const [after, what] = guard(state, sight({ now, owner: gone, started: "shut out" }), silentAfter)
      assert.deepStrictEqual(what, { _tag: "Wait" })
      assert.strictEqual(act(after, sight({ now: now + 29_999, owner: gone }))._tag, "Wait")
      now += 30_000
      assert.strictEqual(act(after, sight({ now, owner: gone }))._tag, "Restore")
      state = after
    }
  })
  it.prop(
    "a guardian never restores over an owner that runs and has beaten in time, whatever it has seen before",
    [
      Schema.Array(
        Schema.Struct({
          step: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400_000 })),
          late: Schema.Boolean,
          age: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: silentAfter })),
          fence: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 })),
          started: Schema.UndefinedOr(Schema.Literals(["running", "ended", "shut out"]))
        })
      )
    ],
    ([looks]) => {
      let [state, now] = [guardFrom(1, 0), 0]
      for (const { age, fence, late, started, step } of looks) {
        now += step
        const [after, what] = guard(
          state,
          { now, late, started, owner: { fence, condition: "running" }, beatAt: now - age },
          silentAfter
        )
        assert.notStrictEqual(what._tag, "Restore")
        state = after
      }
    }
  )
})

describe("behaviour#guardian, security#processes", () => {
  it("a guardian believes no beat from the future", () => {
    assert.strictEqual(act(given, sight({ now: 1_500_000, beatAt: 8.64e15 }))._tag, "Restore")
    // Of a clock that was set back a little since.
    assert.deepStrictEqual(act(given, sight({ now: 1_500_000, beatAt: 1_500_000 + silentAfter })), { _tag: "Wait" })
  })
})
