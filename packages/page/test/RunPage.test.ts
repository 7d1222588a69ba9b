import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@souffleur/domain"
import { Effect, FileSystem } from "effect"
import { ask, began, enter, layerStage, makeStage, reading } from "./PageStage.ts"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { busyRun, stuckRun, unfinishedRun } from "./RunStage.ts"

describe("command-line#page", () => {
  it.live("a run shows its tasks, with their attempts, feedback and commits, and the evidence", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      yield* tellRun("auth-0001", stuckRun(project))
      const { cookie, list } = yield* enter(yield* serve)
      const { status, text } = yield* ask(`${list}runs/auth-0001`, { headers: { cookie } })
      assert.strictEqual(status, 200)
      for (const words of ["needs you", "Create the model", "Implementer, attempt 1", "rejected", "tests are missing"])
        assert.include(text, words)
      assert.include(text, "<code>3f2a9c1d</code>")
      assert.include(text, "no test of an empty input")
      assert.include(text, "&lt;b&gt;which model?")
      assert.notInclude(text, "<b>which")
      assert.strictEqual((yield* ask(`${list}runs/other`, { headers: { cookie } })).status, 404)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a run tells which agent is at work, for how long, and where its output is", () =>
    Effect.gen(function* () {
      const { project, serve, stateDir, tellRun } = yield* makeStage()
      yield* tellRun("auth-0001", busyRun(project))
      const { cookie, list } = yield* enter(yield* serve)
      const { text } = yield* ask(`${list}runs/auth-0001`, { headers: { cookie } })
      assert.match(text, /<dt>At work<\/dt>\s*<dd>implementer of task-001, attempt 1<\/dd>/u)
      assert.match(text, /<dt>Agent<\/dt>\s*<dd>pid \d+, gone, for /u)
      const [, output] = /<dt>Output of the agent<\/dt>\s*<dd><code title="[^"]+">([^<]+)<\/code>/u.exec(text) ?? []
      assert.isTrue(output?.startsWith(`${stateDir}/launches/run-p-3f2a-a1`), output)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a run tells which tool its agent runs, as long as the agent lives", () =>
    Effect.gen(function* () {
      const { context, home, project, serve, tellRun } = yield* makeStage()
      const fs = yield* FileSystem.FileSystem
      const { self } = yield* Effect.provideContext(Processes, context)
      const run = busyRun(project)
      const found = run.find(({ _tag }) => _tag === "AgentSessionFound")
      if (found?._tag !== "AgentSessionFound") return assert.fail("the agent reported no session")
      const { sessionId } = found
      const sessions = `${home}/.claude/projects/opera`
      yield* fs.makeDirectory(sessions, { recursive: true })
      const timestamp = new Date(began).toISOString()
      const call = { type: "tool_use", id: "t1", name: "<Bash>", input: { command: "make" } }
      const record = { type: "assistant", sessionId, timestamp, message: { role: "assistant", content: [call] } }
      yield* fs.writeFileString(`${sessions}/${sessionId}.jsonl`, `${JSON.stringify(record)}\n`)
      yield* tellRun(
        "auth-0001",
        run.map((event) => (event._tag === "AgentLaunched" ? { ...event, process: self } : event))
      )
      yield* tellRun("auth-0002", run)
      const { cookie, list } = yield* enter(yield* serve)
      const doing = (id: string) =>
        Effect.map(
          ask(`${list}runs/${id}`, { headers: { cookie } }),
          ({ text }) => /<dt>Doing<\/dt>\s*<dd>([^<]+)<\/dd>/u.exec(text)?.[1]
        )
      assert.match((yield* doing("auth-0001")) ?? "", /^runs the tool &lt;Bash&gt;, for \d+ d /u)
      assert.isUndefined(yield* doing("auth-0002"))
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("an answer of a person reaches the run, once and with the secret of the form alone", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      yield* tellRun("auth-0001", stuckRun(project))
      const link = yield* serve
      const { cookie, list } = yield* enter(link)
      const page = `${list}runs/auth-0001`
      const { origin } = new URL(link)
      const shown = yield* ask(page, { headers: { cookie } })
      const [, secret = ""] = /name="secret" value="([0-9a-f]{64})"/u.exec(shown.text) ?? []
      const said = (fields: Readonly<Record<string, string>>) => {
        const body = new URLSearchParams(fields).toString()
        return ask(`${page}/answer`, {
          method: "POST",
          body,
          headers: {
            cookie,
            origin,
            "content-type": "application/x-www-form-urlencoded",
            "content-length": String(body.length)
          }
        })
      }
      const guidance = { task: "task-001", answer: "guidance", text: "use the small one" }
      const wrong = [
        yield* said(guidance),
        yield* said({ ...guidance, secret, answer: "burn" }),
        yield* said({ ...guidance, secret, text: " " })
      ]
      assert.deepStrictEqual(
        wrong.map(({ status }) => status),
        [403, 400, 409]
      )
      assert.strictEqual((yield* said({ ...guidance, secret })).status, 303)
      const after = yield* ask(page, { headers: { cookie } })
      assert.notInclude(after.text, "<textarea")
      assert.strictEqual((yield* said({ ...guidance, secret })).status, 409)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a feed of a run sends new events and its tasks", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      const events = stuckRun(project)
      yield* tellRun("auth-0001", events.slice(0, 3))
      const { cookie, list } = yield* enter(yield* serve)
      const feed = yield* reading(`${list}runs/auth-0001/live?after=3`, { cookie })
      yield* tellRun("auth-0001", events.slice(3), 3)
      yield* feed.until((text) => text.includes("id: 7\n"))
      feed.close()
      assert.match(feed.text(), /id: 7\n/u)
      assert.include(feed.text(), "3f2a9c1d")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a feed of a run ends with the run", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      const events = unfinishedRun(project)
      const last = { ...examples.RunFinished, at: began + 600_000 }
      yield* tellRun("auth-0001", events.slice(0, -1))
      const { cookie, list } = yield* enter(yield* serve)
      const feed = yield* reading(`${list}runs/auth-0001/live?after=9`, { cookie })
      yield* feed.until((text) => text.includes("event: part"))
      yield* tellRun("auth-0001", [last], 9)
      yield* feed.ended.pipe(Effect.timeout("10 seconds"))
      assert.match(feed.text(), /id: 10\n[\s\S]*event: over/u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("an agent or a task that a run does not have is not here", () =>
    Effect.gen(function* () {
      const { project, serve, tellRun } = yield* makeStage()
      yield* tellRun("auth-0001", busyRun(project))
      const { cookie, list } = yield* enter(yield* serve)
      const asked = (path: string) =>
        Effect.map(ask(`${list}runs/auth-0001/${path}`, { headers: { cookie } }), ({ status }) => status)
      const paths = ["agents/a1", "agents/..%2fa1", "agents/a1%00/live", "tasks/task-001/changes", "tasks/-p/changes"]
      assert.deepStrictEqual(yield* Effect.forEach(paths, asked), [200, 404, 404, 200, 404])
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
