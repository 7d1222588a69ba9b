import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { hostNamed, jobNamed, makeFleet, token } from "../../packages/page/test/FleetPageStage.ts"
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
