import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { began, layerStage } from "../../packages/page/test/PageStage.ts"
import { examples } from "../../packages/plan/test/fixtures/events/RunExamples.ts"
import { hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"
import { sessions } from "./RealSessions.ts"
import { furnishedRun, taskOf } from "./RunStory.ts"

const views = {
  run: "runs/auth-0001",
  agent: "runs/auth-0001/agents/t-gemini",
  work: "runs/auth-0001/tasks/task-claude/changes",
  unbegun: "runs/auth-0001/tasks/task-later/changes",
  none: "runs/auth-0001/agents/none"
}

describe("command-line#page", () => {
  inBrowser("a run shows each agent with its time and use, each review with its findings, and the gate's tail", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedRun
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}${views.run}`)
        const task = page.locator("#task-task-claude")
        const shown = await task.innerText()
        for (const words of [
          "completed, verified",
          "Implementer, attempt 1",
          "claude (opus; effort high)",
          "took 3 m 0 s, 12,000 tokens, $0.35",
          "rejected",
          "no test of an empty input",
          "tests are missing",
          "npm test",
          "ended with 1",
          "passed",
          "approved"
        ])
          assert.include(shown, words)
        const tail = task.locator("pre")
        assert.isFalse(await tail.isVisible())
        await task.getByText("The end of what it printed").click()
        assert.include(await tail.innerText(), "FAIL test/a.test.ts\n  at line")
        await task.getByText("1 suggestion and 1 minor finding").click()
        await task.getByText("a long name").first().waitFor()
        assert.include(await page.locator("#task-task-later").innerText(), "not begun")
        const stuck = await page.locator("#task-task-codex").innerText()
        assert.include(stuck, "needs you")
        assert.include(stuck, "<b>which model?</b>")
        assert.include(await page.locator("#task-task-qwen").innerText(), "at work")
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the conversation of each agent of a run is shown, from the session that its program wrote", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedRun
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        const run = `${page.url()}${views.run}`
        for (const [agent, { says }] of Object.entries(sessions)) {
          await page.goto(run)
          await page.locator(`#agent-t-${agent}`).getByRole("link", { name: "Conversation" }).click()
          await page.locator("#said").waitFor()
          const said = await page.locator("#said").innerText()
          for (const words of says) assert.include(said, words, agent)
          await page.getByRole("link", { name: "auth-0001" }).click()
        }
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("the conversation of an agent at work grows, and ends with its work", () =>
    Effect.gen(function* () {
      const { link, more, tellMore } = yield* furnishedRun
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}runs/auth-0001/agents/t-qwen#end`)
        await page.getByText("Live", { exact: true }).waitFor()
      })
      const record = {
        uuid: "u9",
        type: "assistant",
        timestamp: "2026-11-23T12:00:00Z",
        message: { role: "model", parts: [{ text: "<b>One more.</b>" }] }
      }
      yield* more(`${JSON.stringify(record)}\n`)
      yield* Effect.promise(() => page.locator("#said").getByText("<b>One more.</b>").waitFor())
      yield* tellMore([
        { ...examples.ImplementationBlocked, token: "t-qwen", taskId: taskOf("qwen"), at: began + 9_000_000 }
      ])
      yield* Effect.promise(() => page.locator("#link[data-state=over]").waitFor())
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("no view of a run hinders a reader, and each fits every window, light or dark", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedRun
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
              await shoot(page, `run-${view}-${name}-${colorScheme}`)
              for (const one of await page.locator("details").all())
                await one.evaluate((it) => it.setAttribute("open", ""))
              assert.strictEqual(await overflow(page), 0, `${view}, ${name}`)
              if (name === "wide") assert.deepStrictEqual(await hindrances(page), [], `${view}, ${colorScheme}`)
            }
          }
      })
      // The browser tells of each page that the run does not have.
      assert.lengthOf(complaints, 6)
      for (const complaint of complaints) assert.match(complaint, /status of 404 /u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("without JavaScript a run, a conversation and the changes of a task are whole, by the keyboard", () =>
    Effect.gen(function* () {
      const { link } = yield* furnishedRun
      const { page } = yield* tab({ javaScriptEnabled: false, viewport: wide })
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.getByRole("link", { name: "auth-0001" }).click()
        await page.getByRole("link", { name: "Changes of task-claude" }).focus()
        await page.keyboard.press("Enter")
        const changed = page.locator(".files li", { hasText: "claude.ts" })
        await changed.locator("summary").focus()
        await page.keyboard.press("Enter")
        await changed.getByText('+export const by = "claude"').waitFor()
        assert.strictEqual(await page.locator(".files li").count(), 1)
        await page.getByRole("link", { name: "auth-0001" }).click()
        await page.locator("#agent-r-claude").getByRole("link").click()
        await page.locator("#said [data-who=agent]").first().waitFor()
      })
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
