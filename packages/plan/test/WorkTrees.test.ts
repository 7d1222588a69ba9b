import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { isRunOver, next } from "../src/index.ts"
import { branchesOf, commitOf, excluding, healthy } from "./BranchPlay.ts"
import { type Act, approves, complete, planOf, rejects } from "./PlanStage.ts"
import { live, noting, type Play, say, type theatre } from "./PlanTheatre.ts"

const worktrees = { worktrees: true } as const
type Work = Parameters<Parameters<typeof theatre>[0]>[0]

/** Commits this file in the agent's own folder. */
const makes =
  ({ at }: Pick<Work, "at">, name: string, text = name): Act =>
  ({ cwd }) =>
    Effect.gen(function* () {
      const { git, write } = at(cwd)
      yield* write(name, `${text}\n`)
      yield* git("add", name)
      yield* git("commit", "-q", "--allow-empty", "-m", `make ${name}`)
      return complete
    })

const filesOf = ({ git }: Play) => Effect.map(git("ls-files"), (text) => text.trim().split("\n"))
const treesOf = ({ git }: Play) =>
  Effect.map(git("worktree", "list", "--porcelain"), (text) =>
    text
      .split("\n")
      .flatMap((line) =>
        line.startsWith("worktree ") && !line.includes("/gates/") ? [line.slice("worktree ".length)] : []
      )
  )
const answer = (taskId: string, answer: "retry" | "skip" | "guidance", text = "") =>
  ({ _tag: "Answer", taskId, answer, text }) as const
/** Nothing is left but the project's own work tree and branch. */
const isTidy = Effect.fnUntraced(function* (play: Play) {
  assert.deepStrictEqual(yield* treesOf(play), [play.project])
  assert.deepStrictEqual(yield* branchesOf(play), ["main"])
  assert.strictEqual(yield* play.git("status", "--porcelain"), "")
})

describe.concurrent("behaviour#a-work-tree-a-task", () => {
  live("each task has its agents in a tree of its own, and lands fast-forward when it is approved", () =>
    Effect.gen(function* () {
      const folders: Array<string> = []
      const seen: Act = ({ cwd }) => Effect.sync(() => (folders.push(cwd), approves))
      const play = yield* excluding(
        ({ commits }) => ({
          implementer: [(assignment) => Effect.tap(commits(assignment), () => seen(assignment))],
          reviewer: [seen]
        }),
        { plan: worktrees, tasks: ["t1", "t2"] }
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      const [one, two] = ["t1", "t2"].map((id) => `${play.stateDir}/trees/r/${id}`)
      assert.deepStrictEqual(folders, [one, one, two, two])
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "work-1.txt", "work-2.txt"])
      assert.strictEqual((yield* play.git("rev-list", "--count", "HEAD")).trim(), "3")
      yield* isTidy(play)
    })
  )
  live("nothing of a rejected task is under the next one: its tree stays, and is named", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        (work) => ({
          implementer: [
            makes(work, "bad.txt"),
            makes(work, "worse.txt"),
            makes(work, "worst.txt"),
            makes(work, "good.txt")
          ],
          reviewer: [say(rejects(1)), say(rejects(2)), say(rejects(3)), say(approves)]
        }),
        { plan: worktrees, tasks: ["t1", "t2"] }
      )
      assert.strictEqual(next(yield* play.conducts)._tag, "Escalated")
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt"])
      yield* play.dispatch(answer("t1", "skip"))
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "good.txt"])
      const folder = `${play.stateDir}/trees/r/t1`
      const branch = "souffleur-task/play/t1"
      const [{ base, ...left } = { base: "" }] = run.trees
      assert.deepStrictEqual(left, { taskId: "t1", folder, branch, kept: "its task was skipped" })
      assert.deepStrictEqual(yield* treesOf(play), [play.project, folder])
      assert.strictEqual((yield* play.git("rev-list", "--count", `${base}..${branch}`)).trim(), "3")
    })
  )
  live("work that the run's branch has passed by lands with a commit of both, which the gate takes", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) =>
              Effect.andThen(
                makes(work, "mine.txt")({ ...assignment, cwd: work.project }),
                makes(work, "its.txt")(assignment)
              )
          ],
          reviewer: [say(approves)]
        }),
        { plan: worktrees, gate: { setup: [["touch", "ready"]], verify: [["test", "-f", "ready"]] } }
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "its.txt", "mine.txt"])
      const head = yield* commitOf(play, "main")
      assert.include(run.tasks[0]?.work.commits ?? [], head)
      assert.include(yield* play.git("log", "-1", "--format=%s"), "Merge branch 'souffleur-task/play/t1'")
      yield* isTidy(play)
    })
  )
  live("a conflict goes back to the same session with its files; what it merges is reviewed, and lands", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) =>
              Effect.andThen(
                makes(work, "base.txt", "mine")({ ...assignment, cwd: work.project }),
                makes(work, "base.txt", "its")(assignment)
              ),
            noting(prompts, ({ cwd }) =>
              Effect.gen(function* () {
                const { git } = work.at(cwd)
                yield* git("merge", "-q", "-s", "ours", "main")
                return complete
              })
            )
          ],
          reviewer: [noting(prompts, say(approves))]
        }),
        { plan: worktrees }
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify([run.paused, yield* play.tags]))
      assert.deepStrictEqual(
        play.asked.map(({ resumed, role }) => [role, resumed]),
        [
          ["implementer", false],
          ["reviewer", false],
          ["implementer", true],
          ["reviewer", false]
        ]
      )
      assert.match(prompts[1] ?? "", /your work is at odds with it in base\.txt: have that commit in your branch too/u)
      assert.strictEqual(yield* play.git("show", "HEAD:base.txt"), "its\n")
      assert.lengthOf(run.tasks[0]?.work.commits ?? [], 2)
      yield* isTidy(play)
    })
  )
  live("the third time that work does not land is a person's; the answer goes on in the tree", () =>
    Effect.gen(function* () {
      let count = 0
      const races =
        (work: Work): Act =>
        (assignment) =>
          Effect.gen(function* () {
            count += 1
            if (count > 1) yield* work.at(assignment.cwd).git("merge", "-q", "-s", "ours", "main")
            if (count < 4) yield* makes(work, "base.txt", `mine ${count}`)({ ...assignment, cwd: work.project })
            return yield* makes(work, "base.txt", `its ${count}`)(assignment)
          })
      const play = yield* excluding((work) => ({ implementer: [races(work)], reviewer: [say(approves)] }), {
        plan: worktrees
      })
      const [task] = (yield* play.conducts).tasks
      assert.deepInclude(task?.escalation, { reason: "landing" })
      assert.match(
        task?.escalation?.message ?? "",
        /^it did not land 3 times: the run's branch is at [0-9a-f]{40} by now/u
      )
      yield* play.dispatch(answer("t1", "guidance", "merge"))
      assert.isTrue(isRunOver(yield* play.conducts))
      assert.strictEqual(yield* play.git("show", "HEAD:base.txt"), "its 4\n")
      yield* isTidy(play)
    })
  )
  live("an implementer that does not merge what its work is at odds with has not done it", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) =>
              Effect.andThen(
                makes(work, "base.txt", "mine")({ ...assignment, cwd: work.project }),
                makes(work, "base.txt", "its")(assignment)
              ),
            makes(work, "a.txt")
          ],
          reviewer: [say(approves)]
        }),
        { plan: worktrees }
      )
      const run = yield* play.conducts
      assert.deepInclude(run.tasks[0]?.escalation, { reason: "implementer failures" })
    })
  )
  live("an untracked file of the project in the way is never written over", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) => Effect.andThen(work.write("its.txt", "precious\n"), makes(work, "its.txt")(assignment))
          ],
          reviewer: [say(approves)]
        }),
        { plan: worktrees }
      )
      const { paused } = yield* play.conducts
      assert.deepInclude(paused, { reason: "dirty", files: ["its.txt"] })
      assert.deepInclude((yield* play.conducts).paused, { reason: "dirty" })
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual(yield* fs.readFileString(`${play.project}/its.txt`), "precious\n")
      yield* fs.remove(`${play.project}/its.txt`)
      assert.isTrue(isRunOver(yield* play.conducts))
      yield* isTidy(play)
    })
  )
  live("a tree that is gone is made again from its branch", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) =>
              Effect.tap(makes(work, "its.txt")(assignment), () =>
                Effect.orDie(fs.remove(assignment.cwd, { recursive: true }))
              ),
            makes(work, "its.txt")
          ],
          reviewer: [say(approves)]
        }),
        { plan: worktrees }
      )
      yield* play.conducts
      assert.isTrue(isRunOver(yield* play.conducts), JSON.stringify(yield* play.events))
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "its.txt"])
      yield* isTidy(play)
    })
  )
  live("a tree that lost what it began from pauses the run, which goes on once that is answered while it waits", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        (work) => ({
          implementer: [
            makes(work, "one.txt"),
            ({ cwd }) => Effect.as(work.at(cwd).git("reset", "-q", "--hard", "HEAD^"), complete),
            makes(work, "two.txt")
          ],
          reviewer: [say(approves)]
        }),
        { plan: worktrees, tasks: ["t1", "t2"] }
      )
      const reasons: Array<string | undefined> = []
      const run = yield* play.conductsOn(({ paused }) =>
        Effect.andThen(
          Effect.sync(() => reasons.push(paused?.reason)),
          Effect.orDie(play.dispatch(answer("t2", "retry")))
        )
      )
      assert.isTrue(isRunOver(run))
      assert.deepStrictEqual(reasons, ["work lost"])
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "one.txt", "two.txt"])
      assert.deepInclude(run.trees[0], { taskId: "t2", kept: "its task began again" })
    })
  )
  live("what lies in a landed tree and has not landed is not removed with it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const play = yield* excluding(
        (work) => ({
          implementer: [makes(work, "its.txt")],
          reviewer: [() => Effect.as(work.write("its.txt", "in the way\n"), approves)]
        }),
        { plan: worktrees }
      )
      yield* play.conducts
      const folder = `${play.stateDir}/trees/r/t1`
      yield* play.at(folder).write("late.txt", "late\n")
      yield* play.at(folder).git("add", "late.txt")
      yield* play.at(folder).git("commit", "-q", "-m", "late")
      yield* fs.remove(`${play.project}/its.txt`)
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepInclude(run.trees[0], { folder, kept: "it has commits that did not land" })
      assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "its.txt"])
    })
  )
  live("a tree with new files that no commit has, or with a submodule's own commits, is not removed", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const left = "it alone may have the commits of a submodule"
      for (const [kept, leaves] of [
        ["it has files that git does not know", (at: ReturnType<Work["at"]>) => at.write("notes.txt", "a person's\n")],
        [
          left,
          ({ git }: ReturnType<Work["at"]>) =>
            Effect.gen(function* () {
              yield* git("-c", "protocol.file.allow=always", "submodule", "update", "--init", "-q")
              yield* git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "in the submodule")
              yield* git("commit", "-q", "-a", "-m", "move the submodule")
            })
        ]
      ] as const) {
        const play = yield* excluding(
          (work) => ({
            implementer: [
              (assignment) =>
                Effect.gen(function* () {
                  const done = yield* makes(work, "its.txt")(assignment)
                  yield* leaves(work.at(assignment.cwd))
                  return done
                })
            ],
            reviewer: [say(approves)]
          }),
          { plan: worktrees }
        )
        if (kept === left) {
          const other = `${play.stateDir}-sub`
          yield* fs.makeDirectory(other, { recursive: true })
          yield* play.git("init", "-q", other)
          yield* play.git("-C", other, "commit", "-q", "--allow-empty", "-m", "sub")
          yield* play.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
          yield* play.git("commit", "-q", "-m", "have a submodule")
          yield* play.git("submodule", "--quiet", "deinit", "-f", "sub")
        }
        const run = yield* play.conducts
        assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
        assert.deepInclude(run.trees[0], { folder: `${play.stateDir}/trees/r/t1`, kept })
        assert.isTrue(yield* fs.exists(`${play.stateDir}/trees/r/t1/its.txt`))
      }
    })
  )
  live("a conductor that is killed before or after an act on a tree neither loses nor doubles a commit", () =>
    Effect.gen(function* () {
      // Before and after each event of a tree: it is chosen, made, about to land, landed, and removed.
      const moments = {
        3: "RunTaken",
        4: "TreeChosen",
        5: "TreeChosen",
        6: "TaskStarted",
        27: "ReviewApproved",
        28: "LandingPlanned",
        29: "LandingPlanned",
        30: "TaskCompleted",
        31: "TaskCompleted",
        32: "TreeCleared"
      }
      for (const [moment, tag] of Object.entries(moments)) {
        const play = yield* healthy({ plan: worktrees })
        assert.isTrue(yield* play.abandonedAt(Number(moment)))
        assert.strictEqual((yield* play.tags).at(-1), tag, moment)
        const run = yield* play.conducts
        assert.isTrue(isRunOver(run), `${moment}: ${JSON.stringify(run.paused)}`)
        assert.deepStrictEqual(yield* filesOf(play), ["base.txt", "work-1.txt"])
        assert.strictEqual((yield* play.git("rev-list", "--count", "HEAD")).trim(), "2")
        assert.lengthOf(play.asked, 2)
        yield* isTidy(play)
      }
    })
  )
  live("where no program judges its work, the setup of the plan still comes before its implementer", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const seen: Array<boolean> = []
      const only = (program: string) => ({
        ...planOf("t1"),
        ...worktrees,
        tasks: planOf("t1").tasks.map((task) => ({ ...task, setup: [[program, "ready"]] as const }))
      })
      const conducts = (program: string) =>
        Effect.gen(function* () {
          const play = yield* excluding(
            (work) => ({
              implementer: [
                (assignment) =>
                  Effect.gen(function* () {
                    seen.push(yield* Effect.orDie(fs.exists(`${assignment.cwd}/ready`)))
                    return yield* makes(work, "its.txt")(assignment)
                  })
              ],
              reviewer: [say(approves)]
            }),
            { plan: only(program) }
          )
          yield* play.write(".git/info/exclude", "state.json*\nready\n")
          return { run: yield* play.conducts, tags: yield* play.tags }
        })
      const refused = yield* conducts("false")
      assert.deepInclude(refused.run.paused, { reason: "red" })
      assert.include(refused.run.paused?.message, "false ready at ")
      assert.deepStrictEqual(seen, [], "no agent begins where its tree is not ready")
      const made = yield* conducts("touch")
      assert.isTrue(isRunOver(made.run), JSON.stringify(made.run.paused))
      assert.deepStrictEqual(seen, [true])
      assert.notInclude(made.tags, "WorkVerified")
    })
  )
  live("a tree has what .worktreeinclude names, the untracked settings of agents, and what setup makes", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const seen: Array<string> = []
      const play = yield* excluding(
        (work) => ({
          implementer: [
            (assignment) =>
              Effect.gen(function* () {
                for (const name of [".env", ".claude/settings.local.json", "notes/spec.md", "ready", "other.log"])
                  if (yield* Effect.orDie(fs.exists(`${assignment.cwd}/${name}`))) seen.push(name)
                return yield* makes(work, "its.txt")(assignment)
              })
          ],
          reviewer: [say(approves)]
        }),
        {
          plan: {
            ...worktrees,
            tasks: [
              {
                id: "t1",
                title: "T",
                description: "D",
                acceptanceCriteria: "A",
                dependsOn: [],
                referenceDocs: [{ path: "notes/spec.md", description: "read it" }]
              }
            ]
          },
          gate: { setup: [["touch", "ready"]], verify: [["true"]] }
        }
      )
      yield* play.write(".git/info/exclude", "state.json*\n.env\n*.log\nready\n.claude\nnotes\n.worktreeinclude\n")
      yield* play.write(".worktreeinclude", ".env\n")
      for (const name of [".claude", "notes"]) yield* fs.makeDirectory(`${play.project}/${name}`)
      for (const name of [".env", "other.log", ".claude/settings.local.json", "notes/spec.md"])
        yield* play.write(name, "x\n")
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify(run.paused))
      assert.deepStrictEqual(seen, [".env", ".claude/settings.local.json", "notes/spec.md", "ready"])
      yield* isTidy(play)
    })
  )
})
