/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { first, git, theatre } from "./CliTheatre.ts"

const note = `its commits go to main itself; "branch: auto" in the plan makes a branch`

describe.concurrent("behaviour#branch", () => {
  it.live(
    "a plan without a branch is told where its commits go, and one with a branch is merged by its last word",
    () =>
      Effect.gen(function* () {
        const the = yield* theatre({ millis: 0, tasks: {} }, first)
        assert.include((yield* the.run(["conduct", "plan.yaml", "--dry-run"])).lines.join("\n"), note)
        fs.writeFileSync(join(the.project, "notes.txt"), "notes")
        git(the.project, "add", "notes.txt")
        git(the.project, "commit", "-qm", "notes")
        fs.writeFileSync(join(the.project, "notes.txt"), "not committed")
        const paused = yield* the.run(["conduct", "plan.yaml"])
        assert.strictEqual(paused.code, 1)
        assert.include(paused.errors, note)
        assert.include((yield* the.run(["doctor"])).lines.join("\n"), note)
        git(the.project, "checkout", "-q", "notes.txt")
        const plain = yield* the.run(["conduct", "plan.yaml"])
        assert.strictEqual(plain.code, 0, plain.errors)
        assert.strictEqual(plain.lines.at(-1), "The work: 1 commit on branch main, left there")
        const own = first
          .replace("workflow_id: play", "workflow_id: encore")
          .replace("finish: none", "branch: auto\nfinish: merge")
          .replaceAll("task-001", "task-002")
        fs.writeFileSync(join(the.project, "encore.yaml"), own)
        const dry = yield* the.run(["conduct", "encore.yaml", "--dry-run", "--state", join(the.project, "encore.json")])
        assert.notInclude(dry.lines.join("\n"), note)
        assert.include(dry.lines.join("\n"), "and then its branch is merged into the one it began from")
        const run = yield* the.run(["conduct", "encore.yaml", "--state", join(the.project, "encore.json")])
        assert.strictEqual(run.code, 0, run.errors)
        assert.notInclude(run.errors, note)
        const place = "1 commit on branch souffleur/encore, merged into main"
        assert.strictEqual(run.lines.at(-1), `The work: ${place}`)
        assert.include((yield* the.run(["conduct", "status"])).lines.join("\n"), `\n  the work: ${place}`)
        assert.strictEqual(git(the.project, "branch", "--show-current").trim(), "main")
        assert.strictEqual(git(the.project, "rev-list", "--count", "main").trim(), "4")
        fs.writeFileSync(join(the.project, "hostile.yaml"), own.replace("branch: auto", "branch: --upload-pack=x"))
        const refused = yield* the.run(["conduct", "hostile.yaml", "--dry-run"])
        assert.deepStrictEqual([refused.code, refused.lines], [2, []])
        assert.match(refused.errors, /branch: must be auto, or the name of a branch, .* \(line 2\)/u)
      }).pipe(Effect.scoped)
  )
})
