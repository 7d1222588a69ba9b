import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { prints, type Running, type stage, stage as makeStage, task, until } from "../cli/CliStage.ts"
import { decisionOf, inBrowser, tab } from "./Chromium.ts"

type Stage = Effect.Success<ReturnType<typeof stage>>

/** Starts the page, on a port where one is named, and waits for its link. */
const served = Effect.fnUntraced(function* (the: Stage, port = "0") {
  const server = the.start(["page", "--port", port, "--json"])
  const line = yield* until(
    Effect.sync(() => server.lines[0]),
    (one) => one !== undefined
  )
  const { url } = JSON.parse(line!) as { readonly url: string }
  return { server, url }
})

/** A watch of a Conductor that is in its second task, and hangs there. */
const watched = Effect.fnUntraced(function* () {
  const the = yield* makeStage([task(1, 50), task(2)])
  const conductor = yield* the.conductor(2)
  const watch: Running = the.watch(conductor)
  const { watch: id } = yield* prints(watch, "WatchSettled")
  return { conductor, id, the, watch }
})

describe("command-line#page", () => {
  inBrowser("a death and its recovery appear in an open page, which is not loaded again", () =>
    Effect.gen(function* () {
      const { conductor, id, the, watch } = yield* watched()
      const { server, url } = yield* served(the)
      const { complaints, open, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(url)
        assert.strictEqual(new URL(page.url()).search, "", "the token has left the bar of addresses")
        await page.getByRole("link", { name: id }).click()
        await page.getByText("Live", { exact: true }).waitFor()
        await page.evaluate("window.loadedOnce = true")
        assert.strictEqual(await page.locator(".death").count(), 0)
      })
      const list = yield* Effect.promise(open)
      yield* Effect.promise(async () => {
        await list.goto(url)
        await list.locator(".job[data-state=working]").waitFor()
      })
      conductor.kill("SIGKILL")
      yield* Effect.promise(async () => {
        const happened = page.locator("#events")
        await decisionOf(page).waitFor()
        await happened.getByText("souffleur launched a successor (S2, pid").waitFor()
        await page.getByText("Ended", { exact: true }).waitFor()
        await page.locator("#state[data-state=ended]").waitFor()
        assert.strictEqual(await page.locator("#history .death").count(), 1)
        assert.strictEqual(await page.locator("#history .mend").count(), 1)
        assert.strictEqual(await page.locator("#history .life").count(), 2)
        assert.strictEqual(await page.evaluate("window.loadedOnce"), true)
        await decisionOf(page).locator("summary").click()
        await decisionOf(page).getByText("Evidence", { exact: true }).waitFor()
        await list.locator(".job[data-state=ended]").waitFor()
      })
      assert.strictEqual((yield* watch.ended).code, 0)
      assert.deepStrictEqual(complaints, [])
      server.kill("SIGTERM")
      yield* server.ended
    }).pipe(Effect.scoped)
  )
  inBrowser("an open page goes on after its server was restarted, and misses and doubles no event", () =>
    Effect.gen(function* () {
      const { conductor, id, the, watch } = yield* watched()
      const first = yield* served(the)
      const { open, page } = yield* tab()
      const list = yield* Effect.promise(open)
      yield* Effect.promise(async () => {
        await list.goto(first.url)
        await list.getByText("Live", { exact: true }).waitFor()
        await page.goto(new URL(`watches/${id}?events=all`, list.url()).href)
        await page.getByText("Live", { exact: true }).waitFor()
      })
      first.server.kill("SIGTERM")
      yield* first.server.ended
      yield* Effect.promise(() => page.getByText("Away, trying again").waitFor())
      conductor.kill("SIGKILL")
      yield* watch.ended
      const second = yield* served(the, new URL(first.url).port)
      yield* Effect.promise(async () => {
        await page.getByText("Ended", { exact: true }).waitFor()
        await list.getByText("Live", { exact: true }).waitFor()
        await list.locator(".job[data-state=ended]").waitFor()
      })
      const rows = yield* Effect.promise(() =>
        page.locator("#events > li").evaluateAll((all) => all.map(({ id }) => Number(id.slice(1))))
      )
      const revisions = (yield* the.events).map(({ revision }) => revision)
      assert.deepStrictEqual(rows, revisions.toReversed())
      second.server.kill("SIGTERM")
      yield* second.server.ended
    }).pipe(Effect.scoped)
  )
})
