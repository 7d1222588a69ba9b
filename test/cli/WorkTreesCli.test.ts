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
