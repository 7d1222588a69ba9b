import { assert, describe, it } from "@effect/vitest"
import { Event, initial } from "@souffleur/domain"
import { Souffleur, type WatchStatus } from "@souffleur/embed"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeTopSights } from "../src/top/TopSight.ts"
import { sparkline } from "../src/top/TopActivity.ts"
import { at, jobOf } from "./TopStage.ts"

const newsOf = (revisions: Readonly<Record<string, number>>) => ({
  living: Object.keys(revisions).map((id) => jobOf(id)),
  ended: [],
  endedCount: 0,
  moved: true,
  logged: {
    watches: Object.entries(revisions).map(([id, revision]) => ({ id, watch: { ...initial, revision } })),
    runs: []
  }
})

describe("command-line#top", () => {
  it.effect("events are read of what has moved, and of all others one agent is looked at, each in its turn", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at)
      const [reads, looks]: [Array<string>, Array<string>] = [[], []]
      let tokens = 0
      const souffleur = Layer.mock(Souffleur, {
        history: (id, range) =>
          Effect.sync(() => {
            reads.push(`${JSON.stringify(id)} ${range?.after}`)
            return [{ stream: "", revision: 1, event: Event.HoldEnded.make({ at }) }] as never
          }),
        status: ({ id }) =>
          Effect.sync(() => {
            looks.push(id)
            return { context: { tokens } } as WatchStatus
          })
      })
      yield* Effect.gen(function* () {
        const look = yield* makeTopSights
        const taken = (list: Array<string>) => list.splice(0)
        yield* look(newsOf({ a: 3, b: 900, c: 1 }))
        assert.deepStrictEqual(
          [taken(reads), taken(looks)],
          [
            ['"a" 0', '"b" 700', '"c" 0'],
            ["a", "b", "c"]
          ]
        )
        for (const id of ["a", "b", "c", "a"]) {
          yield* TestClock.adjust("5 seconds")
          tokens += id === "b" ? 1 : 0
          yield* look(newsOf({ a: 3, b: 900, c: 1 }))
          assert.deepStrictEqual([taken(reads), taken(looks)], [[], [id]])
        }
        yield* TestClock.adjust("5 minutes")
        const sights = yield* look(newsOf({ a: 3, c: 2 }))
        assert.deepStrictEqual([taken(reads), taken(looks)], [['"c" 1'], ["a", "c"]])
        assert.deepStrictEqual([...sights.keys()], ["watch/a", "watch/c"], "it forgets what has ended")
        // A conversation that has grown is an act too.
        assert.match(sparkline(sights.get("watch/a")!.activity, at + 320_000), /^·{10}█·$|^·{10}██$/u)
      }).pipe(Effect.provide(souffleur))
    })
  )
})
