import { assert, describe, it } from "@effect/vitest"
import type { WatchEvent } from "@souffleur/domain"
import { Deferred, Effect, FileSystem } from "effect"
import { channel } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { ask, began, enter, layerStage, makeStage, night, reading } from "./PageStage.ts"

const completed: WatchEvent = { _tag: "ConductorCompleted", at: began + 86_400_000, by: "turn" }

/** Returns the secret of the forms of a page. */
const secretIn = (page: string, cookie: string) =>
  Effect.map(ask(page, { headers: { cookie } }), ({ text }) => {
    const [, secret = ""] = /name="secret" value="([0-9a-f]{64})"/u.exec(text) ?? []
    return secret
  })

/** Sends a form as a browser does. */
const posting = (address: string) => (body: string, headers: Readonly<Record<string, string>>) =>
  ask(address, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      ...headers
    }
  })
/** Waits until a server drops an open page. A reader that takes nothing may never see the end of its connection. */
const dropOfLivePage = Effect.gen(function* () {
  const dropped = yield* Deferred.make<void>()
  const note = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.url?.includes("/live")) request.socket.once("close", () => Deferred.doneUnsafe(dropped, Effect.void))
  }
  const requests = channel("http.server.request.start")
  yield* Effect.acquireRelease(
    Effect.sync(() => requests.subscribe(note)),
    () => Effect.sync(() => requests.unsubscribe(note))
  )
  return Deferred.await(dropped)
})

describe("command-line#page", () => {
  it.live("a watch shows its state, what happened, and the evidence behind each decision", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const { cookie, list } = yield* enter(yield* serve)
      const { status, text } = yield* ask(`${list}watches/opera-0001`, { headers: { cookie } })
      assert.strictEqual(status, 200)
      for (const words of ["needs you", "souffleur resume opera-0001", "The agent is dead", "Evidence"])
        assert.include(text, words)
      // The words of the commands for a watch without comms: in the events, their evidence and what followed.
      assert.match(text, /The agent is back \(S2, pid \d+[^<]*\)/u)
      assert.notInclude(text, "Conductor")
      assert.match(text, /class="crumb"><a href="[^"]+">All watches and runs</u)
      assert.include(text, "a tool runs: Bash, 59 s old")
      for (const [name, what] of [
        ["Title", "The reminders&#39; tests"],
        ["Labels", "ticket=REM-17"]
      ])
        assert.match(text, new RegExp(`<dt>${name}</dt>\\s+<dd>${what}</dd>`, "u"))
      assert.include(text, "A process that is gone, is a zombie, or whose pid belongs to another is dead.")
      assert.strictEqual((yield* ask(`${list}watches/other`, { headers: { cookie } })).status, 404)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("the slider shows the state at each revision, and only that state where a script asks", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const { cookie, list } = yield* enter(yield* serve)
      const at = (path: string) => ask(`${list}watches/opera-0001${path}`, { headers: { cookie } })
      assert.match((yield* at("?at=8")).text, /data-state="recovering"/u)
      const part = yield* at("/then?at=6")
      assert.match(part.text.trim(), /^<div id="then"[^]*<\/div>$/u)
      assert.match(part.text, /data-state="working"/u)
      assert.include(part.text, "at revision 6")
      for (const wrong of ["0", "-1", "1e3", "x", "99999999999"])
        assert.strictEqual((yield* at(`?at=${wrong}`)).status, 200)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a long watch is drawn and listed in parts, each with links to the next", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const many = Array.from({ length: 1600 }, (_, n): WatchEvent => ({
        ...examples.PersonAwaited,
        at: began + 14_400_000 + n * 1000,
        for: "x"
      }))
      yield* tell("opera-0001", [...night(project), ...many])
      const { cookie, list } = yield* enter(yield* serve)
      const at = (path: string) => ask(`${list}watches/opera-0001${path}`, { headers: { cookie } })
      const slider = (text: string) => {
        const [, min, max] = /name="at"\s+min="(\d+)"\s+max="(\d+)"/u.exec(text) ?? []
        return [Number(min), Number(max)] as const
      }
      const { text } = yield* at("")
      const [first, end] = slider(text)
      assert.isAbove(first, 1000)
      assert.strictEqual(end, 1613)
      assert.include(text, "of 1613")
      assert.include(text, "All 1613 events")
      assert.include(text, "<li>Generation S2: ")
      assert.isBelow(text.length, 200_000)
      assert.include(text, `?at=${first - 1}#history">Before these`)
      const before = yield* at(`?at=${first - 1}`)
      assert.include(before.text, `at revision ${first - 1}`)
      const [, mid] = slider(before.text)
      assert.include(before.text, `?at=${mid + 1}#history">After these`)
      // The slider moves within what is drawn.
      const part = yield* at(`/then?around=1613&at=${first}`)
      assert.include(part.text, `at revision ${first}`)
      const drawing = (text: string) => /<svg[^]*?<line/u.exec(text)?.[0]
      assert.strictEqual(drawing(part.text), drawing((yield* at(`/then?around=1613&at=${end}`)).text))
      assert.include((yield* at("/then?around=1613&at=2")).text, "at revision 2")
      // Following "Older" comes to the first event.
      let [query, pages] = ["?events=all", 0]
      for (; pages < 50; pages++) {
        const listed = yield* at(query)
        const [, next] = /href="[^"]*(\?[^"#]*)#events-title">Older/u.exec(listed.text) ?? []
        if (next === undefined) break
        query = next.replaceAll("&amp;", "&")
      }
      assert.isAtLeast(pages, 15)
      assert.include((yield* at(query)).text, 'id="e1"')
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a part of a watch without news leads to the part before it", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const details = Array.from({ length: 1600 }, (_, n): WatchEvent => ({
        ...examples.SelfMonitorStarted,
        at: began + 14_400_000 + n * 1000
      }))
      yield* tell("opera-0001", [...night(project), ...details])
      const { cookie, list } = yield* enter(yield* serve)
      let query = ""
      for (let pages = 0; pages < 5; pages++) {
        const { text } = yield* ask(`${list}watches/opera-0001${query}`, { headers: { cookie } })
        if (text.includes("took the hand-off")) return
        const [, next] = /href="[^"]*(\?[^"#]*)#events-title">Older/u.exec(text) ?? []
        query = next?.replaceAll("&amp;", "&") ?? "?at=1"
      }
      assert.fail("no link led to the news")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a feed sends what is new, and after a break neither misses nor doubles an event", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const events = night(project)
      yield* tell("opera-0001", events.slice(0, 7))
      const { cookie, list } = yield* enter(yield* serve)
      const live = `${list}watches/opera-0001/live?after=5&events=all`
      const rows = (text: string) =>
        [...text.matchAll(/<li\s+(?:data: +)?id="e(\d+)"/gu)].map(([, revision]) => Number(revision))
      const first = yield* reading(live, { cookie })
      yield* first.until((text) => rows(text).includes(7))
      yield* tell("opera-0001", events.slice(7, 9), 7)
      yield* first.until((text) => rows(text).includes(9))
      yield* first.until((text) => text.includes('id="events-head"') && text.includes("Only what matters"))
      const few = yield* reading(`${list}watches/opera-0001/live?after=8&events=`, { cookie })
      yield* few.until((text) => text.includes("All 9 events"))
      few.close()
      assert.deepStrictEqual(rows(first.text()), [6, 7, 8, 9])
      first.close()
      yield* tell("opera-0001", [...events.slice(9), completed], 9)
      const again = yield* reading(live, { cookie, "last-event-id": "9" })
      yield* again.until((text) => text.includes("event: over"))
      assert.deepStrictEqual(rows(again.text()), [10, 11, 12, 13, 14])
      yield* again.ended
      const last = yield* ask(live, { headers: { cookie, "last-event-id": "14" } })
      assert.match(last.text, /^(?:: here\n\n)?event: over\ndata: over\n\n/u)
      assert.notInclude(last.text, "<li")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a reader that takes nothing is dropped, and nothing is kept for it", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage({ patience: "300 millis" })
      const events = night(project)
      yield* tell("opera-0001", events)
      const many = Array.from({ length: 4000 }, (_, n): WatchEvent => ({
        ...examples.PersonAwaited,
        at: began + 14_400_000 + n,
        for: "x".repeat(2000)
      }))
      const { cookie, list } = yield* enter(yield* serve)
      const dropped = yield* dropOfLivePage
      yield* reading(`${list}watches/opera-0001/live?after=${events.length}`, { cookie }, false)
      for (let n = 0; n < many.length; n += 500) yield* tell("opera-0001", many.slice(n, n + 500), events.length + n)
      yield* dropped
      assert.strictEqual((yield* ask(`${list}watches/opera-0001`, { headers: { cookie } })).status, 200)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("the last export is sent as a file, and only where it is this user's alone", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { home, project, serve, tell } = yield* makeStage()
      const path = `${home}/export.md`
      yield* fs.writeFileString(path, "# What was said\n", { mode: 0o600 })
      yield* tell("opera-0001", [
        ...night(project),
        { ...examples.ConductorRelaunched, at: began + 14_400_000, generation: 3, exportPath: path }
      ])
      const { cookie, list } = yield* enter(yield* serve)
      const download = ask(`${list}watches/opera-0001/export`, { headers: { cookie } })
      const { headers, text } = yield* download
      assert.strictEqual(text, "# What was said\n")
      assert.strictEqual(headers["content-disposition"], 'attachment; filename="opera-0001.md"')
      yield* fs.chmod(path, 0o644)
      assert.strictEqual((yield* download).status, 500)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a word counts with the page's origin and the secret of its form alone", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const page = `${list}watches/opera-0001`
      const { origin } = new URL(link)
      const secret = yield* secretIn(page, cookie)
      const said = posting(`${page}/release`)
      const refused = [
        yield* said(`secret=${secret}`, { origin }),
        yield* said(`secret=${secret}`, { cookie }),
        yield* said(`secret=${secret}`, { cookie, origin: "null" }),
        yield* said(`secret=${secret}`, { cookie, origin: "http://127.0.0.1:1" }),
        yield* said("secret=", { cookie, origin }),
        yield* said("", { cookie, origin }),
        yield* said(`secret=${secret.slice(1)}0`, { cookie, origin }),
        yield* said(`secret=${secret}&more=${"x".repeat(70_000)}`, { cookie, origin }),
        yield* ask(`${page}/release`, { headers: { cookie, origin } })
      ]
      assert.deepStrictEqual(
        refused.map(({ status }) => status),
        [401, 403, 403, 403, 403, 403, 403, 413, 404]
      )
      assert.notInclude((yield* ask(page, { headers: { cookie } })).text, "An operator released")
      const taken = yield* said(`secret=${secret}`, { cookie, origin })
      assert.deepStrictEqual([taken.status, new URL(taken.headers.location ?? "", link).href], [303, page])
      const after = yield* ask(page, { headers: { cookie } })
      assert.include(after.text, "An operator released the watch")
      assert.notInclude(after.text, 'name="secret"')
      assert.include((yield* said(`secret=${secret}`, { cookie, origin })).text, "Not possible now")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a word counts by the address that its user set, and by no other scheme of it", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const { cookie, list } = yield* enter(yield* serve)
      const page = `${list}watches/opera-0001`
      const body = `secret=${yield* secretIn(page, cookie)}`
      const from = (origin: string) => posting(`${page}/release`)(body, { cookie, host: "night.example", origin })
      for (const origin of ["http://night.example", "https://night.example:1", "https://other.example"])
        assert.strictEqual((yield* from(origin)).status, 403, origin)
      assert.strictEqual((yield* from("https://night.example")).status, 303)
      assert.include((yield* ask(page, { headers: { cookie } })).text, "An operator released the watch")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a page that takes no word has no form, and refuses one", () =>
    Effect.gen(function* () {
      const { project, serve, serveReading, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const acting = yield* enter(yield* serve)
      const secret = yield* secretIn(`${acting.list}watches/opera-0001`, acting.cookie)
      const other = yield* serveReading
      const { cookie, list } = yield* enter(other)
      const page = `${list}watches/opera-0001`
      assert.notInclude((yield* ask(page, { headers: { cookie } })).text, 'name="secret"')
      const { status } = yield* posting(`${page}/done`)(`secret=${secret}`, { cookie, origin: new URL(other).origin })
      assert.strictEqual(status, 403)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})

describe("security#where-words-go", () => {
  it.live("hostile words of an event, a folder and an address stay text", () =>
    Effect.gen(function* () {
      const { serve, tell } = yield* makeStage()
      const hostile = `<script>alert("1")</script>`
      yield* tell("opera-0001", [
        ...night(`/srv/${hostile}`),
        { ...examples.PersonAwaited, at: began + 14_400_000, for: hostile },
        { ...examples.RecoveryFailedClosed, at: began + 14_400_000, message: `'"><img src=x onerror=alert(1)>` }
      ])
      const { cookie, list } = yield* enter(yield* serve)
      for (const path of [
        "",
        "watches/opera-0001",
        "watches/opera-0001?at=14",
        `watches/${encodeURIComponent(hostile)}`
      ]) {
        const { text } = yield* ask(`${list}${path}`, { headers: { cookie } })
        assert.include(text, "&lt;script&gt;")
        assert.notMatch(text, /<script>|<img|alert\("/u)
      }
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
