import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Stream } from "effect"
import { isRunOver, next, planOf, type Run } from "../src/index.ts"
import { pullRequestText } from "../src/finish/PullRequestText.ts"
import { freshTask, initialRun } from "../src/run/Run.ts"
import { branchesOf, commitOf, current, excluding, healthy } from "./BranchPlay.ts"
import { approves, rejects } from "./PlanStage.ts"
import { hearing, live, type Play, say } from "./PlanTheatre.ts"

const merging = { branch: "auto", finish: { _tag: "Merge" } } as const
const reviewed = Result.getOrThrow(
  planOf(
    {
      final_review: true,
      branch: "auto",
      finish: "merge",
      tasks: ["t1", "t2"].map((id) => ({ id, title: `Do ${id}`, acceptance_criteria: "it is there" }))
    },
    new Map(),
    "play"
  )
)
const author = ({ git }: Play) =>
  Effect.andThen(git("config", "user.name", "A"), git("config", "user.email", "a@localhost"))

const merged = Effect.fnUntraced(function* (play: Play, run: Run) {
  assert.isTrue(isRunOver(run), JSON.stringify([run.finishingFailure, run.paused]))
  assert.isFalse(run.finishingRetried)
  assert.deepStrictEqual(run.delivered, { _tag: "Merged", into: "main" })
  assert.strictEqual(yield* commitOf(play, "main"), yield* commitOf(play, "souffleur/play"))
})

describe.concurrent("behaviour#merge", () => {
  live("rejected commits that a person had taken back get along with those that do it", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        ({ commits }) => ({
          implementer: [commits],
          reviewer: [say(rejects(1)), say(rejects(2)), say(rejects(3)), say(approves)]
        }),
        { plan: merging, tasks: ["t1", "t2"] }
      )
      yield* author(play)
      yield* play.conducts
      yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "skip", text: "", revert: true })
      const run = yield* play.conducts
      yield* merged(play, run)
      assert.strictEqual(run.takenBack.length, 6)
      assert.strictEqual((yield* play.git("ls-files")).trim(), "base.txt\nwork-4.txt")
    })
  )
  live("work that was done again, and that of a final review, is approved", () =>
    Effect.gen(function* () {
      const play: Play = yield* excluding(
        ({ commits }) => ({
          implementer: [
            commits,
            hearing(() => play.dispatch({ _tag: "Redo", taskId: "t1", text: "once more" }), commits),
            commits
          ],
          reviewer: [say(approves), say(approves), say(approves), say(rejects(1)), say(approves)]
        }),
        { plan: reviewed }
      )
      const run = yield* play.conducts
      yield* merged(play, run)
      assert.strictEqual((yield* play.git("rev-list", "--count", "main")).trim(), "5")
      const { body, title } = pullRequestText(run, reviewed)
      assert.strictEqual(title, "play: 2 tasks")
      assert.match(
        body,
        /^- \*\*final-review\*\* `Final review`: approved by its reviewer after 1 rejection, unverified$/mu
      )
    })
  )
  live("a task that is done again after the merge waits for its branch, and is merged as well", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: merging })
      yield* merged(play, yield* play.conducts)
      yield* play.dispatch({ _tag: "Redo", taskId: "t1", text: "" })
      const redone = yield* play.run
      assert.deepInclude(redone, { phase: "implementation", finishing: "not begun", delivered: null })
      const paused = yield* play.conducts
      assert.deepInclude(paused.paused, {
        reason: "history",
        message: "it is on branch main, and the newest task began on branch souffleur/play"
      })
      yield* play.git("checkout", "-q", "souffleur/play")
      yield* merged(play, yield* play.conducts)
      assert.strictEqual((yield* play.git("rev-list", "--count", "main")).trim(), "3")
      assert.strictEqual(yield* current(play), "main")
    })
  )
  live("nothing is merged while a person holds the run, or has stopped it; it is merged once they let it go on", () =>
    Effect.gen(function* () {
      for (const word of [{ _tag: "Hold" }, { _tag: "Stop", atOnce: false }] as const) {
        const play: Play = yield* excluding(
          ({ commits }) => ({
            implementer: [commits],
            reviewer: [hearing(() => play.dispatch(word), say(approves))]
          }),
          { plan: merging }
        )
        const base = yield* commitOf(play, "main")
        const conductor = yield* Effect.forkChild(play.conducts)
        yield* play.changes.pipe(
          Stream.filter(({ event }) => event._tag === "TaskCompleted"),
          Stream.runHead
        )
        const waiting = yield* play.run
        assert.include(["Held", "Stopped"], next(waiting)._tag)
        assert.strictEqual(yield* commitOf(play, "main"), base)
        if (word._tag === "Stop") yield* Fiber.join(conductor)
        yield* play.dispatch(word._tag === "Stop" ? { _tag: "EndStop" } : { _tag: "EndWait" })
        yield* merged(play, yield* word._tag === "Stop" ? play.conducts : Fiber.join(conductor))
      }
    })
  )
})

describe.concurrent("behaviour#branch", () => {
  live("none is made while a person has stopped the run", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: merging })
      yield* play.dispatch({ _tag: "Stop", atOnce: false })
      assert.strictEqual(next(yield* play.conducts)._tag, "Stopped")
      assert.deepStrictEqual(yield* branchesOf(play), ["main"])
      yield* play.dispatch({ _tag: "EndStop" })
      yield* merged(play, yield* play.conducts)
    })
  )
  it("none is made for a final review that has nothing to judge", () => {
    const before = {
      ...freshTask({ id: "t1", title: "T", dependsOn: [] }),
      status: "completed",
      skipped: true
    } as const
    const review = freshTask({ id: "final-review", title: "R", dependsOn: ["t1"], final: true })
    const run: Run = {
      ...initialRun,
      phase: "implementation",
      agreed: { ...initialRun.agreed, branch: "auto" },
      tasks: [before, review]
    }
    assert.strictEqual(next(run)._tag, "Start")
    assert.strictEqual(next({ ...run, tasks: [{ ...before, status: "pending" }, review] })._tag, "Branch")
  })
})
