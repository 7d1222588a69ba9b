import { assert, it } from "@effect/vitest"
import { pageLinkOf } from "@souffleur/process"
import { Effect, FileSystem } from "effect"
import { ask, enter, layerStage, makeStage, night } from "./PageStage.ts"

it.live("the link is traded for a cookie of this page alone, and the token leaves the address", () =>
  Effect.gen(function* () {
    const { serve } = yield* makeStage()
    const link = yield* serve
    const { cookie, headers, list } = yield* enter(link)
    const token = new URL(link).searchParams.get("token")!
    assert.match(headers["set-cookie"]![0]!, /; Path=\/[0-9a-f]{20}\/; HttpOnly; SameSite=Strict$/u)
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
it.live("the link of a notice has no secret but the path, and shows its watch to who has the cookie", () =>
  Effect.gen(function* () {
    const { project, serve, stateDir, tell } = yield* makeStage()
    const pageUrl = "https://night.example"
    const subject = { watch: "opera-0001", project }
    assert.isNull(yield* pageLinkOf({ pageUrl, stateDir }, subject))
    yield* tell("opera-0001", night(project))
    const { cookie, list } = yield* enter(yield* serve)
    const { pathname } = new URL(list)
    const link = yield* pageLinkOf({ pageUrl, stateDir }, subject)
    assert.strictEqual(link, `${pageUrl}${pathname}watches/opera-0001`)
    assert.strictEqual(
      yield* pageLinkOf({ pageUrl, stateDir }, { run: "a/b", project }),
      `${pageUrl}${pathname}runs/a%2Fb`
    )
    const { pathname: path } = new URL(link ?? "")
    const asked = (headers: Readonly<Record<string, string>>) => ask(new URL(path, list).href, { headers })
    assert.strictEqual((yield* asked({ host: "night.example" })).status, 401)
    const { status, text } = yield* asked({ cookie, host: "night.example" })
    assert.deepStrictEqual([status, text.includes("opera-0001")], [200, true])
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
