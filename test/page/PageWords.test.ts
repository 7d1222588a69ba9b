import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { examples } from "../../packages/domain/test/fixtures/events/Examples.ts"
import { began, layerStage, makeStage, night } from "../../packages/page/test/PageStage.ts"
import { stuckRun, unfinishedRun } from "../../packages/page/test/RunStage.ts"
import { inBrowser, rebound, tab } from "./Chromium.ts"

/** Minutes after the night of a watch. */
const later = (minutes: number) => began + (200 + minutes) * 60_000

describe("command-line#page", () => {
  inBrowser("each button of a watch says its word, and the page shows what followed", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      const closed = [...night(project), { ...examples.RecoveryFailedClosed, at: later(0) }]
      for (const id of ["opera-retry", "opera-done", "opera-release"]) yield* tell(id, closed)
      const link = yield* serve
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        const see = async (id: string) => {
          await page.goto(link)
          await page.getByRole("link", { name: id }).click()
        }
        await see("opera-retry")
        await page.getByRole("button", { name: "Try again" }).click()
        await page.locator("#events").getByText("An operator ends the standby").waitFor()
        await see("opera-done")
        await page.getByText("Mark it as done…").click()
        await page.getByRole("button", { name: "Mark it as done" }).click()
        await page.locator("#state[data-state=ended]").getByText("completed").waitFor()
        await see("opera-release")
        await page.getByText("Release it…").click()
        await page.getByRole("button", { name: "Release it" }).click()
        await page.locator("#events").getByText("An operator released the watch").waitFor()
        assert.strictEqual(await page.locator("form[method=post]").count(), 0)
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("each answer of a person reaches its run", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      for (const id of ["auth-answer", "auth-retry", "auth-skip"]) yield* tellRun(id, stuckRun(project))
      for (const id of ["done-retry", "done-skip"]) yield* tellRun(id, unfinishedRun(project))
      const link = yield* serve
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        const say = async (id: string, button: string) => {
          await page.goto(link)
          await page.getByRole("link", { name: id }).click()
          if (button === "Answer") await page.getByLabel("What to do").fill("use the small one")
          await page.getByRole("button", { name: button, exact: true }).click()
          await page.locator("form.answer").waitFor({ state: "detached" })
          return page.locator("#events > li").first().innerText()
        }
        assert.match(await say("auth-answer", "Answer"), /answered/u)
        assert.match(await say("auth-retry", "Try again"), /answered|again/u)
        assert.match(await say("auth-skip", "Skip it"), /skip/u)
        assert.match(await say("done-retry", "Try again"), /once more/u)
        assert.match(await say("done-skip", "Skip it"), /left as it is/u)
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("a browser without the token, by another name of this host, or from another page gets nothing", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      const link = yield* serve
      const { port } = new URL(link)
      const { page } = yield* tab()
      const watch = yield* Effect.promise(async () => {
        assert.strictEqual((await page.goto(`http://127.0.0.1:${port}/`))?.status(), 401)
        await page.goto(link)
        const list = page.url()
        const other = new URL(link)
        other.hostname = rebound
        assert.strictEqual((await page.goto(other.href))?.status(), 421)
        return `${list}watches/opera-0001`
      })
      // A page of another port is of the same site, so that the browser sends the cookie with its form.
      const secret = yield* Effect.promise(async () => {
        await page.goto(watch)
        return (await page.locator("input[name=secret]").first().getAttribute("value")) ?? ""
      })
      const foreign = createServer((_, answer) => {
        answer.setHeader("content-type", "text/html")
        answer.end(
          `<form method="post" action="${watch}/release"><input name="secret" value="${secret}"><button>win</button></form>`
        )
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          foreign.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => (foreign.closeAllConnections(), foreign.close()))
      )
      yield* Effect.promise(async () => {
        await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`)
        const [answer] = await Promise.all([page.waitForResponse(`${watch}/release`), page.getByText("win").click()])
        assert.strictEqual(answer.status(), 403)
        await page.goto(watch)
        assert.strictEqual(await page.getByText("An operator released the watch").count(), 0)
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("hostile words of a folder, an event and an answer stay text in a browser", () =>
    Effect.gen(function* () {
      const { serve, tell, tellRun } = yield* makeStage()
      const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>'"><svg onload=alert(3)>`
      yield* tell("opera-0001", [
        ...night(`/srv/${hostile}`),
        { ...examples.PersonAwaited, at: later(0), for: hostile },
        { ...examples.RecoveryFailedClosed, at: later(1), message: hostile }
      ])
      yield* tellRun("auth-0001", stuckRun(`/srv/${hostile}`, hostile))
      const link = yield* serve
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const path of [
          `?q=${encodeURIComponent(hostile)}`,
          "",
          "watches/opera-0001?at=14",
          "runs/auth-0001",
          "report?since=9999d"
        ]) {
          await page.goto(`${list}${path}`)
          assert.isAbove(await page.getByText("<img src=x onerror=").count(), 0, path)
          assert.strictEqual(await page.locator("img, main script, [onload], [onerror]").count(), 0, path)
        }
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
