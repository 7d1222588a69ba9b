import { assert, describe, it } from "@effect/vitest"
import type { Recorded, WatchEvent } from "@souffleur/domain"
import { watchTimeline } from "@souffleur/embed"
import { utc } from "../../domain/src/Time.ts"
import { written } from "../src/Html.ts"
import { watchDrawing } from "../src/view/WatchDrawing.ts"
import { began, night } from "./PageStage.ts"

/** A watch whose agent died so often, once in ten minutes. */
const nights = (deaths: number): ReadonlyArray<Recorded> => {
  const again = night("/srv/opera").slice(6)
  const lives = Array.from({ length: deaths }, (_, n) =>
    again.map(
      (event, step) =>
        ({
          ...event,
          at: began + n * 599_000 + step * 1000,
          ...("cycle" in event ? { cycle: n + 1 } : {}),
          ...("generation" in event ? { generation: n + 2 } : {})
        }) as WatchEvent
    )
  )
  return [...night("/srv/opera").slice(0, 6), ...lives.flat()].map((event, n) => ({
    position: n + 1,
    stream: "a",
    revision: n + 1,
    event
  }))
}
const drawn = (deaths: number) => {
  const events = nights(deaths)
  const now = began + deaths * 599_000
  return written(watchDrawing(watchTimeline(events, now), null, { now, zone: utc }))
}

describe("command-line#page", () => {
  it("a generation has its name where its bar has room for it, and each is in the list", () => {
    const few = drawn(3)
    assert.deepStrictEqual(
      [...few.matchAll(/class="name" x="7" y="17">\s*(S\d+)\s/gu)].map(([, name]) => name),
      ["S2", "S3", "S4"]
    )
    const some = drawn(12)
    assert.match(some, /class="name roomy" x="7" y="17">\s*S5\s/u)
    assert.notMatch(some, /class="name" x/u)
    const many = drawn(40)
    assert.notMatch(many, /class="name/u)
    for (let n = 2; n <= 40; n++) assert.include(many, `<li>Generation S${n}: `)
  })
  it("ticks are at even times of the reader's clock, with room between them, and none is in a folded stretch", () => {
    const ticks = (text: string) =>
      [...text.matchAll(/class="tick-at" x="([\d.]+)%" y="70">([^<]+)</gu)].map(([, x, at]) => [Number(x), at] as const)
    const events = nights(40)
    const now = began + 40 * 599_000
    const shown = ticks(written(watchDrawing(watchTimeline(events, now), null, { now, zone: () => 1_800_000 })))
    assert.isAbove(shown.length, 2)
    for (const [n, [x, at]] of shown.entries()) {
      assert.match(at ?? "", /^\d\d:00$/u)
      assert.isAtLeast(x - (shown[n - 1]?.[0] ?? 0), 12)
    }
    const later = now + 300 * 86_400_000
    for (const [x] of ticks(written(watchDrawing(watchTimeline(events, later), null, { now: later, zone: utc }))))
      assert.isAtMost(x, 94)
  })
  it("the signs of many deaths are small", () => {
    assert.include(drawn(3), 'class="death" transform="scale(1)"')
    const many = drawn(40)
    assert.strictEqual(many.split('class="death" transform="scale(0.6)"').length - 1, 40)
  })
  it("the list says in words how a generation ended and an agent died", () => {
    const text = drawn(2)
    assert.match(text, /<li>Generation S2: [^<]+\. Its process was gone<\/li>/u)
    assert.match(text, /<li>Death of S2 at [\d:]+: its process was gone(?:, and it ended [^<]+)?<\/li>/u)
  })
})
