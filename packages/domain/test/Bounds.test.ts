import { assert, describe, it } from "@effect/vitest"
import { latest } from "@souffleur/eventlog"
import { Result, Schema } from "effect"
import * as Bounds from "../src/Bounds.ts"
import { decodeEvent, encodeEvent } from "../src/event/WatchCodec.ts"
import { iso } from "../src/Time.ts"
import { evolve } from "../src/watch/WatchEvolution.ts"
import { initial } from "../src/watch/Watch.ts"
import * as Event from "../src/event/WatchEvent.ts"
import { examples } from "./fixtures/events/Examples.ts"

/** Values that a log may hold in the place of a number. */
const odd = [0, -1, 1.5, 9e15, 8.64e15 + 1, 2 ** 53, -(2 ** 60), 1e21, 1e300, -1e300, Infinity, -Infinity]
/** Fields that are only told, or waited for. */
const told =
  /"(until|resetsAt|takenAt|age|heartbeatAge|beatAge|staleAfter|contextTokens|contextWindow|used|limit)":(-?\d+|null)/gu

describe("behaviour#numbers-of-others", () => {
  it("a told value of an event is read from any number, as a value that could have been made", () => {
    let tried = 0
    // The limit of a cap is acted upon.
    for (const event of Object.values(examples).filter(({ _tag }) => _tag !== "CapsFound")) {
      const stored = encodeEvent(event)
      for (const [field, name] of stored.data.matchAll(told))
        for (const number of odd) {
          // JSON has no Infinity, but 1e999.
          const text = Number.isFinite(number) ? String(number) : `${number < 0 ? "-" : ""}1e999`
          const hostile = {
            ...stored,
            at: Number.isFinite(number) ? number : 0,
            data: stored.data.replace(field, `"${name}":${text}`)
          }
          const read = Result.getOrThrow(decodeEvent("w", 1, hostile))
          assert.isTrue(Schema.is(Event.WatchEvent)(read), hostile.data)
          assert.match(iso(read.at), /^\d{4}-/u)
          evolve(initial, read)
          tried += 1
        }
    }
    assert.isAbove(tried, 200)
  })

  it("a value that is acted upon is exact, or cannot be read", () => {
    const refuses = (event: Event.WatchEvent, from: string, to: string) => {
      const stored = encodeEvent(event)
      assert.include(stored.data, from)
      assert.isTrue(Result.isFailure(decodeEvent("w", 1, { ...stored, data: stored.data.replace(from, to) })))
    }
    refuses(examples.CapsFound, '"limit":12', '"limit":1e999')
    for (const odd of ["1.5", "-1", "1e300"]) {
      refuses(Event.OwnerLeft.make({ at: 1, fence: 7 }), '"fence":7', `"fence":${odd}`)
      refuses(Event.PersonCame.make({ at: 1, watcher: 7 }), '"watcher":7', `"watcher":${odd}`)
    }
  })

  it("telling a time is total", () => {
    for (const at of [...odd, Number.NaN]) assert.match(iso(at), /^[+-]?\d{4,6}-\d\d-\d\dT/u)
    assert.strictEqual(iso(Date.UTC(2026, 0, 2)), "2026-01-02T00:00:00.000Z")
  })

  it("a wait in a log is over after eight days, whatever the log says", () => {
    const { stored, at } = { stored: encodeEvent(examples.WaitStarted), at: examples.WaitStarted.at }
    const read = Result.getOrThrow(
      decodeEvent("w", 1, { ...stored, data: stored.data.replace(/"until":\d+/u, '"until":9e15') })
    )
    assert.strictEqual(evolve(initial, read).wait?.until, at + 8 * 86_400_000)
  })

  it("a count, a time or a wait from outside is in range, or is none", () => {
    assert.deepStrictEqual([1.5, 0, "5", null, -1, 1e300, Number.NaN].map(Bounds.count), [2, 0, ...Array<undefined>(5)])
    assert.deepStrictEqual([latest, latest + 1, -1].map(Bounds.time), [latest, undefined, undefined])
    const eightDays = 8 * 86_400_000
    assert.deepStrictEqual([eightDays, eightDays + 1, 1e300].map(Bounds.wait), [eightDays, undefined, undefined])
    assert.deepStrictEqual([600_000, 604_800_000, 1e300].map(Bounds.toolLimit), [
      600_000,
      Bounds.maxToolMillis,
      undefined
    ])
    assert.strictEqual(Bounds.sum([Number.MAX_SAFE_INTEGER, 5]), Number.MAX_SAFE_INTEGER)
  })
})
