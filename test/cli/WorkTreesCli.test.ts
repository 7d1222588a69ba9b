/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { git, plan, theatre } from "./CliTheatre.ts"

const three = `${plan.replace("finish: none", "finish: none\nworktrees: true")}  - id: task-003
    title: The third scene
    acceptance_criteria: it is written
`

describe.concurrent("behaviour#on-escalation", () => {
  it.live("the other tasks are done beside a stuck one; what waits for what, and where its work lies, is told", () =>
    Effect.gen(function* () {
      const the = yield* theatre(
        { millis: 0, tasks: { "task-001": { implementer: ["blocked", "commit"], reviewer: ["approve"] } } },
        three.replace("worktrees: true\n", "")
      )
      const refused = yield* the.run(["conduct", "plan.yaml", "--keep-going"])
      assert.strictEqual(refused.code, 2)
      assert.include(refused.errors, "add worktrees: true to the plan")
      fs.writeFileSync(join(the.project, "plan.yaml"), three)
      git(the.project, "add", "plan.yaml", "craft.json")
      git(the.project, "commit", "-qm", "plan")
      const dry = yield* the.run(["conduct", "plan.yaml", "--dry-run"])
      assert.include(dry.lines.join("\n"), "each task in a work tree of its own")
      const stuck = yield* the.run(["conduct", "plan.yaml", "--keep-going"])
      assert.strictEqual(stuck.code, 1, stuck.errors)
      assert.include(stuck.errors, "needs you on task task-001 (blocked)")
      assert.include(stuck.errors, "task-002 cannot begin: it depends on task-001")
      const status = (yield* the.run(["conduct", "status"])).lines.join("\n")
      const [folder = ""] = /\S*\/trees\/\S+\/task-001/u.exec(status) ?? []
      assert.include(status, `its work: ${folder}, on branch souffleur-task/play/task-001`)
      assert.include(status, "    cannot begin: it depends on task-001")
      assert.match(status, / {2}task-003 {2}completed/u)
      // An agent, or a person, in the tree is in the project.
      const inside = yield* the.run(["conduct", "status", "--project-dir", folder, "--json"])
      assert.deepInclude(JSON.parse(inside.lines.join("\n")), {
        project: the.project,
        blocked: [{ task: "task-002", by: ["task-001"] }]
      })
      assert.strictEqual((yield* the.run(["conduct", "answer", "task-001", "--skip"])).code, 0)
      const ended = yield* the.run(["conduct", "plan.yaml"])
      assert.strictEqual(ended.code, 0, ended.errors)
      const stays = `task-001: ${folder}, on branch souffleur-task/play/task-001: its task was skipped`
      assert.include(ended.lines.join("\n"), `### Work Trees That Stay\n- ${stays}`)
      assert.include((yield* the.run(["conduct", "status"])).lines.join("\n"), `  a work tree stays: ${stays}`)
      const why = yield* the.run(["conduct", "why"])
      assert.strictEqual(why.code, 0)
    }).pipe(Effect.scoped)
  )
})

describe.concurrent("behaviour#parallel", () => {
  it.live("two tasks are at work at once by --parallel, each is told, and both are stopped", () =>
    Effect.gen(function* () {
      const text = three.replace("    depends_on: [task-001]\n", "")
      const the = yield* theatre({ millis: 0, tasks: {} }, text.replace("worktrees: true\n", ""))
      const refused = yield* the.run(["conduct", "plan.yaml", "--parallel", "2"])
      assert.strictEqual(refused.code, 2)
      assert.include(refused.errors, "for --parallel, each task needs a work tree of its own: add worktrees: true")
      const none = yield* the.run(["conduct", "plan.yaml", "--parallel", "0"])
      assert.strictEqual(none.code, 2)
      assert.include(none.errors, "--parallel 0: a number from 1 to 16 is needed")
      fs.writeFileSync(join(the.project, "plan.yaml"), text)
      git(the.project, "add", "plan.yaml", "craft.json")
      git(the.project, "commit", "-qm", "plan")
      const dry = yield* the.run(["conduct", "plan.yaml", "--parallel", "2", "--dry-run"])
      assert.include(dry.lines.join("\n"), "up to 2 tasks at work at once")
      git(the.project, "config", "user.name", "A")
      git(the.project, "config", "user.email", "a@localhost")
      const craft = join(the.home, "claude", "craft")
      fs.mkdirSync(craft, { recursive: true })
      for (const id of ["001", "002"]) fs.writeFileSync(join(craft, `task-${id}.implementer.held`), "")
      const conductor = the.start(["conduct", "plan.yaml", "--parallel", "2", "--json"])
      yield* the.prints(conductor, "AgentLaunched", 2)
      const status = (yield* the.run(["conduct", "status"])).lines.join("\n")
      for (const id of ["task-001", "task-002"])
        assert.match(status, new RegExp(`${id}: implementer, pid \\d+, at work for`, "u"))
      assert.match(status, /task-001: implementer at work, pid \d+; task-002: implementer at work, pid \d+/u)
      const { agent, at_work } = JSON.parse((yield* the.run(["conduct", "status", "--json"])).lines.join("\n"))
      assert.deepStrictEqual(
        at_work.map(({ task }: { readonly task: string }) => task),
        ["task-001", "task-002"]
      )
      assert.deepStrictEqual(agent.task, "task-001")
      assert.deepStrictEqual(the.state().current_tasks, ["task-001", "task-002"])
      const stopped = yield* the.run(["stop", "--now"])
      assert.strictEqual(stopped.code, 0, stopped.errors)
      assert.match(stopped.lines.join("\n"), /its implementer, pid \d+, and its implementer, pid \d+, have ended/u)
      for (const id of ["001", "002"]) fs.rmSync(join(craft, `task-${id}.implementer.held`))
      const ended = yield* the.run(["conduct", "plan.yaml", "--parallel", "2"])
      assert.strictEqual(ended.code, 0, `${ended.lines.join("\n")}${ended.errors}`)
      assert.strictEqual(
        the.state().tasks.filter(({ attempts }: { readonly attempts: number }) => attempts === 1).length,
        3
      )
    }).pipe(Effect.scoped)
  )
})
