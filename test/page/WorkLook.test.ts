import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { layerStage } from "../../packages/page/test/PageStage.ts"
import { hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"
import { sessions } from "./RealSessions.ts"
import { furnishedWatches } from "./WorkStory.ts"

const views = {
  list: "",
  sorted: "?state=needs+you&sort=-when",
  overview: "watches/claude-0001",
  conversation: "watches/claude-0001/conversation",
  codex: "watches/codex-0001/conversation",
  changes: "watches/claude-0001/changes"
}

const spoken = (text: string) =>
  `${JSON.stringify({ type: "assistant", timestamp: "2026-11-21T04:00:00.000Z", message: { content: [{ type: "text", text }] } })}\n`

describe("command-line#page", () => {
  inBrowser("what each agent says and does is shown, from the session that its program wrote", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedWatches
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const [agent, { says }] of Object.entries(sessions)) {
          await page.goto(`${list}watches/${agent}-0001`)
          await page.getByRole("link", { name: "Conversation" }).click()
          const said = page.locator("#said")
          await said.waitFor()
          for (const words of says) assert.include(await said.innerText(), words, agent)
          for (const who of ["agent", "tool"])
            assert.isAbove(await said.locator(`[data-who=${who}]`).count(), 0, `${agent}: ${who}`)
          const result = said.locator("[data-who=result] details, [data-who=failed] details").first()
          await result.locator("summary").click()
          assert.isTrue(await result.locator("pre").isVisible(), agent)
        }
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the conversation and the changes hinder no reader, and fit each window, light or dark", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedWatches
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const colorScheme of ["light", "dark"] as const)
          for (const [name, size] of Object.entries({ narrow, wide, vast: { width: 2560, height: 1440 } })) {
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize(size)
            for (const [view, path] of Object.entries(views)) {
              await page.goto(`${list}${path}`)
              await shoot(page, `${view}-${name}-${colorScheme}`)
              for (const one of await page.locator("details").all())
                await one.evaluate((it) => it.setAttribute("open", ""))
              await shoot(page, `${view}-open-${name}-${colorScheme}`)
              assert.strictEqual(await overflow(page), 0, `${view}, ${name}`)
              if (name === "wide") assert.deepStrictEqual(await hindrances(page), [], `${view}, ${colorScheme}`)
            }
          }
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("an open conversation grows at its end, and stays there or where a person reads", () =>
    Effect.gen(function* () {
      const { link, more } = yield* furnishedWatches
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}${views.conversation}#end`)
        await page.getByText("Live", { exact: true }).waitFor()
      })
      const rest = "document.documentElement.scrollHeight - window.scrollY - window.innerHeight"
      yield* more(spoken(`One more.\n${"word\n".repeat(60)}`))
      yield* Effect.promise(async () => {
        await page.locator("#said").getByText("One more.").waitFor()
        assert.isBelow(Number(await page.evaluate(rest)), 2)
        await page.evaluate("window.scrollTo(0, 0)")
      })
      yield* more(spoken("And another.") + spoken("<b>no markup</b>"))
      yield* Effect.promise(async () => {
        await page.locator("#said").getByText("<b>no markup</b>").waitFor()
        assert.strictEqual(await page.evaluate("window.scrollY"), 0)
        assert.strictEqual(await page.locator("#said").getByText("And another.").count(), 1)
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the title and the icon of an open list say how many need a person", () =>
    Effect.gen(function* () {
      const { link, tell } = yield* furnishedWatches
      const { complaints, page } = yield* tab()
      const icon = () => page.locator("link[rel=icon]").getAttribute("href")
      yield* Effect.promise(async () => {
        await page.goto(link)
        assert.deepStrictEqual([await page.title(), await icon()], ["(7) souffleur", "/needed.svg"])
        await page.getByText("Live", { exact: true }).waitFor()
      })
      for (const agent of Object.keys(sessions))
        yield* tell(`${agent}-0001`, [{ _tag: "ConductorCompleted", at: 1_772_430_000_000, by: "turn" }], 13)
      yield* Effect.promise(async () => {
        await page.locator('#jobs[data-needs="0"]').waitFor()
        assert.deepStrictEqual([await page.title(), await icon()], ["souffleur", "/page.svg"])
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("without JavaScript the conversation and the changes are whole", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedWatches
      const { page } = yield* tab({ javaScriptEnabled: false, viewport: wide })
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.getByRole("link", { name: "claude-0001" }).click()
        await page.getByRole("link", { name: "Conversation" }).click()
        await page.locator("#said [data-who=agent]").first().waitFor()
        await page.getByRole("link", { name: "Changes" }).click()
        const changed = page.locator(".files li", { hasText: "reminder.ts" }).first()
        await changed.locator("summary").click()
        await changed.getByText("+export const remind = (at: number) => at + 60_000").waitFor()
        await page.locator(".files li", { hasText: "not in git" }).waitFor()
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
