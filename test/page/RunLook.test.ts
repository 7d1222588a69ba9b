import { assert, describe } from "@effect/vitest"
import type { RunEvent } from "@souffleur/plan"
import { runProgram } from "@souffleur/process"
import { Effect, FileSystem, Path } from "effect"
import { agentKind } from "../../packages/cli/src/agent/Kind.ts"
import { began, layerStage, makeStage } from "../../packages/page/test/PageStage.ts"
import { examples } from "../../packages/plan/test/fixtures/events/RunExamples.ts"
import { hindrances, inBrowser, narrow, overflow, shoot, tab, wide } from "./Chromium.ts"
import { keepSessions, sessions } from "./RealSessions.ts"

const agents = Object.keys(sessions) as ReadonlyArray<keyof typeof sessions>
const taskOf = (agent: string) => `task-${agent}`

/** A page with a run, each task of which was done by another agent. The last one is at work. */
const furnished = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { home, project, serve, tellRun } = yield* makeStage({ agent: agentKind })
  yield* keepSessions(home)
  const git = (...args: ReadonlyArray<string>) =>
    runProgram({
      command: "git",
      args: ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args],
      environment: { PATH: "/usr/bin:/bin", HOME: home },
      stdin: "",
      within: "30 seconds",
      atMost: 100_000
    })
  const commit = Effect.fnUntraced(function* (name: string, text: string) {
    yield* fs.writeFileString(path.join(project, name), text)
    yield* git("add", "-A")
    yield* git("commit", "-q", "-m", name)
    return (yield* git("rev-parse", "HEAD")).trim()
  })
  yield* git("init", "-q", "-b", "main")
  let base = yield* commit("plan.yaml", "tasks\n")
  let minute = 0
  const told: Array<RunEvent> = []
  const say = (event: RunEvent) => void told.push({ ...event, at: began + minute++ * 60_000 })
  say({
    ...examples.RunOpened,
    project,
    tasks: [...agents, "later"].map((agent) => ({
      id: taskOf(agent),
      title: `Let ${agent} write its part of the model, and its test`,
      dependsOn: [],
      gateDigest: "9f"
    }))
  })
  say({ ...examples.PlanQuestioned, questions: ["task-claude: how fast is fast?"] })
  for (const agent of agents) {
    const taskId = taskOf(agent)
    const token = `t-${agent}`
    say({ ...examples.TaskStarted, taskId, base })
    say({ ...examples.AgentAsked, token, taskId, agent, sessionId: "" })
    say({ ...examples.AgentSessionFound, token, sessionId: sessions[agent].id })
    if (agent === agents.at(-1)) break
    const head = yield* commit(`${agent}.ts`, `export const by = "${agent}"\n`)
    const work = { commits: [head], files: [`${agent}.ts`], testFile: null }
    say({ ...examples.AgentSpent, token, taskId })
    say({ ...examples.ImplementationCompleted, token, taskId, head, made: [head], ...work })
    const review = { ...examples.AgentAsked, token: `r-${agent}`, role: "reviewer" as const, taskId, agent: "claude" }
    say({ ...review, sessionId: sessions.claude.id })
    if (agent === "claude") {
      const said = `FAIL test/a.test.ts\n${"  at line of a stack that is rather long, to see how it wraps\n".repeat(20)}1 failed`
      say({ ...examples.ReviewRejected, token: `r-${agent}`, taskId })
      say({ ...examples.AgentAsked, token: `u-${agent}`, taskId, agent, attempt: 2, sessionId: sessions.claude.id })
      say({ ...examples.ImplementationCompleted, token: `u-${agent}`, taskId, head, made: [], ...work })
      say({ ...examples.WorkRefused, taskId, head, said })
      say({ ...examples.WorkVerified, taskId, head })
      say({ ...review, token: `v-${agent}`, attempt: 2, sessionId: sessions.claude.id })
      say({ ...examples.ReviewApproved, token: `v-${agent}`, taskId })
    } else say({ ...examples.ReviewApproved, token: `r-${agent}`, taskId, minor: [] })
    if (agent === "codex") say({ ...examples.TaskEscalated, taskId, message: "<b>which model?</b>" })
    else say({ ...examples.TaskCompleted, taskId, ...work })
    base = head
  }
  yield* tellRun("auth-0001", told)
  const more = (text: string) => fs.writeFileString(path.join(home, sessions.qwen.file), text, { flag: "a" })
  const tellMore = (events: ReadonlyArray<RunEvent>) => tellRun("auth-0001", events, told.length)
  return { link: yield* serve, more, tellMore }
})

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
      const { link } = yield* furnished
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
      const { link } = yield* furnished
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
      const { link, more, tellMore } = yield* furnished
      const { complaints, page } = yield* tab()
      yield* Effect.promise(async () => {
        await page.goto(link)
        await page.goto(`${page.url()}runs/auth-0001/agents/t-qwen#end`)
        await page.getByText("Live", { exact: true }).waitFor()
      })
      const record = { uuid: "u9", type: "assistant", timestamp: "2026-11-23T12:00:00Z", message: { role: "model", parts: [{ text: "<b>One more.</b>" }] } }
      yield* more(`${JSON.stringify(record)}\n`)
      yield* Effect.promise(() => page.locator("#said").getByText("<b>One more.</b>").waitFor())
      yield* tellMore([{ ...examples.ImplementationBlocked, token: "t-qwen", taskId: taskOf("qwen"), at: began + 9_000_000 }])
      yield* Effect.promise(() => page.locator("#link[data-state=over]").waitFor())
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("no view of a run hinders a reader, and each fits every window, light or dark", () =>
    Effect.gen(function* () {
      const { link } = yield* furnished
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
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  inBrowser("without JavaScript a run, a conversation and the changes of a task are whole, by the keyboard", () =>
    Effect.gen(function* () {
      const { link } = yield* furnished
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
