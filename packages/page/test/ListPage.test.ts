import { assert, describe, it } from "@effect/vitest"
import { Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import { makeJobPages } from "../src/JobPages.ts"
import { ask, enter, layerStage, makeStage, night } from "./PageStage.ts"

describe("command-line#page", () => {
  it.live("the list shows who needs a person first, and what to type next", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", [...night(project), { _tag: "ConductorCompleted", at: 1_772_430_000_000, by: "turn" }])
      yield* tell("opera-0002", night(project))
      const { cookie, list } = yield* enter(yield* serve)
      const { text } = yield* ask(list, { headers: { cookie } })
      assert.include(text, "1 needs you · 1 ended")
      assert.match(
        text,
        /opera-0002<\/a>\s+<span class="kind">claude<\/span>\s+<bdi class="job-title">The reminders&#39; tests<\/bdi>/u
      )
      assert.include(text, "souffleur resume opera-0002")
      assert.isBelow(text.indexOf("opera-0002"), text.indexOf("opera-0001"))
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a search finds names and folders, and shows its own words as text", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      yield* tell("ballet-0002", night("/srv/ballet"))
      yield* tell("opera-0003", [...night(project), { _tag: "ConductorCompleted", at: 1_772_430_000_000, by: "turn" }])
      const { cookie, list } = yield* enter(yield* serve)
      const found = yield* ask(`${list}?q=${encodeURIComponent("SRV ballet")}`, { headers: { cookie } })
      assert.include(found.text, "ballet-0002")
      assert.notMatch(found.text, /opera-000[13]/u)
      const hostile = yield* ask(`${list}?q=${encodeURIComponent(`"><img src=x>`)}`, { headers: { cookie } })
      assert.include(hostile.text, "“&quot;&gt;&lt;img src=x&gt;”")
      assert.notInclude(hostile.text, "<img")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("an address that no URL has is answered as a page, with its search", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const { cookie, list } = yield* enter(yield* serve)
      const { headers, status, text } = yield* ask(`${list}//?q=opera`, { headers: { cookie } })
      assert.deepStrictEqual([status, headers["x-frame-options"]], [200, "DENY"])
      assert.include(text, `data-live="${new URL(list).pathname}live?q=opera"`)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("many watches come fifty a page, and each is on one of them", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const ids = Array.from({ length: 120 }, (_, n) => `opera-${String(n).padStart(4, "0")}`)
      yield* Effect.forEach(ids, (id, n) =>
        tell(id, [...night(project, n), { _tag: "ConductorCompleted", at: 1_772_440_000_000 + n, by: "turn" }])
      )
      const { cookie, list } = yield* enter(yield* serve)
      const pages = yield* Effect.forEach([1, 2, 3], (page) => ask(`${list}?page=${page}`, { headers: { cookie } }))
      const named = pages.map(({ text }) => text.match(/(?<=watches\/)opera-\d{4}/gu) ?? [])
      assert.deepStrictEqual(
        named.map(({ length }) => length),
        [50, 50, 20]
      )
      assert.strictEqual(new Set(named.flat()).size, 120)
      assert.strictEqual(named[0]![0], "opera-0119")
      assert.include(pages[1]!.text, "Page 2 of 3")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a search has its pages too, asks for no more than one shows, and counts all that ended", () =>
    Effect.gen(function* () {
      const { context, tell } = yield* makeStage()
      yield* Effect.forEach(Array.from({ length: 130 }).keys(), (n) =>
        tell(`opera-${String(n).padStart(4, "0")}`, [
          ...night(n % 2 === 0 ? "/srv/opera" : "/srv/ballet", n),
          { _tag: "ConductorCompleted", at: 1_772_440_000_000 + n, by: "turn" }
        ])
      )
      const { endedJobs, jobs } = yield* Effect.provideContext(Souffleur, context)
      const limits: Array<number> = []
      const pages = yield* makeJobPages({ jobs, endedJobs: (...of) => (limits.push(of[0]), endedJobs(...of)) })
      const first = yield* pages({ search: "srv opera-", page: 1 })
      assert.deepStrictEqual([first.found, first.jobs.length, first.counts.ended], [130, 50, 130])
      const second = yield* pages({ search: "/srv/ballet", page: 2 })
      assert.deepStrictEqual([second.found, second.jobs.length, second.counts.ended], [65, 15, 130])
      assert.deepStrictEqual([second.jobs[0]!.id, second.jobs.at(-1)!.id], ["opera-0029", "opera-0001"])
      assert.strictEqual(Math.max(...limits), 100)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
