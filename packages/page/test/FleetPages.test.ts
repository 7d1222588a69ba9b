import { assert, describe, it } from "@effect/vitest"
import { type JobSearch, StoreOut } from "@souffleur/fleet"
import { Effect, Option } from "effect"
import { hostNamed, jobNamed, type Known, makeFleet, token, word } from "./FleetPageStage.ts"
import { ask, reading } from "./PageStage.ts"

const known = (change: Partial<Known> = {}): Known => ({ jobs: [], hosts: [], revoked: false, ...change })

describe("fleet#page", () => {
  it.live("a token is traded for a cookie of one path, and any other token is refused", () =>
    Effect.gen(function* () {
      const { knock, origin } = yield* makeFleet(known({ jobs: [jobNamed("opera-0001")] }))
      const { headers, status } = yield* knock(token)
      assert.strictEqual(status, 303)
      assert.match(headers.location!, /^\/[0-9a-f]{20}\/$/u)
      const [cookie = ""] = headers["set-cookie"] ?? []
      assert.include(cookie, `souffleur=${word}; Max-Age=2592000; Path=${headers.location}; HttpOnly; SameSite=Strict`)
      assert.notInclude(JSON.stringify(headers), token)
      const list = `${origin}${headers.location}`
      const mine = { cookie: `souffleur=${word}` }
      const { text } = yield* ask(list, { headers: mine })
      assert.include(text, "opera-0001")
      for (const wrong of ["", "0".repeat(64), word, token.slice(1)]) {
        const refused = yield* knock(wrong)
        assert.deepStrictEqual([refused.status, refused.headers["set-cookie"]], [401, undefined], wrong)
        assert.include(refused.text, "does not know this token")
      }
      const outside = [list, `${list}live`, `${origin}/`, `${origin}/${"0".repeat(20)}/`]
      for (const headers of [{}, { cookie: "souffleur=" }, { cookie: `souffleur=${token}` }])
        for (const url of outside) {
          const answer = yield* ask(url, { headers })
          assert.deepStrictEqual([answer.status, answer.text.includes("opera")], [401, false], url)
        }
      // The cookie opens the path of its own browser alone.
      const elsewhere = yield* ask(`${origin}/${"0".repeat(20)}/`, { headers: mine })
      assert.deepStrictEqual([elsewhere.status, elsewhere.text.includes("opera")], [401, false])
    }).pipe(Effect.scoped)
  )
  it.live("another name of the hub and a form of another page are refused, and each answer forbids foreign code", () =>
    Effect.gen(function* () {
      const { entered, knock, origin } = yield* makeFleet(known())
      const { cookie, list } = yield* entered
      const { port } = new URL(origin)
      for (const host of [`attacker.example:${port}`, "127.0.0.1", `localhost.:${port}`]) {
        for (const url of [list, `${list}live`, `${origin}/`, `${origin}/page.js`])
          assert.strictEqual((yield* ask(url, { headers: { cookie, host } })).status, 421, host)
        assert.strictEqual((yield* knock(token, { host })).status, 421)
      }
      for (const foreign of ["https://attacker.example", "null", ""])
        assert.strictEqual((yield* knock(token, { origin: foreign })).status, 403)
      const elsewhere = yield* knock(token, { host: "hub.example", origin: "https://hub.example" })
      assert.match(elsewhere.headers["set-cookie"]![0]!, /; HttpOnly; Secure; SameSite=Strict$/u)
      const answers = [yield* ask(list, { headers: { cookie } }), yield* ask(list), yield* ask(`${origin}/page.css`)]
      for (const { headers } of answers) {
        assert.match(String(headers["content-security-policy"]), /^default-src 'none'; .*frame-ancestors 'none'/u)
        assert.deepInclude(headers, { "cache-control": "no-store", "x-content-type-options": "nosniff" })
      }
    }).pipe(Effect.scoped)
  )
  it.live("each job has its host, and a silent host says for how long its jobs are as last known", () =>
    Effect.gen(function* () {
      const hosts = [
        hostNamed("build1"),
        hostNamed("build2", { lastSeenAgo: 300_000 }),
        // Its newer log speaks.
        hostNamed("build3", { forked: true, lastSeenAgo: 900_000 }),
        hostNamed("build3"),
        hostNamed("laptop", { away: true, lastSeenAgo: 300_000 }),
        hostNamed("gone", { revoked: true, lastSeenAgo: 9e9 })
      ]
      const jobs = [
        jobNamed("opera-0001", { state: "needs you", need: { why: "it waits", next: "souffleur retry opera-0001" } }),
        jobNamed("opera-0002", { host: "build2", lastSeenAgo: 300_000, standing: "generation 2" }),
        jobNamed("opera-0003", { host: "laptop", away: true, lastSeenAgo: 300_000 })
      ]
      const { entered } = yield* makeFleet(known({ hosts, jobs }))
      const { cookie, list } = yield* entered
      const { text } = yield* ask(list, { headers: { cookie } })
      assert.include(text, "4 hosts, 1 of them in trouble")
      assert.match(text, /<strong>build2<\/strong> silent for 5 m/u)
      assert.match(text, /There: <code>souffleur retry opera-0001<\/code>/u)
      assert.match(text, /build2 <span class="trouble">silent for 5 m/u)
      assert.match(text, /laptop <span class="trouble">away for 5 m/u)
      assert.include(text, "last known: generation 2")
      assert.notInclude(text, "gone")
    }).pipe(Effect.scoped)
  )
  it.live("a host writes no markup, and tells no command but souffleur's own", () =>
    Effect.gen(function* () {
      const evil = `"><img src=x onerror=alert(1)>`
      const jobs = [
        jobNamed(evil, { host: evil, project: evil, standing: evil }),
        jobNamed("b", { need: { why: evil, next: "souffleur resume b; rm -rf ~" } })
      ]
      const { entered } = yield* makeFleet(known({ hosts: [hostNamed(evil, { lastSeenAgo: 90_000 })], jobs }))
      const { cookie, list } = yield* entered
      const { text } = yield* ask(`${list}?q=${encodeURIComponent(evil)}`, { headers: { cookie } })
      assert.notInclude(text, "<img")
      assert.include(text, "&quot;&gt;&lt;img")
      assert.notInclude(text, "rm -rf")
    }).pipe(Effect.scoped)
  )
  it.live("the list comes fifty a page, and the hub searches", () =>
    Effect.gen(function* () {
      const jobs = Array.from({ length: 120 }, (_, n) => jobNamed(`opera-${n}`))
      const searches: Array<JobSearch> = []
      const { entered } = yield* makeFleet(known({ jobs }), {
        find: (wanted) =>
          Effect.sync(() => (searches.push(wanted), { jobs: jobs.slice(wanted.from, wanted.from + 50), found: 120 }))
      })
      const { cookie, list } = yield* entered
      const { text } = yield* ask(`${list}?page=3&q=build1+opera`, { headers: { cookie } })
      assert.lengthOf(text.match(/class="job"/gu)!, 20)
      assert.include(text, "Page 3 of 3")
      assert.include(text, `href="${new URL(list).pathname}?q=build1+opera&amp;page=2"`)
      assert.deepStrictEqual(searches, [{ search: "build1 opera", from: 100, atMost: 50 }])
    }).pipe(Effect.scoped)
  )
  it.live("an open page follows the fleet, and ends with the token that it was opened with", () =>
    Effect.gen(function* () {
      const now = known({ jobs: [jobNamed("opera-0001")] })
      const { entered } = yield* makeFleet(now)
      const { cookie, list } = yield* entered
      const feed = yield* reading(`${list}live`, { cookie })
      yield* feed.until((text) => text.includes("opera-0001"))
      now.jobs = [jobNamed("ballet-0002")]
      yield* feed.until((text) => text.includes("ballet-0002"))
      now.revoked = true
      yield* feed.ended
      assert.strictEqual((yield* ask(`${list}live`, { headers: { cookie } })).status, 401)
    }).pipe(Effect.scoped)
  )
  it.live("one person has sixteen open pages at most, and another one still opens theirs", () =>
    Effect.gen(function* () {
      let name = "anna"
      const { entered } = yield* makeFleet(known(), {
        guestOf: () => Effect.sync(() => Option.some({ name, role: "viewer", since: "now" } as const))
      })
      const { cookie, list } = yield* entered
      const opened = Effect.flatMap(reading(`${list}live`, { cookie }), ({ until }) => until((sent) => sent !== ""))
      yield* Effect.all(Array.from({ length: 16 }, () => opened))
      const refused = yield* ask(`${list}live`, { headers: { cookie } })
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "You have 16 pages open. Close one.")
      name = "vera"
      yield* opened
    }).pipe(Effect.scoped)
  )
  it.live("a hub without its store says so, and an open page asks again", () =>
    Effect.gen(function* () {
      const { entered } = yield* makeFleet(known(), { guestOf: () => new StoreOut() })
      const { cookie, list } = yield* entered
      const { status, text } = yield* ask(list, { headers: { cookie } })
      assert.deepStrictEqual([status, text.includes("the database of the hub is out")], [503, true])
      const { headers, status: fed } = yield* ask(`${list}live`, { headers: { cookie } })
      assert.deepStrictEqual([fed, headers["content-type"]], [200, "text/event-stream"])
    }).pipe(Effect.scoped)
  )
})
