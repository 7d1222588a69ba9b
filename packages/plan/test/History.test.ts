/** @module-tag cases */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { taskOf } from "../src/index.ts"
import { type Act, approves } from "./PlanStage.ts"
import { abandonedAfter, live, say, theatre } from "./PlanTheatre.ts"

describe("behaviour#git", () => {
  describe.concurrent("history that an agent has changed", () => {
    live(
      "approved work that the next task's agent took back is seen at the end of its assignment: no review or finish follows",
      () =>
        Effect.gen(function* () {
          const play = yield* theatre(
            ({ commits, git }) => {
              const drops: Act = (assignment) =>
                Effect.andThen(git("reset", "-q", "--hard", "HEAD^"), commits(assignment))
              return { implementer: [commits, drops, commits], reviewer: [say(approves)] }
            },
            { tasks: ["t1", "t2"] }
          )
          const paused = yield* play.conducts
          const [t1] = paused.tasks
          assert.deepInclude(paused.paused, { reason: "work lost" })
          assert.include(
            paused.paused?.message,
            `t1, t2: HEAD lacks ${t1!.work.commits[0]}`,
            "of which the second began"
          )
          assert.strictEqual(play.asked.length, 3, "two implementers and a reviewer")
          assert.notInclude(yield* play.tags, "RunVerified")
          yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
          yield* play.dispatch({ _tag: "Answer", taskId: "t2", answer: "retry", text: "" })
          const run = yield* play.conducts
          assert.strictEqual(run.phase, "finished")
        })
    )
    live(
      "approved work that is taken back once the plan is verified is seen right before the finishing step, which is not begun",
      () =>
        Effect.gen(function* () {
          const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }))
          yield* abandonedAfter(play, "RunVerified", 24)
          const head = (yield* play.git("rev-parse", "HEAD")).trim()
          yield* play.git("reset", "-q", "--hard", "HEAD^")
          assert.deepInclude((yield* play.conducts).paused, { reason: "work lost" })
          assert.notInclude(yield* play.tags, "RunFinished")
          yield* play.git("reset", "-q", "--hard", head)
          assert.strictEqual((yield* play.conducts).phase, "finished")
        })
    )
    live("another branch, or none, is a person's: put back, it goes on; or it goes on there by their word", () =>
      Effect.gen(function* () {
        for (const checkout of [["-b", "side"], ["--detach"]]) {
          const play = yield* theatre(({ commits, git }) => ({
            implementer: [(assignment) => Effect.andThen(git("checkout", "-q", ...checkout), commits(assignment))],
            reviewer: [say(approves)]
          }))
          const paused = (yield* play.conducts).paused
          assert.deepInclude(paused, { reason: "history" })
          assert.match(
            paused!.message,
            checkout[0] === "-b" ? /on branch side, and .* main/u : /on no branch, and .* main/u
          )
          assert.strictEqual(play.asked.length, 1, "nobody works there unasked")
          if (checkout[0] === "-b") yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
          else {
            yield* play.git("branch", "-q", "-f", "main", "HEAD")
            yield* play.git("checkout", "-q", "main")
          }
          assert.strictEqual((yield* play.conducts).phase, "finished")
          assert.strictEqual(play.asked.length, 2, "what was done is not done again")
        }
      })
    )
    live("a rebase or a merge in progress is a person's, also with nothing in conflict, and no task begins in it", () =>
      Effect.gen(function* () {
        const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }))
        yield* play.git("commit", "-q", "--allow-empty", "-m", "more")
        yield* play.git("-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "HEAD^")
        assert.match((yield* play.conducts).paused?.message ?? "", /a rebase is in progress/u)
        assert.deepStrictEqual(play.asked, [])
        yield* play.git("rebase", "--abort")
        yield* play.git("checkout", "-q", "-b", "side", "HEAD^")
        yield* play.git("commit", "-q", "--allow-empty", "-m", "side")
        yield* play.git("checkout", "-q", "main")
        yield* play.git("merge", "-q", "--no-commit", "--no-ff", "side")
        assert.strictEqual((yield* play.conducts).paused?.reason, "history")
        assert.deepStrictEqual(play.asked, [])
        yield* play.git("merge", "--abort")
        assert.strictEqual((yield* play.conducts).phase, "finished")
      })
    )
    live(
      "a task's base is approved work too, and a person's commits: rewritten, it pauses, and starts over by their word",
      () =>
        Effect.gen(function* () {
          const play = yield* theatre(({ commits, git }) => ({
            implementer: [
              (assignment) => Effect.andThen(git("commit", "-q", "--amend", "-m", "another base"), commits(assignment)),
              commits
            ],
            reviewer: [say(approves)]
          }))
          const base = (yield* play.git("rev-parse", "HEAD")).trim()
          const paused = (yield* play.conducts).paused
          assert.deepInclude(paused, { reason: "work lost" })
          assert.include(paused?.message, `t1: HEAD lacks ${base}`)
          yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
          const run = yield* play.conducts
          assert.deepInclude(taskOf(run, "t1"), { status: "completed" })
          assert.notStrictEqual(taskOf(run, "t1")?.base, base)
        })
    )
  })
})
