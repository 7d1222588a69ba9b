import { assert, describe, it } from "@effect/vitest"
import type { RecordedAs } from "@souffleur/eventlog"
import type { RunEvent } from "@souffleur/plan"
import { Effect } from "effect"
import { madeOnce, makeHistories } from "../src/history/Histories.ts"
import { stuckRun } from "./RunStage.ts"

describe("command-line#page", () => {
  it.effect("a further look at a run reads what is new alone, and two looks at once double nothing", () =>
    Effect.gen(function* () {
      const log = stuckRun("/srv/opera").map((event, n): RecordedAs<RunEvent> => ({
        position: n + 1,
        stream: "a",
        revision: n + 1,
        event
      }))
      const looks: Array<number> = []
      let there = 5
      const histories = yield* makeHistories({
        planHistory: (_, { after } = { after: 0 }) =>
          Effect.gen(function* () {
            looks.push(after)
            yield* Effect.yieldNow
            return log.slice(after, there)
          })
      })
      const both = yield* Effect.all([histories("a"), histories("a")], { concurrency: 2 })
      assert.deepStrictEqual(both, [log.slice(0, 5), log.slice(0, 5)])
      there = log.length
      const whole = yield* histories("a")
      assert.deepStrictEqual(whole, log)
      assert.strictEqual(yield* histories("a"), whole)
      let made = 0
      const count = madeOnce((events) => ++made * events.length)
      assert.deepStrictEqual([count(whole), count(whole), count(log)], [log.length, log.length, 2 * log.length])
      assert.deepStrictEqual(looks, [0, 0, 5, log.length])
    })
  )
})
