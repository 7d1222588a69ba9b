/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { alive, answers, bundle, until } from "./CliStage.ts"
import { first, git, linesOf, plan, theatre } from "./CliTheatre.ts"

describe.concurrent("souffleur conduct", () => {
  describe("behaviour#run", () => {
    it.live(
      "a conductor that is killed while an agent works goes on with the same agent, finishes, and tells comms",
      () =>
        Effect.gen(function* () {
          const the = yield* theatre(
            { millis: 0, tasks: {} },
            first.replace("finish: none", "finish: { prompt: Take the bow }")
          )
          // Each is held in the midst of its assignment, until it has been seen there.
          const [implementer, reviewer] = ["implementer", "reviewer"].map((role) =>
            join(the.home, "claude", "craft", `task-001.${role}.held`)
          ) as [string, string]
          fs.mkdirSync(dirname(implementer), { recursive: true })
          for (const held of [implementer, reviewer]) fs.writeFileSync(held, "")
          const one = the.start(["conduct", "plan.yaml", "--json"])
          const [launched] = yield* the.prints(one, "AgentLaunched")
          one.kill("SIGKILL")
          yield* one.ended
          assert.isTrue(alive(launched.process.pid), "the agent lives on")

          const two = the.start(["conduct", "plan.yaml", "--json"])
          yield* the.prints(two, "RunTaken")
          fs.rmSync(implementer)
          yield* the.prints(two, "ImplementationCompleted")
          const working = JSON.parse((yield* the.run(["conduct", "status", "--json"])).lines.join("\n"))
          assert.deepInclude(working, { workflow_id: "play", current_task: "task-001", paused: null })
          assert.deepInclude(working.tasks[0], { status: "in_progress" })
          fs.rmSync(reviewer)
          assert.strictEqual((yield* two.ended).code, 0)
          assert.deepStrictEqual(
            [the.assignments("task-001", "implementer"), the.assignments("task-001", "reviewer")],
            [1, 1]
          )
          assert.strictEqual(git(the.project, "rev-list", "--count", "HEAD").trim(), "2")
          assert.deepInclude(the.state(), { phase: "completion", current_task: null })
          const rows = the.commsDb((db) =>
            db
              .prepare("SELECT task_id, state FROM orchestration_tasks WHERE task_id <> 'souffleur' ORDER BY task_id")
              .all()
          )
          assert.deepStrictEqual(
            rows.map((row) => `${row["task_id"]} ${row["state"]}`),
            ["task-00 complete", "task-001 complete"]
          )
          const finisher = two.lines.map((line) => JSON.parse(line)).find(({ role }) => role === "finisher")
          const bow = the.conversation(finisher.sessionId)
          for (const words of ["The one task has been implemented and reviewed", "Take the bow"])
            assert.include(bow, words)
          assert.strictEqual(the.sessions().length, 3, "an implementer, a reviewer, a finisher")
          // By another name it is another run, and the state file says what was done.
          fs.renameSync(join(the.project, "plan.yaml"), join(the.project, "moved.yaml"))
          const moved = yield* the.run(["conduct", "moved.yaml"])
          assert.deepStrictEqual(
            [moved.code, the.sessions().length, the.state().finishing],
            [0, 3, "done"],
            moved.errors
          )
          const watches = yield* the.ask(["status", "--json"])
          assert.deepStrictEqual([watches.code, watches.lines.join("")], [0, "[]"], "a run is no watch")
        }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#questions", () => {
    it.live("what a reviewer asks about a plan is in the status, the log, the report, and keeps no night waiting", () =>
      Effect.gen(function* () {
        const asking = { plan: { implementer: ["commit"], reviewer: ["reject"] } }
        const the = yield* theatre({ millis: 0, tasks: asking }, `questions: true\n${first}`)
        const question = "assignment 1 lacks a test"
        const preview = yield* the.run(["conduct", "plan.yaml", "--dry-run"])
        assert.include(preview.lines.join("\n"), "a reviewer is asked first what is unclear in it")
        const ended = yield* the.run(["conduct", "plan.yaml"])
        assert.strictEqual(ended.code, 0, ended.errors)
        assert.include(ended.lines.join("\n"), `A reviewer asks about the plan: 1. ${question}`)
        assert.deepStrictEqual(
          [the.assignments("plan", "reviewer"), the.assignments("task-001", "implementer")],
          [1, 1]
        )
        for (const command of [["conduct", "status"], ["report"]])
          assert.include(
            (yield* the.run(command)).lines.join("\n"),
            `asked of the plan: ${question}`,
            command.join(" ")
          )
        const why = yield* the.run(["conduct", "log", "--json"])
        const at = why.lines.map((line) => JSON.parse(line)).find(({ _tag }) => _tag === "PlanQuestioned")
        const explained = (yield* the.run(["conduct", "why", String(at.revision)])).lines.join("\n")
        assert.include(explained, question)
        const quiet = yield* theatre({ millis: 0, tasks: asking }, `questions: true\n${first}`)
        assert.strictEqual((yield* quiet.run(["conduct", "plan.yaml", "--no-questions"])).code, 0)
        assert.strictEqual(quiet.assignments("plan", "reviewer"), 0)
      }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#the-plan-is-a-persons", () => {
    it.live("a changed plan waits for its word, and what was dropped with it is in the ending and the exit code", () =>
      Effect.gen(function* () {
        const the = yield* theatre({ millis: 0, tasks: {} }, first)
        const says = (text: string) => fs.writeFileSync(join(the.project, "plan.yaml"), text)
        const conducts = the.run(["conduct", "plan.yaml"])
        assert.strictEqual((yield* conducts).code, 0)
        says(plan)
        const waits = yield* conducts
        assert.strictEqual(waits.code, 1)
        assert.include(waits.errors, "added: task-002")
        const status = yield* the.run(["conduct", "status"])
        assert.include(status.lines.join("\n"), "needs you: paused: the plan has changed: added: task-002")
        assert.include(status.lines.join("\n"), "next: souffleur conduct answer --plan; then souffleur conduct ")
        says(first)
        assert.strictEqual((yield* conducts).code, 0, "put back")
        says(plan)
        assert.strictEqual((yield* the.run(["conduct", "answer", "--plan"])).code, 0)
        says(first)
        const taken = yield* the.run(["conduct", "answer", "--plan"])
        assert.include(
          taken.errors,
          "its plan is taken as it is now, without task-002; it goes on with: souffleur conduct"
        )
        const ended = yield* conducts
        assert.deepStrictEqual([ended.code, the.assignments("task-002", "implementer")], [1, 0])
        assert.include(ended.lines.join("\n"), "Dropped with the plan, and not done: task-002.")
        assert.include((yield* the.run(["conduct", "status"])).lines.join("\n"), "complete, 1 dropped")
      }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#defects", () => {
    it.live("a publisher of a run that dies is reported and started again until it is given up; the run goes on", () =>
      Effect.gen(function* () {
        const the = yield* theatre({ millis: 0, tasks: {} }, first)
        assert.strictEqual((yield* the.run(["conduct", "plan.yaml"])).code, 0)
        const store = new DatabaseSync(join(the.home, "state", "souffleur.db"), { timeout: 5000 })
        store.exec("ALTER TABLE cursor RENAME TO lost")
        store.close()
        fs.appendFileSync(join(the.project, "plan.yaml"), plan.slice(first.length))
        yield* the.run(["conduct", "answer", "--plan"])
        const { code, errors, lines } = yield* the.run(["conduct", "plan.yaml"])
        assert.strictEqual(code, 0, errors)
        assert.lengthOf(
          errors.match(/the publisher died: a defect of souffleur's own \(LogUnusable[^\n]*\)/gu) ?? [],
          3,
          errors
        )
        assert.include(errors, "the publisher is not started again")
        assert.include(lines.join("\n"), "Task task-002 is complete")
      }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#state-file", () => {
    it.live("a run is escalated, answered and finished, and refuses another conductor of the project meanwhile", () =>
      Effect.gen(function* () {
        const the = yield* theatre(
          { millis: 0, tasks: { "task-001": { implementer: ["blocked", "commit"], reviewer: ["approve"] } } },
          plan.replace("finish: none", "finish: command")
        )
        // A state file of this format, of which half is left, and its backup: the second scene is written.
        const before = {
          workflow_id: "play",
          phase: "implementation",
          current_task: "task-001",
          created_at: "2026-01-25T10:00:00Z",
          updated_at: "2026-01-25T10:00:00Z"
        }
        const tasks = [
          {
            id: "task-002",
            title: "T",
            status: "completed",
            attempts: 1,
            implementer_commits: [git(the.project, "rev-parse", "HEAD").trim()]
          },
          { id: "task-009", title: "U", status: "pending", attempts: 0 }
        ]
        fs.writeFileSync(join(the.project, "state.json.backup"), JSON.stringify({ ...before, tasks }))
        fs.writeFileSync(join(the.project, "state.json"), JSON.stringify({ ...before, tasks }).slice(0, 60))
        // As a hook of another repository would start it.
        const one = the.start(["conduct", "plan.yaml", "--json"], { GIT_DIR: join(the.home, "nowhere") })
        yield* the.prints(one, "AgentLaunched")
        // A conductor that is stopped is alive.
        one.kill("SIGSTOP")
        const other = yield* the.run(["conduct", "plan.yaml"])
        one.kill("SIGCONT")
        const ended = yield* one.ended
        assert.strictEqual(other.code, 3, other.errors)
        assert.strictEqual(ended.code, 1)
        assert.include(one.errors(), "souffleur conduct answer task-001")
        const tags = one.lines.map((line) => JSON.parse(line)._tag)
        assert.includeMembers(tags, ["StateFileRebuilt", "UnknownTaskSkipped", "ProgressImported", "TaskEscalated"])
        assert.strictEqual((yield* the.run(["conduct", "answer", "task-001", "here is the key"])).code, 0)
        const two = yield* the.run(["conduct", "plan.yaml"])
        assert.deepStrictEqual([two.code, the.bows()], [1, 1], two.errors)
        for (const what of ["exit code 3", "souffleur conduct answer --finishing --retry"])
          assert.include(two.errors, what)
        assert.deepInclude(the.state(), { phase: "completion", finishing: "failed" })
        const [, output = ""] = /^it ended with exit code 3: see (.+)$/u.exec(the.state().finishing_failure) ?? []
        assert.strictEqual(fs.readFileSync(output, "utf8"), "I cannot bow\n")
        assert.strictEqual(the.assignments("task-002", "implementer"), 0, "what was complete before is not done again")
        const again = yield* the.run(["conduct", "plan.yaml"])
        assert.deepStrictEqual([again.code, the.bows()], [1, 1], "it is asked once")
      }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#answers", () => {
    it.live(
      "a conductor under a watch waits for a person, tells them, and goes on with the answer without another start",
      () =>
        Effect.gen(function* () {
          const the = yield* theatre(
            { millis: 0, tasks: { "task-001": { implementer: ["blocked", "commit"], reviewer: ["approve"] } } },
            first.replace("finish: none", "finish: command")
          )
          const file = join(the.home, "told")
          const write = 'const fs = require("node:fs"); fs.appendFileSync(process.argv[1], fs.readFileSync(0))'
          const notify = { SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", write, file])}` }
          const watch = the.start(
            ["run", "--no-guardian", "--json", "--", process.execPath, bundle, "conduct", "plan.yaml"],
            notify
          )
          const told = () => linesOf(file).map((line) => JSON.parse(line))
          const kinds = Effect.sync(() => told().flatMap(({ kind, run }) => (run === undefined ? [] : [kind])))
          yield* until(kinds, ([kind]) => kind === "escalated")
          const answered = yield* the.ask(["conduct", "answer", "task-001", "here is the key"])
          assert.include(answered.errors, "its conductor goes on")
          yield* until(kinds, (all) => all.includes("finished"))
          yield* the.ask(["conduct", "answer", "--finishing", "--retry"])
          assert.strictEqual((yield* watch.ended).code, 0, watch.errors())
          assert.deepStrictEqual(yield* kinds, ["escalated", "cleared", "finished", "cleared", "finished"])
          assert.strictEqual(the.bows(), 2)
          const tags = watch.lines.map((line) => JSON.parse(line)._tag)
          assert.notIncludeMembers(tags, ["ConductorDied", "ConductorRelaunched"])
          const messages = the.commsDb((db) =>
            db.prepare("SELECT message_type FROM orchestration_messages ORDER BY id").all()
          )
          assert.deepStrictEqual(
            messages.map((row) => row["message_type"]),
            ["error", "system", "error", "system", "completion"]
          )
        }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#agents-of-a-run", () => {
    it.live(
      "doctor says how a run without a conductor goes on, and finds a damaged state file; an overdue agent is ended",
      () =>
        Effect.gen(function* () {
          const the = yield* theatre(
            { millis: 0, tasks: { "task-001": { implementer: ["hang"], reviewer: ["approve"] } } },
            first
          )
          const facts = Effect.map(the.ask(["doctor", "--json"]), ({ code, lines }) => {
            const all: ReadonlyArray<{ check: string; level: string; detail: string; todo: string }> = JSON.parse(
              lines.join("\n")
            )
            return {
              code,
              run: all.find(({ check }) => check.startsWith("run ")),
              state: all.find(({ check }) => check === "state file")
            }
          })
          const conductor = the.start(["conduct", "plan.yaml", "--json"])
          const [hung] = yield* the.prints(conductor, "AgentLaunched")
          conductor.kill("SIGKILL")
          yield* conductor.ended
          fs.writeFileSync(join(the.project, "state.json"), '{"workflow_id": "pl')
          const found = yield* facts
          assert.strictEqual(found.run?.level, "note")
          assert.include(found.run?.detail, `its conductor, pid ${conductor.pid}, is dead`)
          const again = `souffleur conduct ${join(the.project, "plan.yaml")} --project-dir ${the.project}`
          assert.strictEqual(found.run?.todo, again)
          assert.deepStrictEqual([found.code, found.state?.level], [1, "wrong"])

          const two = the.start(["conduct", "plan.yaml", "--json"])
          yield* the.prints(two, "RunTaken")
          const left = yield* answers(two, "SIGINT")
          if (left) assert.include(two.errors(), `its implementer, pid ${hung.process.pid}, works on`)
          assert.isTrue(alive(hung.process.pid))
          const three = the.start(["conduct", "plan.yaml", "--json", "--implementer-timeout", "1 millis"])
          const [ending] = yield* the.prints(three, "AgentEnding")
          assert.deepInclude(ending, { reason: "timeout", process: hung.process, limit: 1 })
          yield* the.prints(three, "ImplementationFailed")
          assert.isFalse(alive(hung.process.pid))
          const why = yield* the.ask(["conduct", "why", String(ending.revision)])
          for (const what of [
            `process ${hung.process.pid} runs since`,
            "an agent that takes longer than its limit is ended"
          ])
            assert.include(why.lines.join("\n"), what)
          const log = yield* the.ask(["conduct", "log", "--json", "--from", "2"])
          const known = log.lines.map((line) => JSON.parse(line))
          assert.deepStrictEqual(
            known.map(({ revision }) => revision),
            known.map((_, n) => n + 2)
          )
          assert.includeMembers(
            known.map(({ _tag }) => _tag),
            ["AgentEnding", "ImplementationFailed"]
          )
        }).pipe(Effect.scoped)
    )
  })

  describe("behaviour#plan", () => {
    it.live(
      "a plan that cannot be conducted is bad usage, prints nothing on standard output, and changes nothing",
      () =>
        Effect.gen(function* () {
          const the = yield* theatre({ millis: 0, tasks: {} })
          fs.writeFileSync(join(the.project, "wrong.yaml"), plan.replace("[task-001]", "[task-007]"))
          fs.writeFileSync(
            join(the.project, "finish.yaml"),
            plan.replace("finish: none", "finish: { command: [no-such-bow] }")
          )
          fs.writeFileSync(join(the.project, "foreign.json"), '{"mine": true}')
          const refused = [
            [["conduct", "wrong.yaml"], /tasks\[1\]\.depends_on: there is no task "task-007"/u],
            [["conduct", "finish.yaml"], /finish\.yaml: finish\.command: there is no program no-such-bow in PATH/u],
            [["conduct", "nowhere.yaml"], /nowhere\.yaml: it is not there/u],
            [["conduct", "plan.yaml", "--state", "foreign.json"], /foreign\.json: it is no state file of this kind/u],
            [["conduct", "plan.yaml", "--state", "nowhere/state.json"], /--state: there is no folder .*nowhere/u],
            [["conduct", "answer", "--finishing", "--skip", "--retry"], /--finishing takes --retry or --skip/u],
            [["conduct", "plan.yaml", "--reviewer-timeout", "soon"], /--reviewer-timeout: must be a duration/u]
          ] as const
          for (const [args, why] of refused) {
            const { code, errors, lines } = yield* the.run(args)
            assert.deepStrictEqual([code, lines], [2, []], errors)
            assert.match(errors, why)
          }
          assert.strictEqual(fs.readFileSync(join(the.project, "foreign.json"), "utf8"), '{"mine": true}')
          const dry = yield* the.run(["conduct", "plan.yaml", "--dry-run", "--json"])
          assert.deepStrictEqual(
            JSON.parse(dry.lines.join("\n")).tasks.map(({ id }: { id: string }) => id),
            ["task-001", "task-002"]
          )
          assert.isFalse(fs.existsSync(join(the.project, "state.json")))
        }).pipe(Effect.scoped)
    )
  })
})
