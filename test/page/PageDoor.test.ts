import { assert, describe } from "@effect/vitest"
import { pageLinkOf } from "@souffleur/process"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"
import { layerStage, makeStage, night } from "../../packages/page/test/PageStage.ts"
import { hindrances, inBrowser, narrow, overflow, rebound, shoot, tab, wide } from "./Chromium.ts"

/** A mail in a browser: a page of another site with one link. Returns its address. */
const mailWith = Effect.fnUntraced(function* (link: string) {
  const mail = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html")
    answer.end(`<a href="${link}">Look</a>`)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      mail.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => (mail.closeAllConnections(), mail.close()))
  )
  return `http://${rebound}:${(mail.address() as AddressInfo).port}/`
})

describe("command-line#page", () => {
  inBrowser("the link of a notice leads to its watch, from a mail and from the bar of addresses", () =>
    Effect.gen(function* () {
      const { project, serve, stateDir, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const link = yield* serve
      const notice = (yield* pageLinkOf({ pageUrl: new URL(link).origin, stateDir }, { watch: "opera-0001" })) ?? ""
      const mail = yield* mailWith(notice)
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        for (const way of ["mail", "bar"]) {
          if (way === "bar") await page.goto(notice)
          else {
            await page.goto(mail)
            await page.getByText("Look").click()
          }
          await page.getByRole("heading", { name: "opera-0001" }).waitFor()
          assert.match(page.url(), /\/[0-9a-f]{20}\/watches\/opera-0001$/u, way)
        }
        await page.goto(new URL(link).origin)
        await page.getByRole("heading", { name: "Watches and runs" }).waitFor()
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("a link from a page of others, or from a file, brings the cookie, without JavaScript too", () =>
    Effect.gen(function* () {
      const { home, project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const link = yield* serve
      // As `souffleur page --open` writes it.
      const file = `${home}/page.html`
      writeFileSync(file, `<meta http-equiv="refresh" content="0; url=${link}">`)
      for (const javaScriptEnabled of [true, false]) {
        const { page } = yield* tab({ javaScriptEnabled, viewport: wide })
        const watch = yield* Effect.promise(async () => {
          await page.goto(pathToFileURL(file).href)
          await page.getByRole("link", { name: "opera-0001" }).click()
          await page.getByRole("heading", { name: "opera-0001" }).waitFor()
          return page.url()
        })
        const mail = yield* mailWith(watch)
        yield* Effect.promise(async () => {
          await page.goto(mail)
          await page.getByText("Look").click()
          await page.getByRole("heading", { name: "opera-0001" }).waitFor()
          assert.strictEqual(page.url(), watch)
        })
      }
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("a browser that is not let in is told how to come in, and asks for no more", () =>
    Effect.gen(function* () {
      const { serve } = yield* makeStage()
      const { origin } = new URL(yield* serve)
      const mail = yield* mailWith(`${origin}/watches/opera-0001`)
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        const asked: Array<string> = []
        page.on("request", (one) => asked.push(new URL(one.url()).pathname))
        await page.goto(mail)
        await page.getByText("Look").click()
        await page.getByText("souffleur page --open").waitFor()
        await page.waitForLoadState("networkidle")
        assert.lengthOf(
          asked.filter((path) => path === "/watches/opera-0001"),
          1
        )
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepStrictEqual(await hindrances(page), [])
        }
        for (const [name, size] of Object.entries({ narrow, wide })) {
          await page.setViewportSize(size)
          await shoot(page, `door-${name}`)
          assert.strictEqual(await overflow(page), 0, name)
        }
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
