import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { layerStage } from "../../packages/page/test/PageStage.ts"
import { hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"
import { sessions } from "./RealSessions.ts"
import { answered, furnishedWatches } from "./WorkStory.ts"

const began = Date.parse("2026-03-01T22:00:00Z")

/** A watch whose agent keeps a list, and has answered for two hours. */
const busy = Effect.gen(function* () {
  const found = yield* furnishedWatches
  for (let n = 0; n < 40; n++) yield* found.more(answered(n, began + n * 180_000, 20_000 + n * 4_000))
  const list = (state: string) => ({
    name: "TodoWrite",
    input: {
      todos: [
        { content: "Read the plan", status: "completed" },
        { content: "Build <b>it</b>", status: state },
        { content: `A long one ${"and longer ".repeat(20)}`, status: "pending" }
      ]
    }
  })
  yield* found.more(answered(50, began + 7_300_000, 182_000, list("in_progress")))
  return { ...found, list }
})

describe("command-line#page", () => {
  inBrowser("the list that an agent keeps of its work is shown, and follows it", () =>
    Effect.gen(function* () {
      const { link, list, more } = yield* busy
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}watches/claude-0001`)
        const todos = page.locator("#todos")
        assert.include(await todos.innerText(), "1 of 3 done")
        assert.match(await todos.locator("li").nth(1).innerText(), /doing\s+Build <b>it<\/b>/u)
        await page.getByText("Live", { exact: true }).waitFor()
      })
      yield* more(answered(51, began + 7_400_000, 183_000, list("completed")))
      yield* Effect.promise(() => page.locator("#todos").getByText("2 of 3 done").waitFor())
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("context and use over time are drawn from the records of each agent, and told to a screen reader", () =>
    Effect.gen(function* () {
      const { link } = yield* busy
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const all = page.url()
        for (const agent of Object.keys(sessions)) {
          await page.goto(`${all}watches/${agent}-0001`)
          const drawn = page.locator("#use").getByRole("img", { name: "Context in use and tokens used, over time" })
          await drawn.waitFor()
          assert.match((await drawn.locator("desc").textContent()) ?? "", /\d answers used [\d,]+ tokens/u, agent)
          // No record of this one tells its context, and no line says that it was none.
          assert.strictEqual((await drawn.locator("path").count()) === 0, agent === "opencode", agent)
        }
        await page.goto(`${all}watches/claude-0001`)
        const paths = await page.locator("#use path").count()
        assert.isAbove(paths, 1, "what lies between a death and the next answer is a gap")
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the slider shows each revision at once, and asks for all of them once", () =>
    Effect.gen(function* () {
      const { link } = yield* busy
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.route(/\/live(?:\?|$)/u, (feed) => feed.abort())
        const asked: Array<string> = []
        await page.goto(link)
        await page.goto(`${page.url()}watches/claude-0001`)
        page.on("request", (one) => asked.push(new URL(one.url()).pathname.split("/").at(-1)!))
        const slider = page.getByRole("slider")
        const states = page.waitForResponse(/\/states/u)
        await slider.focus()
        await (await states).finished()
        await page.waitForTimeout(200)
        const places = new Set<string | null>()
        const revision = () => page.locator("#then-state").innerText()
        for (let at = 12; at > 7; at--) {
          await page.keyboard.press("ArrowLeft")
          assert.include(await revision(), `at revision ${at}`)
          assert.match((await slider.getAttribute("aria-valuetext")) ?? "", new RegExp(`, revision ${at}, `, "u"))
          places.add(await page.locator("#then .cursor").getAttribute("x1"))
        }
        assert.include(await revision(), "recovering")
        assert.isAtLeast(places.size, 3)
        await page.keyboard.press("Home")
        assert.include(await revision(), "at revision 1,")
        assert.deepStrictEqual(
          asked.filter((one) => one === "states" || one === "then"),
          ["states"]
        )
        assert.deepStrictEqual(await hindrances(page), [])
      })
      assert.deepStrictEqual(
        complaints.filter((one) => !one.includes("ERR_FAILED")),
        []
      )
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("open changes are compared again while somebody looks, and what is open stays so", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { link, project } = yield* furnishedWatches
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}watches/claude-0001/changes`)
        await page.getByText("Live", { exact: true }).waitFor()
        await page.locator(".files li", { hasText: "reminder.ts" }).first().locator("summary").click()
      })
      yield* fs.writeFileString(`${project}/a-fresh.ts`, "export const fresh = 1\n")
      yield* fs.writeFileString(`${project}/reminder.ts`, "export const remind = 1\n")
      yield* Effect.promise(async () => {
        await page.locator(".files li", { hasText: "a-fresh.ts" }).waitFor()
        await page.getByText("+export const remind = 1").waitFor()
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("a time says how long ago it was, and its exact moment on hover; buttons have one height", () =>
    Effect.gen(function* () {
      const { link } = yield* busy
      const { page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const list = page.url()
        for (const path of [
          "",
          "watches/claude-0001?events=all",
          "watches/claude-0001/conversation",
          "report?since=999d"
        ]) {
          await page.goto(`${list}${path}`)
          const times = await page
            .locator("time")
            .evaluateAll((all) => all.map((one) => one.getAttribute("title") ?? ""))
          assert.isNotEmpty(times, path)
          for (const title of times) assert.match(title, /^\d{4}-\d\d-\d\d \d\d:\d\d/u, path)
        }
        await page.goto(`${list}watches/claude-0001`)
        const heights = await page
          .locator("#acts > form > button, #acts > details")
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
        assert.lengthOf(heights, 4)
        assert.deepStrictEqual(new Set(heights), new Set([40]))
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("a watch with its list and its chart fits each window, light or dark, and hinders no reader", () =>
    Effect.gen(function* () {
      const { link } = yield* busy
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}watches/claude-0001`)
        for (const colorScheme of ["light", "dark"] as const)
          for (const [name, size] of Object.entries({ narrow, wide, vast: { width: 2560, height: 1440 } })) {
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize(size)
            await shoot(page, `watch-${name}-${colorScheme}`)
            assert.strictEqual(await overflow(page), 0, name)
            if (name === "wide") assert.deepStrictEqual(await hindrances(page), [], colorScheme)
          }
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
