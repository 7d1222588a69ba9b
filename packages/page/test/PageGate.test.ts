import { assert, describe, it } from "@effect/vitest"
import { pageLinkOf, pageNow, pageServedNow, type Subject } from "@souffleur/process"
import { Effect, FileSystem } from "effect"
import { ask, enter, layerStage, makeStage, night } from "./PageStage.ts"

describe("command-line#page", () => {
  it.live("the link is traded for a cookie of this page alone, and the token leaves the address", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const link = yield* serve
      const { cookie, headers, list } = yield* enter(link)
      const token = new URL(link).searchParams.get("token")!
      assert.match(headers["set-cookie"]![0]!, /; Max-Age=2592000; Path=\/[0-9a-f]{20}\/; HttpOnly; SameSite=Strict$/u)
      assert.notInclude(`${list} ${cookie}`, token)
      const { status, text } = yield* ask(list, { headers: { cookie } })
      assert.strictEqual(status, 200)
      assert.notInclude(text, token)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("nothing is answered without the cookie, and no part of the token is enough", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const wrong = [{}, { cookie: "souffleur=" }, { cookie: cookie.slice(0, -1) }, { cookie: `${cookie}0` }]
      for (const headers of wrong)
        for (const path of ["", "live", "page.js", "page.css", "nothing"])
          assert.strictEqual((yield* ask(`${list}${path}`, { headers })).status, 401, path)
      for (const token of ["", "0".repeat(64), new URL(link).searchParams.get("token")!.slice(0, -1)])
        assert.strictEqual((yield* ask(new URL(`/?token=${token}`, link).href)).status, 401)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("another name of this host is refused, with the cookie and with the token", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const { port } = new URL(link)
      for (const host of [`attacker.example:${port}`, "127.0.0.1", `127.0.0.1:1`, `localhost.:${port}`]) {
        assert.strictEqual((yield* ask(list, { headers: { cookie, host } })).status, 421, host)
        assert.strictEqual((yield* ask(link, { headers: { host } })).status, 421, host)
      }
      assert.strictEqual((yield* ask(list, { headers: { cookie, host: `localhost:${port}` } })).status, 200)
      // The stage sets that address.
      assert.strictEqual((yield* ask(list, { headers: { cookie, host: "night.example" } })).status, 200)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("the cookie of an https address goes over https alone", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const link = yield* serve
      const { headers } = yield* ask(link, { headers: { host: "night.example" } })
      assert.match(headers["set-cookie"]![0]!, /; HttpOnly; Secure; SameSite=Strict$/u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a browser stays let in over a restart of the page, and over no gap and on no other port", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { serve, serveAt, stateDir } = yield* makeStage()
      const file = `${stateDir}/page.served`
      const change = (from: RegExp, to: string) =>
        Effect.flatMap(fs.readFileString(file), (text) => {
          assert.match(text, from)
          return fs.writeFileString(file, text.replace(from, to))
        })
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const link = yield* serve
          return { link, ...(yield* enter(link)) }
        })
      )
      const port = Number(new URL(first.link).port)
      const cookie = { headers: { cookie: first.cookie } }
      const asked = (page: typeof serve) =>
        Effect.scoped(
          Effect.gen(function* () {
            const link = yield* page
            assert.strictEqual(new URL(link).search, new URL(first.link).search)
            const { list, ...own } = yield* enter(link)
            const { status } = yield* ask(new URL(new URL(first.list).pathname, link).href, cookie)
            return { status, isSame: new URL(list).pathname === new URL(first.list).pathname, own: own.cookie }
          })
        )
      assert.deepStrictEqual(yield* asked(serveAt(port)), { status: 200, isSame: true, own: first.cookie })
      const other = yield* asked(serve)
      assert.deepStrictEqual([other.status, other.isSame], [401, false])
      assert.notStrictEqual(other.own, first.cookie)
      assert.strictEqual((yield* asked(serveAt(port))).status, 200)
      // A page that was killed has no end.
      for (const end of ["null", "1", "9e15"]) {
        const before = yield* asked(serveAt(port))
        yield* change(new RegExp(`("origin":"http://127.0.0.1:${port}".*?"endedAt":)\\d+`, "u"), `$1${end}`)
        const after = yield* asked(serveAt(port))
        assert.deepStrictEqual([after.status, after.isSame], [401, false], end)
        assert.notStrictEqual(after.own, before.own, end)
      }
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a browser that another page leads here asks once more, and any other is told how to come in", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const { cookie, list } = yield* enter(yield* serve)
      const led = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
      const again = /http-equiv="refresh" content="0"/u
      const first = yield* ask(`${list}report`, { headers: led })
      assert.strictEqual(first.status, 401)
      assert.match(first.text, again)
      for (const headers of [
        {},
        { ...led, "sec-fetch-site": "same-origin" },
        { ...led, "sec-fetch-site": "none" },
        { ...led, "sec-fetch-mode": "cors" }
      ]) {
        const { status, text } = yield* ask(`${list}report`, { headers })
        assert.strictEqual(status, 401)
        assert.notMatch(text, again)
        assert.include(text, "souffleur page --open")
        assert.match(text, /<noscript>\s*<p>[^<]*list[^<]*search/u)
      }
      assert.notMatch((yield* ask(`${list}watches/x/retry`, { method: "POST", headers: led, body: "" })).text, again)
      assert.include((yield* ask(list, { headers: { host: "night.example" } })).text, "from elsewhere")
      assert.strictEqual((yield* ask(`${list}report`, { headers: { ...led, cookie } })).status, 200)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("each answer forbids foreign code, frames, caches and referrers", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const answers = [
        yield* ask(list, { headers: { cookie } }),
        yield* ask(link),
        yield* ask(list),
        yield* ask(`${list}nothing`, { headers: { cookie } })
      ]
      for (const { headers } of answers) {
        assert.match(String(headers["content-security-policy"]), /^default-src 'none'; .*frame-ancestors 'none'/u)
        assert.notMatch(String(headers["content-security-policy"]), /unsafe|\*|https?:/u)
        assert.deepInclude(headers, {
          "cache-control": "no-store",
          "referrer-policy": "same-origin",
          "x-content-type-options": "nosniff"
        })
      }
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("the token is kept for this user alone, and a link outlives a restart", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { serve, stateDir } = yield* makeStage()
      const first = yield* Effect.scoped(serve)
      const second = yield* Effect.scoped(serve)
      const token = (link: string) => new URL(link).searchParams.get("token")
      assert.strictEqual(token(first), token(second))
      const file = `${stateDir}/page.token`
      for (const one of [file, `${stateDir}/metrics.token`])
        assert.strictEqual((yield* fs.stat(one)).mode & 0o777, 0o600)
      yield* fs.chmod(file, 0o644)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(serve)))._tag, "FileRefused")
      yield* fs.chmod(file, 0o600)
      yield* fs.writeFileString(file, "")
      assert.notStrictEqual(token(yield* Effect.scoped(serve)), token(first))
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})

describe("command-line#metrics", () => {
  it.live("the numbers of all watches are for the cookie, or for a collector with its own token", () =>
    Effect.gen(function* () {
      const { project, serve, stateDir, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const token = (yield* FileSystem.FileSystem.use((fs) => fs.readFileString(`${stateDir}/metrics.token`))).trim()
      const persons = new URL(link).searchParams.get("token")!
      const { origin, port } = new URL(link)
      const asked = (headers: Readonly<Record<string, string>>) => ask(`${origin}/metrics`, { headers })
      const wrong = [{}, { cookie }, { authorization: token }, { authorization: `Bearer ${token.slice(1)}` }]
      for (const headers of [
        ...wrong,
        { authorization: `Bearer ${persons}` },
        { authorization: "Bearer" },
        { authorization: `Basic ${token}` }
      ])
        assert.strictEqual((yield* asked(headers)).status, 401, JSON.stringify(headers))
      const rebound = yield* asked({ authorization: `Bearer ${token}`, host: `attacker.example:${port}` })
      assert.strictEqual(rebound.status, 421)
      const { headers, text } = yield* asked({ authorization: `Bearer ${token}` })
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.include(text, 'souffleur_jobs{kind="watch",state="needs you"} 1\n')
      assert.strictEqual((yield* ask(`${list}metrics`, { headers: { cookie } })).text, text)
      assert.strictEqual((yield* ask(`${list}metrics`)).status, 401)
      // The token of a collector is no link, and no cookie.
      assert.strictEqual((yield* ask(`${origin}/?token=${token}`)).status, 401)
      assert.strictEqual((yield* ask(list, { headers: { cookie: `souffleur=${token}` } })).status, 401)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})

describe("behaviour#notices", () => {
  it.live("the link of a notice has no secret, and the page without the cookie tells none", () =>
    Effect.gen(function* () {
      const { project, serve, stateDir, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const { list } = yield* enter(yield* serve)
      const { origin, pathname } = new URL(list)
      const notice = (subject: Subject) => pageLinkOf({ pageUrl: origin, stateDir }, subject)
      const links = [
        yield* notice({ watch: "opera-0001", project }),
        yield* notice({ run: "a/b", project }),
        yield* notice({ project })
      ]
      assert.deepStrictEqual(
        links,
        ["/watches/opera-0001", "/runs/a%2Fb", "/"].map((path) => `${origin}${path}`)
      )
      for (const link of [...links, `${origin}/door.js`, `${origin}/page.js`, `${origin}/page.css`]) {
        const { headers, text } = yield* ask(link ?? "")
        assert.notInclude(`${JSON.stringify(headers)}${text}`, pathname.slice(1, -1), link ?? "")
        assert.notInclude(text, "opera")
      }
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a notice leads to the address that is set, or to a page that runs now", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { serve, stateDir } = yield* makeStage()
      const subject = { watch: "opera-0001" }
      const [unset, set] = [
        { pageUrl: null, stateDir },
        { pageUrl: "https://night.example", stateDir }
      ]
      const leads = Effect.fnUntraced(function* (where: typeof set | typeof unset, origin: string | null) {
        const link = origin === null ? null : `${origin}/watches/opera-0001`
        assert.deepStrictEqual([yield* pageLinkOf(where, subject), yield* pageNow(where)], [link, origin])
      })
      yield* leads(unset, null)
      yield* leads(set, set.pageUrl)
      const first = new URL(yield* serve).origin
      yield* Effect.gen(function* () {
        const second = new URL(yield* serve).origin
        yield* leads(unset, second)
        yield* leads(set, set.pageUrl)
        const ports = yield* Effect.forEach([first, second], (one) =>
          pageServedNow(stateDir, Number(new URL(one).port))
        )
        assert.deepStrictEqual(ports, [first, second])
      }).pipe(Effect.scoped)
      yield* leads(unset, first)
      const file = `${stateDir}/page.served`
      assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
      // Another process has that pid now.
      yield* fs.writeFileString(file, (yield* fs.readFileString(file)).replaceAll('"startTime":', '"startTime":1'))
      yield* leads(unset, null)
      yield* fs.writeFileString(file, "{}")
      yield* leads(unset, null)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
