import { execFileSync } from "node:child_process"
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem } from "effect"
import { loadPlan } from "../src/index.ts"

const plan = "docs/superpowers/plans/opera.md"
const text = ["One", "Two", "Three"].map((title, at) => `### Task ${at + 1}: ${title}\n\n- [ ] **Step 1**\n`).join("\n")

/** A repository with that plan, two commits, and the ledger that superpowers' execution would have left. */
const place = Effect.fnUntraced(function* (ledger: (commits: ReadonlyArray<string>) => string, slug = "opera") {
  const fs = yield* FileSystem.FileSystem
  const project = realpathSync(yield* fs.makeTempDirectoryScoped())
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args], {
      encoding: "utf8"
    }).trim()
  git("init", "-q", "-b", "main")
  mkdirSync(`${project}/docs/superpowers/plans`, { recursive: true })
  writeFileSync(`${project}/${plan}`, text)
  git("add", "-A")
  const commits = ["base", "one", "two"].map((message) => {
    git("commit", "-q", "--allow-empty", "-m", message)
    return git("rev-parse", "--short=7", "HEAD")
  })
  git("checkout", "-q", "--detach")
  git("commit", "-q", "--allow-empty", "-m", "elsewhere")
  commits.push(git("rev-parse", "--short=7", "HEAD"))
  git("checkout", "-q", "main")
  mkdirSync(`${project}/.superpowers/sdd/${slug}`, { recursive: true })
  writeFileSync(`${project}/.superpowers/sdd/${slug}/progress.md`, ledger(commits))
  const { plan: read, understood } = yield* loadPlan(`${project}/${plan}`, project)
  return { form: understood.form, done: read.tasks.map(({ done = false }) => done) }
})
const head = `# SDD ledger — plan: ${plan}\n`

it.layer(HostServices.layer)("the ledger of superpowers", (it) => {
  describe("behaviour#plan-forms", () => {
    it.effect("a task that it has as complete is done before, where HEAD has its last commit", () =>
      Effect.gen(function* () {
        const { done, form } = yield* place(
          ([base, one, two, elsewhere]) =>
            `${head}Task 1: complete (commits ${base}..${one}, review clean)\nTask 2: fix round 1/5 (1 addressed, 0 open; commits ${one}..${two})\nTask 3: complete (commits ${one}..${elsewhere}, 1 parked)\n`
        )
        assert.deepStrictEqual(done, [true, false, false])
        assert.match(form ?? "", /, with its ledger: task-1 done$/u)
      })
    )
    it.effect(
      "a range without a commit is no work, and a task that was taken up again or blocked since is not ended",
      () =>
        Effect.gen(function* () {
          const all = ([base, one, two]: ReadonlyArray<string>) =>
            [`${base}..${base}`, `${base}..${one}`, `${one}..${two}`]
              .map((range, at) => `Task ${at + 1}: complete (commits ${range}, review clean)\n`)
              .join("")
          const since = "Task 2: fix round 1/5 (0 addressed, 1 open; commits a1b2c3d..d4e5f6a)\nTask 3: BLOCKED — no\n"
          assert.deepStrictEqual((yield* place((commits) => head + all(commits))).done, [false, true, true])
          assert.deepStrictEqual((yield* place((commits) => head + all(commits) + since)).done, [false, false, false])
          const again = (commits: ReadonlyArray<string>) =>
            `${head}${since}${all(commits)}Task 2: minor (deferred): x\n`
          assert.deepStrictEqual((yield* place(again)).done, [false, true, true])
        })
    )
    it.effect("the ledger of another plan, and one at another place, say nothing of this one", () =>
      Effect.gen(function* () {
        const all = ([base, one]: ReadonlyArray<string>) => `Task 1: complete (commits ${base}..${one}, review clean)\n`
        for (const [ledger, slug] of [
          [(commits: ReadonlyArray<string>) => `# SDD ledger — plan: docs/other.md\n${all(commits)}`, "opera"],
          [all, "opera"],
          [(commits: ReadonlyArray<string>) => head + all(commits), "other"],
          [() => `${head}Task 1: complete (commits --exec..HEAD, review clean)\n`, "opera"]
        ] as const)
          assert.deepStrictEqual((yield* place(ledger, slug)).done, [false, false, false])
      })
    )
  })
})
