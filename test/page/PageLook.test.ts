import { assert, describe } from "@effect/vitest"
import type { WatchEvent } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { utc } from "../../packages/domain/src/Time.ts"
import { examples } from "../../packages/domain/test/fixtures/events/Examples.ts"
import { reportFile } from "@souffleur/page"
import { began, layerStage, makeStage, night } from "../../packages/page/test/PageStage.ts"
import { stuckRun, unfinishedRun } from "../../packages/page/test/RunStage.ts"
import { decisionOf, hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"

/** A page with a watch that needs a person, an ended one, and two runs. */
const furnished = Effect.gen(function* () {
  const { project, serve, tell, tellRun } = yield* makeStage()
  const events = night(project)
  yield* tell("opera-0001", events)
  yield* tell("ballet-0002", [
    ...night("/srv/ballet"),
    { _tag: "ConductorCompleted", at: 1_772_430_000_000, by: "turn" }
  ])
  yield* tellRun("auth-0001", stuckRun(project))
  yield* tellRun("auth-0002", unfinishedRun(project))
  return yield* serve
})

/** Every view of the page, under the address of the list. */
const views = {
  list: "",
  nothing: "?q=nothing",
  watch: "watches/opera-0001",
  past: "watches/opera-0001?at=8",
  run: "runs/auth-0001",
  report: "report?since=9999d",
  missing: "watches/none"
}

describe("command-line#page", () => {
  inBrowser("no view hinders a reader, light or dark", () =>
    Effect.gen(function* () {
      const link = yield* furnished
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme })
          for (const [view, path] of Object.entries(views)) {
            await page.goto(`${list}${path}`)
            for (const one of await page.locator("details").all())
              await one.evaluate((it) => it.setAttribute("open", ""))
            assert.deepStrictEqual(await hindrances(page), [], `${view}, ${colorScheme}`)
          }
        }
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("each view fits a telephone and a screen", () =>
    Effect.gen(function* () {
      const link = yield* furnished
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const [name, size] of Object.entries({ narrow, wide })) {
          await page.setViewportSize(size)
          for (const [view, path] of Object.entries(views)) {
            await page.goto(`${list}${path}`)
            await shoot(page, `${view}-${name}`)
            assert.strictEqual(await overflow(page), 0, `${view}, ${name}`)
          }
        }
      })
      assert.deepStrictEqual(
        complaints.filter((one) => !one.includes("404")),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("without JavaScript every view, the slider, the search and a button work", () =>
    Effect.gen(function* () {
      const link = yield* furnished
      const { page } = yield* tab({ javaScriptEnabled: false, viewport: wide })
      yield* Effect.promise(async () => {
        await page.goto(link)
        assert.strictEqual(await page.locator("noscript").innerText(), "Reload to see what is new.")
        await page.getByLabel("Search by name or folder").fill("opera")
        await page.getByRole("button", { name: "Search" }).click()
        assert.strictEqual(await page.getByRole("link", { name: "ballet-0002" }).count(), 0)
        await page.getByRole("link", { name: "opera-0001" }).click()
        await decisionOf(page).locator("summary").click()
        await decisionOf(page).getByText("Evidence", { exact: true }).waitFor()
        await page.getByRole("slider").fill("8")
        await page.getByRole("button", { name: "Show this revision" }).click()
        await page.locator("#then [data-state=recovering]").waitFor()
        await page.getByText("Release it…").click()
        await page.getByRole("button", { name: "Release it" }).click()
        await page.locator("#events").getByText("An operator released the watch").waitFor()
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the slider shows the state at each revision in place, within the part that is drawn", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const many = Array.from({ length: 1600 }, (_, n): WatchEvent => ({
        ...examples.PersonAwaited,
        at: began + 14_400_000 + n * 1000,
        for: "x"
      }))
      yield* tell("opera-0001", [...night(project), ...many])
      const link = yield* serve
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}watches/opera-0001`)
        const address = page.url()
        const slider = page.getByRole("slider")
        await slider.fill("1200")
        await page.locator("#then").getByText("at revision 1200").waitFor()
        await slider.press("ArrowLeft")
        await page.locator("#then").getByText("at revision 1199").waitFor()
        assert.strictEqual(await page.locator("output").innerText(), "1199")
        assert.strictEqual(page.url(), address)
        await page.getByRole("link", { name: "Before these" }).click()
        await page.locator("#then").getByText("at revision 1000").waitFor()
        await page.getByRole("link", { name: "After these" }).click()
        await page.getByRole("link", { name: "Now" }).click()
        await page.locator("#then .standing").waitFor({ state: "detached" })
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the keyboard reaches every control, and opens the evidence of a decision", () =>
    Effect.gen(function* () {
      const link = yield* furnished
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        // The live feed would put new parts in the place of those that are counted.
        await page.route(/\/live(?:\?|$)/u, (feed) => feed.abort())
        await page.goto(link)
        const list = page.url()
        for (const path of ["", "watches/opera-0001", "runs/auth-0001"]) {
          await page.goto(`${list}${path}`)
          const controls = await page
            .locator("a[href], button, summary, select, textarea, input:not([type=hidden])")
            .evaluateAll(
              (all) =>
                all.filter((one) => one.checkVisibility()).map((one, n) => one.setAttribute("data-n", `${n}`)).length
            )
          const reached = new Set<string>()
          for (let n = 0; n < controls; n++) {
            await page.keyboard.press("Tab")
            reached.add((await page.locator(":focus").getAttribute("data-n")) ?? "nothing")
          }
          assert.strictEqual(reached.size, controls, path)
          assert.notInclude([...reached], "nothing", path)
        }
        await page.goto(`${list}watches/opera-0001`)
        await decisionOf(page).locator("summary").focus()
        await page.keyboard.press("Enter")
        await decisionOf(page).getByText("Evidence", { exact: true }).waitFor()
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})

describe("command-line#report", () => {
  inBrowser("a report in a file asks for nothing, hinders no reader, and fits a telephone, a screen and paper", () =>
    Effect.gen(function* () {
      const { context, home, project, tell, tellRun } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      yield* tellRun("auth-0001", stuckRun(project))
      const report = yield* Effect.provideContext(
        Souffleur.use(({ report }) => report({ since: began, until: began + 43_200_000 })),
        context
      )
      const file = `${home}/report.html`
      writeFileSync(file, yield* reportFile(report, utc))
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        const asked: Array<string> = []
        page.on("request", (one) => asked.push(one.url()))
        await page.goto(pathToFileURL(file).href)
        for (const [name, size] of Object.entries({ narrow, wide })) {
          await page.setViewportSize(size)
          await shoot(page, `file-${name}`)
          assert.strictEqual(await overflow(page), 0, name)
        }
        assert.deepStrictEqual(asked, [page.url()])
        assert.deepStrictEqual(await hindrances(page), [])
        await page.emulateMedia({ media: "print" })
        await shoot(page, "file-print")
        assert.strictEqual(await overflow(page), 0)
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
