import { assert, describe, it } from "@effect/vitest"
import { Souffleur } from "@souffleur/embed"
import { Clock, Effect } from "effect"
import { makeJobPages } from "../src/JobPages.ts"
import { ask, enter, layerStage, makeStage, night } from "./PageStage.ts"

const listing = { search: "", page: 1, state: "", agent: "", project: "", sort: "state", reversed: false } as const

/** The ids of the list in their order. */
const idsIn = (text: string) => text.match(/(?<=href="[^"]*watches\/)[\w-]+(?=")/gu) ?? []

/** Three watches in two folders: one that needs a person, and two that have ended. */
const three = Effect.gen(function* () {
  const { serve, tell } = yield* makeStage()
  const ended = (at: number) => ({ _tag: "ConductorCompleted", at, by: "turn" }) as const
  yield* tell("opera-0001", [...night("/srv/b"), ended(1_772_430_000_000)])
  yield* tell("ballet-0002", [...night("/srv/a"), ended(1_772_440_000_000)])
  yield* tell("circus-0003", night("/srv/b"))
  const { cookie, list } = yield* enter(yield* serve)
  return (query: string) => Effect.map(ask(`${list}${query}`, { headers: { cookie } }), ({ text }) => text)
})

describe("command-line#page", () => {
  it.live("the list is sorted by each column, either way, and its head says so", () =>
    Effect.gen(function* () {
      const view = yield* three
      const orders = {
        "": ["circus-0003", "ballet-0002", "opera-0001"],
        "?sort=-state": ["opera-0001", "ballet-0002", "circus-0003"],
        "?sort=name": ["ballet-0002", "circus-0003", "opera-0001"],
        "?sort=-name": ["opera-0001", "circus-0003", "ballet-0002"],
        "?sort=folder": ["ballet-0002", "circus-0003", "opera-0001"],
        "?sort=when": ["circus-0003", "opera-0001", "ballet-0002"],
        "?sort=-when": ["ballet-0002", "opera-0001", "circus-0003"],
        "?sort=odd": ["circus-0003", "ballet-0002", "opera-0001"]
      }
      for (const [query, order] of Object.entries(orders)) {
        const text = yield* view(query)
        assert.deepStrictEqual(idsIn(text), order, query)
        const [sorted, ...others] = text.match(/aria-sort="\w+"/gu) ?? []
        const down = query.startsWith("?sort=-")
        assert.deepStrictEqual([sorted, others], [`aria-sort="${down ? "descending" : "ascending"}"`, []], query)
      }
      assert.match(yield* view("?sort=name"), /href="[^"]+\/\?sort=-name"/u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("the list is filtered by state, agent and folder, which its links and its search keep", () =>
    Effect.gen(function* () {
      const view = yield* three
      assert.deepStrictEqual(idsIn(yield* view("?state=needs+you")), ["circus-0003"])
      assert.deepStrictEqual(idsIn(yield* view("?state=ended")), ["ballet-0002", "opera-0001"])
      assert.deepStrictEqual(idsIn(yield* view("?folder=/srv/b")), ["circus-0003", "opera-0001"])
      assert.deepStrictEqual(idsIn(yield* view("?agent=claude&state=ended&folder=/srv/a")), ["ballet-0002"])
      assert.deepStrictEqual(idsIn(yield* view("?agent=codex")), [])
      assert.lengthOf(idsIn(yield* view("?state=odd")), 3)
      const text = yield* view("?state=ended&folder=/srv/b&sort=-name")
      assert.match(text, /Only <code>ended<\/code>\s*<code>\/srv\/b<\/code>/u)
      assert.match(text, /<option selected>\s*ended\s*<\/option>/u)
      assert.include(text, '<input type="hidden" name="folder" value="/srv/b" />')
      assert.match(text, /href="[^"]+\/\?state=ended&amp;folder=%2Fsrv%2Fb&amp;sort=name"/u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live(
    "a time is told by how long ago it was, with the exact one, and the title and the icon say who is needed",
    () =>
      Effect.gen(function* () {
        const { context, project, serve, tell } = yield* makeStage()
        const { cookie, list } = yield* enter(yield* serve)
        const view = Effect.map(ask(list, { headers: { cookie } }), ({ text }) => text)
        const empty = yield* view
        assert.match(empty, /<title>souffleur<\/title>/u)
        assert.include(empty, 'href="/page.svg"')
        const at = (yield* Clock.currentTimeMillis) - 125 * 60_000
        yield* tell(
          "opera-0001",
          night(project).map((event) => ({ ...event, at }))
        )
        yield* tell("opera-0002", night(project))
        const { jobs } = yield* Effect.provideContext(Souffleur, context)
        yield* Effect.repeat(jobs, { until: (all) => all.length === 2 })
        yield* Effect.sleep("1100 millis")
        const text = yield* view
        assert.include(text, `<time datetime="${new Date(at).toISOString()}"`)
        assert.match(text, /title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"\s*>2 h ago</u)
        assert.match(text, /<title>\(2\) souffleur<\/title>/u)
        assert.include(text, 'href="/needed.svg"')
        const one = yield* ask(`${list}watches/opera-0001`, { headers: { cookie } })
        assert.match(one.text, /<title>\(1\) opera-0001 · souffleur<\/title>/u)
        assert.strictEqual((yield* ask(new URL("/needed.svg", list).href)).headers["content-type"], "image/svg+xml")
      }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
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
        /opera-0002<\/a>\s+<bdi class="job-title">The reminders&#39; tests<\/bdi>[^]+?<span class="kind">claude<\/span>/u
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
      const first = yield* pages({ ...listing, search: "srv opera-" })
      assert.deepStrictEqual([first.found, first.jobs.length, first.counts.ended], [130, 50, 130])
      const second = yield* pages({ ...listing, search: "/srv/ballet", page: 2 })
      assert.deepStrictEqual([second.found, second.jobs.length, second.counts.ended], [65, 15, 130])
      assert.deepStrictEqual([second.jobs[0]!.id, second.jobs.at(-1)!.id], ["opera-0029", "opera-0001"])
      assert.strictEqual(Math.max(...limits), 100)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
