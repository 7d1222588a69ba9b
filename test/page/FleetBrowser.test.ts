import { assert, describe } from "@effect/vitest"
import type { ToldWord } from "@souffleur/fleet"
import { Effect } from "effect"
import { examples } from "../../packages/domain/test/fixtures/events/Examples.ts"
import { copied, hostNamed, jobNamed, type Known, makeFleet, token } from "../../packages/page/test/FleetPageStage.ts"
import { began, night } from "../../packages/page/test/PageStage.ts"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"

const evil = `"><img src=x onerror=alert(1)>`

/** A fleet with a job that needs a person, a silent host, and a job with markup for a name. */
const furnished = () => ({
  hosts: [hostNamed("build1"), hostNamed("build2", { lastSeenAgo: 300_000 })],
  jobs: [
    jobNamed("opera-0001", {
      state: "needs you",
      need: { why: "it died three times without progress", next: "souffleur retry opera-0001" }
    }),
    jobNamed("ballet-0002", { host: "build2", lastSeenAgo: 300_000 }),
    jobNamed(evil, { project: evil, standing: evil })
  ],
  revoked: false
})

/** The events of a watch whose recovery failed. */
const failed = [...night("/srv/opera"), { ...examples.RecoveryFailedClosed, at: began + 200 * 60_000, message: evil }]

/** A fleet with that watch, and the words that were said to it. */
const stuck = (change: Partial<Known> = {}) => ({
  ...furnished(),
  events: { "opera-0001": copied("opera-0001", failed) },
  words: new Array<ToldWord>(),
  said: [],
  ...change
})

/** A word of an operator of that page, a minute before its end. */
const spoken: ToldWord = {
  word: "retry",
  seen: 14,
  person: "anna",
  said: began,
  outcome: "waiting",
  reason: null,
  note: null,
  left: 60_000
}

describe("fleet#page", () => {
  inBrowser("a person enters a fleet with a token, the list follows it, and the words of a host stay text", () =>
    Effect.gen(function* () {
      const known = furnished()
      const { origin } = yield* makeFleet(known)
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(origin)
        await page.getByLabel("The token that souffleur hub printed for you").fill("0".repeat(64))
        await page.getByRole("button", { name: "Enter" }).click()
        await page.getByRole("alert").waitFor()
        await page.getByLabel("The token that souffleur hub printed for you").fill(token)
        await page.getByRole("button", { name: "Enter" }).click()
        await page.getByText("Live", { exact: true }).waitFor()
        assert.strictEqual(await page.locator(".job").first().getAttribute("data-state"), "needs you")
        await page.getByText(evil).first().waitFor()
        assert.strictEqual(await page.locator("img").count(), 0)
        known.jobs = [jobNamed("opera-0001"), ...known.jobs.slice(1)]
        await page.locator(".job[data-state=working]", { hasText: "opera-0001" }).waitFor()
        known.revoked = true
        await page.getByText("Not connected: reload").waitFor()
        await page.reload()
        await page.getByRole("heading", { name: "This browser is not let in yet" }).waitFor()
      })
      assert.deepStrictEqual(
        complaints.filter((one) => !one.includes("401")),
        []
      )
    }).pipe(Effect.scoped)
  )
  inBrowser("a link with a token enters, and the token reaches no address of a server", () =>
    Effect.gen(function* () {
      const { origin } = yield* makeFleet(furnished())
      const { open, page } = yield* tab()
      const asked: Array<string> = []
      page.on("request", (one) => asked.push(one.url()))
      yield* Effect.promise(async () => {
        await page.goto(`${origin}/#${token}`)
        await page.getByRole("heading", { name: "Fleet" }).waitFor()
        assert.notInclude(`${asked.join(" ")} ${page.url()}`, token)
        // The address alone leads a browser on that was let in.
        const again = await open()
        await again.goto(origin)
        await again.getByRole("heading", { name: "Fleet" }).waitFor()
      })
    }).pipe(Effect.scoped)
  )
  inBrowser("the page of a fleet and its door hinder no reader, and fit a telephone and a screen", () =>
    Effect.gen(function* () {
      const { origin } = yield* makeFleet(furnished())
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        for (const view of ["door", "fleet"]) {
          await page.goto(view === "door" ? origin : `${origin}/#${token}`)
          if (view === "fleet") await page.getByRole("heading", { name: "Fleet" }).waitFor()
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme })
            assert.deepStrictEqual(await hindrances(page), [], `${view}, ${colorScheme}`)
          }
          for (const [name, size] of Object.entries({ narrow, wide })) {
            await page.setViewportSize(size)
            await shoot(page, `${view === "door" ? "fleet-door" : "fleet"}-${name}`)
            assert.strictEqual(await overflow(page), 0, `${view}, ${name}`)
          }
        }
      })
    }).pipe(Effect.scoped)
  )
  inBrowser("what a person has opened on the page of a watch stays as it was opened while the page moves", () =>
    Effect.gen(function* () {
      const known = stuck()
      const { origin } = yield* makeFleet(known)
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(`${origin}/#${token}`)
        await page.getByRole("link", { name: "opera-0001" }).click()
        await page.getByText("Live", { exact: true }).waitFor()
        await page.getByText("Release it…").click()
        known.events = { "opera-0001": copied("opera-0001", [...failed, { ...examples.PersonAwaited, at: began }]) }
        await page.locator('#acts input[name="seen"][value="15"]').first().waitFor({ state: "attached" })
        assert.isTrue(await page.getByRole("button", { name: "Release it" }).isVisible())
        const seen = (form: string) => page.locator(`#${form} input[name="seen"]`).getAttribute("value")
        assert.deepStrictEqual([await seen("say-release"), await seen("say-done")], ["14", "15"])
      })
    }).pipe(Effect.scoped)
  )
  inBrowser("a form of another page says no word, and a viewer has no button", () =>
    Effect.gen(function* () {
      const known = stuck()
      const { origin } = yield* makeFleet(known)
      const { page } = yield* tab()
      const foreign = createServer((_, answer) => {
        answer.setHeader("content-type", "text/html")
        answer.end(
          `<form method="post" action="${watch.address}/release"><input name="secret" value="${watch.secret}"><input name="seen" value="14"><button>win</button></form>`
        )
      })
      const watch = yield* Effect.promise(async () => {
        await page.goto(`${origin}/#${token}`)
        await page.getByRole("link", { name: "opera-0001" }).click()
        await page.getByRole("button", { name: "Try again" }).waitFor()
        const secret = await page.locator("input[name=secret]").first().getAttribute("value")
        return { address: page.url(), secret: secret ?? "" }
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          foreign.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => (foreign.closeAllConnections(), foreign.close()))
      )
      yield* Effect.promise(async () => {
        await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`)
        const [answer] = await Promise.all([
          page.waitForResponse(`${watch.address}/release`),
          page.getByText("win").click()
        ])
        assert.strictEqual(answer.status(), 403)
        Object.assign(known, { role: "viewer" })
        await page.goto(watch.address)
        await page.getByRole("heading", { name: "What happened" }).waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Try again" }).count(), 0)
      })
      assert.deepStrictEqual(known.said, [])
    }).pipe(Effect.scoped)
  )
  inBrowser("the page of a watch of a fleet hinders no reader, and fits a telephone and a screen", () =>
    Effect.gen(function* () {
      const { origin } = yield* makeFleet(
        stuck({ words: [spoken, { ...spoken, word: "hold", outcome: "refused", reason: evil, note: null }] })
      )
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(`${origin}/#${token}`)
        await page.getByRole("link", { name: "opera-0001" }).click()
        await page.getByRole("heading", { name: "Words from this hub" }).waitFor()
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepStrictEqual(await hindrances(page), [], colorScheme)
        }
        for (const [name, size] of Object.entries({ narrow, wide })) {
          await page.setViewportSize(size)
          await shoot(page, `fleet-watch-${name}`)
          assert.strictEqual(await overflow(page), 0, name)
        }
      })
    }).pipe(Effect.scoped)
  )
})

for (const javaScriptEnabled of [true, false])
  inBrowser(`a person says a word on the page of a watch ${javaScriptEnabled ? "with" : "without"} JavaScript`, () =>
    Effect.gen(function* () {
      const known = stuck()
      const { origin } = yield* makeFleet(known, {
        say: (_, { name }, word) =>
          Effect.sync(() => {
            known.words = [{ ...spoken, word: word.word, seen: word.seen, person: name }]
            return spoken
          })
      })
      const { complaints, page } = yield* tab({ javaScriptEnabled })
      yield* Effect.promise(async () => {
        await page.goto(origin)
        await page.getByLabel("The token that souffleur hub printed for you").fill(token)
        await page.getByRole("button", { name: "Enter" }).click()
        await page.getByRole("link", { name: "opera-0001" }).click()
        await page.getByRole("heading", { name: "opera-0001" }).waitFor()
        await page.getByText(evil).first().waitFor()
        assert.strictEqual(await page.locator("img, main script").count(), 0)
        await page.getByText("Release it…").click()
        await page.getByText("nothing is recovered any more").waitFor()
        await page.getByRole("button", { name: "Try again" }).click()
        const told = page.locator("#words")
        await told.getByText("build1 has not answered yet").waitFor()
        assert.include(await told.innerText(), "retry by anna, for revision 14")
        known.words = [{ ...known.words[0]!, outcome: "refused", reason: "the watch is at revision 15", note: null }]
        if (!javaScriptEnabled) await page.reload()
        await told.getByText("refused: the watch is at revision 15").waitFor()
      })
      assert.deepStrictEqual(
        complaints.filter((one) => !one.includes("401")),
        []
      )
    }).pipe(Effect.scoped)
  )
