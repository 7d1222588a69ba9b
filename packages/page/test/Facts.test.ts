import { assert, describe, it } from "@effect/vitest"
import { initial, utc } from "@souffleur/domain"
import { written } from "../src/Html.ts"
import { agoTag, factList, pastFacts } from "../src/view/Facts.ts"

const now = 1_772_402_400_000
const hour = 3_600_000
const seen = { now, zone: utc }
const words = (text: string) => [...text.matchAll(/<time[^>]*>([^<]+)<\/time\s*>/gu)].map(([, said]) => said)

describe("command-line#page", () => {
  it("what happened is not to come where the clock was set back, and a wait is", () => {
    const times = [now - 2 * hour, now, now + 30_000, now + 2 * hour].map((at) => written(agoTag(at, seen)))
    assert.deepStrictEqual(times.flatMap(words), ["2 h ago", "just now", "just now", "just now"])
    const waits = { ...initial, wait: { kind: "limit", until: now + 2 * hour, resetsAt: null } as never }
    assert.deepStrictEqual(words(written(factList(pastFacts(waits, seen)))), ["in 2 h"])
  })
})
