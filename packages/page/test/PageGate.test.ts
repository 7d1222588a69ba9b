import { assert, it } from "@effect/vitest"
import { Processes } from "@souffleur/node"
import { keepPageServed, pageLinkOf, pageNow, type Subject } from "@souffleur/process"
import { Effect, FileSystem, Layer } from "effect"
import { ask, enter, layerStage, makeStage, night } from "./PageStage.ts"

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
it.live("a notice leads to the address that is set, else to where the page was served last", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { stateDir } = yield* makeStage()
    const subject = { watch: "opera-0001" }
    const [unset, set] = [
      { pageUrl: null, stateDir },
      { pageUrl: "https://night.example", stateDir }
    ]
    assert.deepStrictEqual([yield* pageLinkOf(unset, subject), yield* pageNow(unset)], [null, null])
    assert.deepStrictEqual(
      [yield* pageLinkOf(set, subject), yield* pageNow(set)],
      ["https://night.example/watches/opera-0001", "https://night.example"]
    )
    yield* keepPageServed(stateDir, "http://127.0.0.1:8000")
    const local = "http://127.0.0.1:8000/watches/opera-0001"
    assert.deepStrictEqual([yield* pageLinkOf(unset, subject), yield* pageNow(unset)], [local, "http://127.0.0.1:8000"])
    assert.strictEqual(yield* pageNow(set), "https://night.example")
    const file = `${stateDir}/page.served`
    assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
    // Another process has that pid now.
    yield* fs.writeFileString(file, (yield* fs.readFileString(file)).replace(/"startTime":\d/u, '"startTime":9'))
    assert.deepStrictEqual([yield* pageLinkOf(unset, subject), yield* pageNow(unset)], [local, null])
    yield* fs.writeFileString(file, "{}")
    assert.deepStrictEqual([yield* pageLinkOf(unset, subject), yield* pageNow(unset)], [null, null])
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(layerStage, Processes.layer)))
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
    for (const one of [file, `${stateDir}/metrics.token`]) assert.strictEqual((yield* fs.stat(one)).mode & 0o777, 0o600)
    yield* fs.chmod(file, 0o644)
    assert.strictEqual((yield* Effect.flip(Effect.scoped(serve)))._tag, "FileRefused")
    yield* fs.chmod(file, 0o600)
    yield* fs.writeFileString(file, "")
    assert.notStrictEqual(token(yield* Effect.scoped(serve)), token(first))
  }).pipe(Effect.scoped, Effect.provide(layerStage))
)
