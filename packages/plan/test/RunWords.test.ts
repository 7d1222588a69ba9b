import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem, Fiber, Stream } from "effect"
import { isRunOver, next, taskOf } from "../src/index.ts"
import { approves, planOf, rejects } from "./PlanStage.ts"
import { abandonedAfter, hearing, live, noting, type Play, say, theatre } from "./PlanTheatre.ts"

const revert = { _tag: "Answer", answer: "skip", text: "", revert: true } as const

/** Makes a repository that a person works in: its author is known, and souffleur's own files are ignored. */
const owned = Effect.fnUntraced(function* (play: Play) {
  yield* play.git("config", "user.name", "A")
  yield* play.git("config", "user.email", "a@localhost")
  yield* play.write(".git/info/exclude", "state.json*\n")
  return play
})

/** A run whose first task was rejected three times, each time with a commit. */
const rejected = (tasks: ReadonlyArray<string> = ["t1", "t2"]) =>
  Effect.flatMap(
    theatre(
      ({ commits }) => ({
        implementer: [commits],
        reviewer: [say(rejects(1)), say(rejects(2)), say(rejects(3)), say(approves)]
      }),
      { tasks }
    ),
    owned
  )

const subjects = (play: Play) => Effect.map(play.git("log", "--format=%s"), (text) => text.trim().split("\n"))

describe.concurrent("behaviour#a-persons-word-to-a-run", () => {
  live("a held run lets the agent at work end, asks nothing more, and goes on by go, by the plan as it is then", () =>
    Effect.gen(function* () {
      const play: Play = yield* theatre(({ commits }) => ({
        implementer: [hearing(() => play.dispatch({ _tag: "Hold" }), commits)],
        reviewer: [say(approves)]
      }))
      const conductor = yield* Effect.forkChild(play.conducts)
      yield* play.changes.pipe(
        Stream.filter(({ event }) => event._tag === "ImplementationCompleted"),
        Stream.runHead
      )
      const held = yield* play.run
      assert.isNotNull(held.held)
      assert.strictEqual(next(held)._tag, "Held")
      yield* play.dispatch({ _tag: "EndWait" })
      assert.isTrue(isRunOver(yield* Fiber.join(conductor)))
      assert.deepStrictEqual(
        (yield* play.tags).filter((tag) => ["AgentAsked", "RunHeld", "RunHoldEnded"].includes(tag)),
        ["AgentAsked", "RunHeld", "RunHoldEnded", "AgentAsked"]
      )
    })
  )
  live("a stop lets the agent at work end; nothing goes on until a person conducts the plan again", () =>
    Effect.gen(function* () {
      const play: Play = yield* theatre(({ commits }) => ({
        implementer: [hearing(() => play.dispatch({ _tag: "Stop", atOnce: false, reason: "enough" }), commits)],
        reviewer: [say(approves)]
      }))
      for (const _ of ["stopped", "and still"]) {
        const run = yield* play.conducts
        assert.deepInclude(run.stop, { now: false })
        assert.isFalse(isRunOver(run))
        assert.deepStrictEqual(
          play.asked.map(({ role }) => role),
          ["implementer"]
        )
      }
      assert.isFalse(isRunOver(yield* play.conductsOn(() => Effect.die("it waits for nobody"))))
      yield* play.dispatch({ _tag: "EndStop" })
      assert.isTrue(isRunOver(yield* play.conducts))
      assert.deepStrictEqual(play.signals, [])
    })
  )
  live("a stop at once ends the agent as any other is ended; its session goes on, and no attempt is counted", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const stops = () => play.dispatch({ _tag: "Stop", atOnce: true })
      const play: Play = yield* theatre(({ commits }) => ({
        implementer: [hearing(stops, say(undefined)), noting(prompts, commits)],
        reviewer: [hearing(stops, say(undefined)), noting(prompts, say(approves))]
      }))
      for (const _ of ["implementer", "reviewer"]) {
        const stopped = yield* play.conducts
        assert.strictEqual(next(stopped)._tag, "Stopped")
        assert.isEmpty(stopped.assignments)
        assert.deepStrictEqual((yield* play.tags).slice(-3), ["AgentEnding", "AgentStopped", "RunLeft"])
        yield* play.dispatch({ _tag: "EndStop" })
      }
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.deepInclude(taskOf(run, "t1"), { attempts: 1, failures: 0, reviewFailures: 0 })
      assert.deepStrictEqual(
        play.asked.map(({ resumed, role }) => `${role}${resumed ? " again" : ""}`),
        ["implementer", "implementer again", "reviewer", "reviewer again"]
      )
      assert.strictEqual(play.asked[0]?.session, play.asked[1]?.session)
      assert.include(prompts[0], "a person had stopped the run")
      assert.deepStrictEqual(play.signals, ["SIGTERM", "SIGTERM"])
    })
  )
  live("a conductor that was killed while it ended the agent of a stop is followed by one that ends it", () =>
    Effect.gen(function* () {
      const play: Play = yield* theatre(({ commits }) => ({
        implementer: [hearing(() => play.dispatch({ _tag: "Stop", atOnce: true }), say(undefined)), commits],
        reviewer: [say(approves)]
      }))
      yield* abandonedAfter(play, "AgentEnding", 13)
      yield* play.conducts
      assert.deepStrictEqual((yield* play.tags).slice(-2), ["AgentStopped", "RunLeft"])
    })
  )
  live("a complete task is done again on top of what is there; what was approved before stays its work", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const play = yield* theatre(
        ({ commits }) => ({ implementer: [noting(prompts, commits)], reviewer: [say(approves)] }),
        { tasks: ["t1", "t2"] }
      )
      const before = yield* play.conducts
      assert.isTrue(isRunOver(before))
      const { commits } = taskOf(before, "t1")!.work
      yield* play.dispatch({ _tag: "Redo", taskId: "t1", text: "mind the empty input" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.strictEqual(play.asked.length, 6, "t2 is not done again")
      assert.include(prompts[2], "mind the empty input")
      assert.include(prompts[2], `**Done before:** in ${commits[0]}`)
      const { work } = taskOf(run, "t1")!
      assert.deepStrictEqual([work.commits.length, work.commits[0]], [2, commits[0]])
      assert.strictEqual((yield* subjects(play)).length, 4)
    })
  )
  live("a task that was to be done again and is skipped then is what it was before", () =>
    Effect.gen(function* () {
      const play = yield* theatre(({ commits }) => ({
        implementer: [commits],
        reviewer: [say(approves), say(rejects(1)), say(rejects(2)), say(rejects(3))]
      }))
      yield* owned(play)
      const before = taskOf(yield* play.conducts, "t1")!
      yield* play.dispatch({ _tag: "Redo", taskId: "t1", text: "" })
      yield* play.conducts
      yield* play.dispatch({ ...revert, taskId: "t1" })
      const after = taskOf(yield* play.conducts, "t1")!
      assert.deepInclude(after, { status: "completed", skipped: false, work: before.work, earlier: null })
      assert.deepStrictEqual((yield* subjects(play)).slice(0, 3), [
        'Revert "work 2"',
        'Revert "work 3"',
        'Revert "work 4"'
      ])
      assert.include(yield* play.git("ls-files"), "work-1.txt")
    })
  )
})

describe.concurrent("behaviour#answers", () => {
  live("the rejected commits of a skipped task are taken back, and nobody else's", () =>
    Effect.gen(function* () {
      const play = yield* rejected()
      yield* play.conducts
      yield* play.write("person.txt", "p\n")
      yield* play.git("add", "-A")
      yield* play.git("commit", "-q", "-m", "a person's")
      yield* play.dispatch({ ...revert, taskId: "t1" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.deepInclude(taskOf(run, "t1"), { skipped: true, work: { commits: [], files: [], testFile: null } })
      assert.deepStrictEqual(yield* subjects(play), [
        "work 4",
        'Revert "work 1"',
        'Revert "work 2"',
        'Revert "work 3"',
        "a person's",
        "work 3",
        "work 2",
        "work 1",
        "base"
      ])
      assert.strictEqual((yield* play.git("ls-files")).trim(), "base.txt\nperson.txt\nwork-4.txt")
      assert.strictEqual(yield* play.git("status", "--porcelain", "-uno"), "")
    })
  )
  live("a person's commit between two assignments of a skipped task stays", () =>
    Effect.gen(function* () {
      const play: Play = yield* theatre(({ commits, git, write }) => ({
        implementer: [commits],
        reviewer: [
          hearing(
            () =>
              Effect.gen(function* () {
                yield* write("person.txt", "p\n")
                yield* git("add", "person.txt")
                yield* git("commit", "-q", "-m", "a person's")
              }),
            say(rejects(1))
          ),
          say(rejects(2)),
          say(rejects(3))
        ]
      }))
      yield* owned(play)
      assert.strictEqual(taskOf(yield* play.conducts, "t1")?.work.commits.length, 4)
      yield* play.dispatch({ ...revert, taskId: "t1" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.strictEqual(taskOf(run, "t1")?.work.commits.length, 1)
      assert.strictEqual((yield* play.git("ls-files")).trim(), "base.txt\nperson.txt")
    })
  )
  live("of a skipped final review only what its own implementers made is taken back, and never approved work", () =>
    Effect.gen(function* () {
      const final = { ...planOf("all").tasks[0]!, final: true as const, dependsOn: ["t1"] }
      const play = yield* theatre(
        ({ commits }) => ({
          implementer: [commits],
          reviewer: [say(approves), say(rejects(1)), say(rejects(2))]
        }),
        { plan: { tasks: [...planOf("t1").tasks, final] } }
      )
      yield* owned(play)
      assert.strictEqual(taskOf(yield* play.conducts, "all")?.status, "escalated")
      // What was approved of t1 waits to be done again.
      yield* play.dispatch({ _tag: "Redo", taskId: "t1", text: "" })
      yield* play.dispatch({ ...revert, taskId: "all" })
      const { reverting } = yield* play.run
      assert.strictEqual(yield* play.git("log", "--no-walk", "--format=%s", ...reverting!.commits), "work 2\n")
    })
  )
  live("a file that git ignores by now is not written over by that: nothing changes, and the run pauses", () =>
    Effect.gen(function* () {
      const play: Play = yield* theatre(({ commits, git, write }) => ({
        implementer: [
          hearing(
            () => Effect.andThen(git("rm", "-q", "--cached", "base.txt"), write(".gitignore", "base.txt\n")),
            commits
          ),
          commits
        ],
        reviewer: [say(rejects(1)), say(rejects(2)), say(rejects(3))]
      }))
      yield* owned(play)
      yield* play.conducts
      yield* play.write("base.txt", "of a person alone\n")
      const head = yield* play.git("rev-parse", "HEAD")
      yield* play.dispatch({ ...revert, taskId: "t1" })
      const fs = yield* FileSystem.FileSystem
      const { paused } = yield* play.conducts
      assert.strictEqual(yield* fs.readFileString(`${play.project}/base.txt`), "of a person alone\n")
      assert.strictEqual(yield* play.git("rev-parse", "HEAD"), head)
      assert.include(paused?.message, "base.txt")
      yield* fs.remove(`${play.project}/base.txt`)
      assert.isTrue(isRunOver(yield* play.conducts))
      assert.strictEqual(yield* fs.readFileString(`${play.project}/base.txt`), "base\n")
    })
  )
  live("a conflict changes nothing, pauses, is told once, and is left as it is by --skip", () =>
    Effect.gen(function* () {
      const play = yield* rejected()
      yield* play.conducts
      yield* play.write("work-1.txt", "mended by a person\n")
      yield* play.git("commit", "-qam", "a person's")
      yield* play.dispatch({ ...revert, taskId: "t1" })
      const head = yield* play.git("rev-parse", "HEAD")
      const paused = yield* play.conducts
      assert.strictEqual(paused.paused?.reason, "revert")
      assert.match(paused.paused!.message, /^commit [0-9a-f]{12} conflicts with what came after it$/u)
      assert.deepStrictEqual(
        [yield* play.git("rev-parse", "HEAD"), yield* play.git("status", "-s", "-uno")],
        [head, ""]
      )
      yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "skip", text: "" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.strictEqual(taskOf(run, "t1")?.work.commits.length, 3)
    })
  )
  live("a conductor that is killed at any moment of that is followed by one that comes to the same", () =>
    Effect.gen(function* () {
      // The log has the commits; the branch has them too; and the log has that.
      for (const moment of [4, 5, 6]) {
        const play = yield* rejected(["t1"])
        yield* play.conducts
        yield* play.dispatch({ ...revert, taskId: "t1" })
        assert.isTrue(yield* play.abandonedAt(moment))
        assert.isTrue(isRunOver(yield* play.conducts), `moment ${moment}`)
        assert.deepStrictEqual((yield* subjects(play)).slice(0, 4), [
          'Revert "work 1"',
          'Revert "work 2"',
          'Revert "work 3"',
          "work 3"
        ])
      }
    })
  )
  live("no program of the repository's own configuration runs for it", () =>
    Effect.gen(function* () {
      // One task: an agent that commits by git itself would run them.
      const play = yield* rejected(["t1"])
      yield* play.conducts
      const touch = `touch ${play.project}/ran`
      for (const key of [
        "merge.own.driver",
        "filter.own.smudge",
        "filter.own.clean",
        "gpg.program",
        "core.fsmonitor",
        "merge.own.name"
      ])
        yield* play.git("config", key, touch)
      for (const [key, value] of [
        ["merge.default", "own"],
        ["merge.verifySignatures", "true"],
        ["commit.gpgsign", "true"],
        ["core.hooksPath", `${play.project}/hooks`],
        ["branch.main.mergeOptions", "--squash"]
      ])
        yield* play.git("config", key!, value!)
      yield* play.write(".git/info/attributes", "* merge=own filter=own\n")
      yield* play.dispatch({ ...revert, taskId: "t1" })
      assert.isTrue(isRunOver(yield* play.conducts))
      assert.include(yield* play.tags, "WorkReverted")
      assert.isFalse(yield* (yield* FileSystem.FileSystem).exists(`${play.project}/ran`))
    })
  )
})
