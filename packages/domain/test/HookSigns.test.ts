import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { heldByAll, heldNow, holdings, Hooks, type HookSign } from "../src/port/HookSigns.ts"

const sign = (at: number, said: string, sessionId: string, kind?: string, pid = 10, startTime = 77): HookSign => ({
  at,
  event: "a word of the agent's",
  ...(said === "began" || said === "goes on" || said === "ended" ? { holding: said } : {}),
  sessionId,
  pid,
  startTime,
  ...(kind === undefined ? {} : { kind })
})
const process = { pid: 10, startTime: 77 }
const now = (...signs: ReadonlyArray<HookSign>) => Option.getOrNull(heldNow(holdings(signs), process))

const anySign = Schema.Struct({
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })),
  event: Schema.Literal("any"),
  holding: Schema.optionalKey(Schema.Literals(["began", "goes on", "ended"])),
  sessionId: Schema.Literals(["a", "b"]),
  pid: Schema.Literals([10, 20]),
  startTime: Schema.Literals([77])
})

describe("behaviour#who-holds-a-session", () => {
  describe("the session of a process", () => {
    it("a process holds the session of its newest sign, whenever the hooks were installed", () => {
      assert.isNull(now())
      assert.strictEqual(now(sign(1, "PreToolUse", "a")), "a")
      assert.strictEqual(now(sign(2, "Stop", "b"), sign(1, "Stop", "a")), "b")
    })
    it("a process holds another session after it was cleared, and none in between", () => {
      const [began, cleared, fresh] = [
        sign(1, "began", "a", "startup"),
        sign(5, "ended", "a", "clear"),
        sign(6, "began", "b", "clear")
      ]
      assert.isNull(now(began, cleared))
      assert.strictEqual(now(began, cleared, fresh), "b")
      assert.strictEqual(
        now(began, cleared, fresh, sign(7, "PostToolUse", "a")),
        "b",
        "a late word of the old one changes nothing"
      )
      assert.strictEqual(
        now(began, cleared, fresh, sign(8, "ended", "b", "resume"), sign(9, "began", "a", "resume")),
        "a"
      )
    })
    it("a process holds nothing that another process held, also under the same pid", () => {
      assert.isNull(now(sign(1, "Stop", "a", undefined, 11), sign(1, "Stop", "a", undefined, 10, 78)))
      assert.isNull(now({ ...sign(1, "Stop", "a"), pid: null }, { ...sign(1, "Stop", "a"), startTime: null }))
    })
  })

  it("a session's holdings: who had it, since when, how it came and how it went; a compaction is no other one", () => {
    const signs = [
      sign(1, "began", "a", "startup"),
      sign(4, "goes on", "a", "compact"),
      sign(5, "ended", "a", "other"),
      sign(8, "began", "a", "resume", 20, 90),
      sign(9, "Stop", "a", undefined, 20, 90)
    ]
    const expected = [
      { sessionId: "a", pid: 10, startTime: 77, since: 1, until: 5, source: "startup", ended: "other" },
      { sessionId: "a", pid: 20, startTime: 90, since: 8, until: 9, source: "resume", ended: null }
    ]
    assert.deepStrictEqual(holdings(signs), expected)
    assert.deepStrictEqual(holdings(signs.toReversed()), expected)
    assert.deepStrictEqual(holdings([...signs, ...signs]), expected, "a sign that was written down twice is one")
  })
  it.prop(
    "a process holds at most one session, which it had and did not end with its last word",
    [Schema.Array(anySign)],
    ([signs]) => {
      const all = heldByAll(holdings(signs))
      assert.strictEqual(new Set(all.map(({ pid }) => pid)).size, all.length)
      const held = now(...signs)
      assert.strictEqual(all.find(({ pid }) => pid === 10)?.sessionId ?? null, held)
      if (held === null) return
      const its = signs.filter(({ pid, sessionId }) => pid === 10 && sessionId === held)
      assert.isAbove(its.length, 0)
      const last = Math.max(...its.map(({ at }) => at))
      assert.isFalse(its.filter(({ at }) => at === last).every(({ holding }) => holding === "ended"))
    }
  )

  it.effect("without hooks nothing is known", () =>
    Effect.gen(function* () {
      const hooks = yield* Hooks
      assert.deepStrictEqual(
        [yield* hooks.last("a"), yield* hooks.holds(process), yield* hooks.lineage("a")],
        [Option.none(), Option.none(), []]
      )
      assert.deepStrictEqual([yield* hooks.lineage("a"), yield* hooks.held], [[], []])
    }).pipe(Effect.provide(Hooks.layerNone))
  )
})
