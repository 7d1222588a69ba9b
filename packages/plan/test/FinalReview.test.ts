import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { planDifference, planOf, planText, taskOf, termsOf } from "../src/index.ts"
import { reviewerPrompt } from "../src/agent/ReviewPrompt.ts"
import { freshTask } from "../src/run/Run.ts"
import { approves, rejects } from "./PlanStage.ts"
import { live, noting, say, theatre } from "./PlanTheatre.ts"
import { Hashing } from "@souffleur/domain"

const source = (more: object = {}, ids: ReadonlyArray<string> = ["t1", "t2"]) => ({
  final_review: true,
  constraints: ["no new dependency"],
  tasks: ids.map((id) => ({ id, title: `Do ${id}`, acceptance_criteria: [`${id} is there`] })),
  finish: "none",
  ...more
})
const read = (from: object) => planOf(from, new Map(), "play")
const plan = (more: object = {}, ids?: ReadonlyArray<string>) => Result.getOrThrow(read(source(more, ids)))

const roles = (asked: ReadonlyArray<{ readonly role: string; readonly resumed: boolean }>) =>
  asked.map(({ resumed, role }) => `${role}${resumed ? " again" : ""}`)
const done = ["implementer", "reviewer", "implementer", "reviewer"]

describe("behaviour#final-review", () => {
  describe("a plan", () => {
    it("that asks for one has it last, with all criteria, the constraints, and the gates of all", () => {
      const [, , review] = plan({
        verify: ["npm", "test"],
        tasks: [
          { id: "t1", title: "Do t1", acceptance_criteria: "A1", verify: ["npm", "run", "e2e"] },
          { id: "t2", title: "Do t2", acceptance_criteria: "A2" }
        ]
      }).tasks
      assert.deepInclude(review, {
        id: "final-review",
        final: true,
        dependsOn: ["t1", "t2"],
        constraints: "- no new dependency",
        gate: {
          setup: [],
          verify: [
            ["npm", "test"],
            ["npm", "run", "e2e"]
          ]
        }
      })
      for (const part of ["**t1: Do t1**\n\nA1", "**t2: Do t2**\n\nA2"])
        assert.include(review?.acceptanceCriteria, part)
    })
    it("is what it was without the key, and may have a task of that name", () => {
      assert.strictEqual(plan({ final_review: false }).tasks.length, 2)
      assert.strictEqual(plan({ final_review: undefined }, ["final-review"]).tasks.length, 1)
      assert.deepStrictEqual(Result.getOrThrow(Result.flip(read(source({}, ["final-review"])))), [
        { place: ["tasks", 0, "id"], what: '"final-review" is the id of the final review: choose another' }
      ])
    })
    it.effect("is written so that it is read as the same plan, and differs once it asks for no review", () =>
      Effect.gen(function* () {
        const text = yield* planText(plan())
        assert.include(text, "final_review: true\n")
        assert.notInclude(text, "final-review")
        const [asks, asksNot] = [yield* termsOf(plan()), yield* termsOf(plan({ final_review: false }))]
        assert.strictEqual(planDifference(asksNot, asks), "added: final-review")
      }).pipe(Effect.provideService(Hashing, (bytes) => Effect.succeed(`${bytes.length}`)))
    )
    it("of a thousand long tasks has a review that is one argument of a program", () => {
      const tasks = Array.from({ length: 1000 }, (_, n) => ({
        id: `t${n}`,
        title: "T",
        acceptance_criteria: "c".repeat(900)
      }))
      const review = plan({ tasks, constraints: "x".repeat(25_000) }).tasks.at(-1)!
      assert.match(review.acceptanceCriteria, /And those of 99\d more tasks\.$/u)
      assert.isBelow(reviewerPrompt(review, freshTask(review), "w0rd").length, 40_000)
    })
  })

  describe.concurrent("over a real repository", () => {
    live(
      "a fresh reviewer judges all commits of the run against all criteria; approved, the run goes on to its end",
      () =>
        Effect.gen(function* () {
          const prompts: Array<string> = []
          const play = yield* theatre(
            ({ commits }) => ({ implementer: [commits], reviewer: [noting(prompts, say(approves))] }),
            { plan: plan() }
          )
          const run = yield* play.conducts
          assert.deepStrictEqual(roles(play.asked), [...done, "reviewer"])
          assert.deepInclude(run, { phase: "finished", summary: { completed: 2, skipped: 0, commits: 2, files: 2 } })
          const all = (yield* play.git("log", "--format=%H", "--reverse")).trim().split("\n").slice(1)
          for (const part of [`**Commits:** ${all.join(", ")}\n`, "t1 is there", "t2 is there", "- no new dependency"])
            assert.include(prompts[2], part)
          assert.deepInclude(taskOf(run, "final-review"), { status: "completed", attempts: 0 })
          // A task that is done again begins from another commit.
          yield* play.dispatch({ _tag: "Redo", taskId: "t1", text: "" })
          const again = yield* play.conducts
          assert.strictEqual(again.phase, "finished")
          assert.lengthOf(prompts, 5)
          const more = (yield* play.git("rev-parse", "HEAD")).trim()
          assert.include(prompts[4], `**Commits:** ${[...all, more].join(", ")}\n`)
        })
    )
    live("rejected, one fresh implementer gets what blocks, and its commits a re-review", () =>
      Effect.gen(function* () {
        const prompts: Array<string> = []
        const play = yield* theatre(
          ({ commits }) => ({
            implementer: [commits, commits, noting(prompts, commits)],
            reviewer: [say(approves), say(approves), say(rejects(1)), noting(prompts, say(approves))]
          }),
          { plan: plan() }
        )
        const run = yield* play.conducts
        assert.deepStrictEqual(roles(play.asked), [...done, "reviewer", "implementer", "reviewer"])
        const [, , before, head] = (yield* play.git("log", "--format=%H", "--reverse")).trim().split("\n")
        assert.include(prompts[0], "**Feedback:**\nno 1\n\nIssues identified:\n- issue 1\n")
        assert.include(prompts[1], `- issue 1\n\n**Commits Since:** \`${before}..${head}\` (1)\n`)
        assert.include(prompts[1], '**Files Changed Since:**\n- "work-3.txt"\n')
        assert.deepInclude(run, { phase: "finished", summary: { completed: 2, skipped: 0, commits: 3, files: 3 } })
      })
    )
    live("rejected twice, a person is needed: --retry begins the count again, --skip lets it be", () =>
      Effect.gen(function* () {
        const play = yield* theatre(
          ({ commits }) => ({
            implementer: [commits],
            reviewer: [say(approves), say(approves), ...[1, 2, 3, 4].map((n) => say(rejects(n)))]
          }),
          { plan: plan() }
        )
        for (const n of [2, 4]) {
          const run = yield* play.conducts
          assert.deepStrictEqual(taskOf(run, "final-review")?.escalation, {
            reason: "rejections",
            message: `rejected 2 times: no ${n}`
          })
          assert.strictEqual(run.phase, "implementation")
          yield* play.dispatch({
            _tag: "Answer",
            taskId: "final-review",
            answer: n === 2 ? "retry" : "skip",
            text: ""
          })
        }
        const run = yield* play.conducts
        assert.deepInclude(run, { phase: "finished", summary: { completed: 2, skipped: 0, commits: 5, files: 5 } })
        assert.deepInclude(taskOf(run, "final-review"), { status: "completed", skipped: true })
      })
    )
    live("the gate of all tasks judges what its implementer commits, before it is reviewed again", () =>
      Effect.gen(function* () {
        const verify = (file: string) => ["sh", "-c", `test ! -f ${file} || exit 3`]
        const play = yield* theatre(
          ({ commits, git }) => ({
            implementer: [
              commits,
              commits,
              commits,
              (assignment) => Effect.andThen(git("rm", "-q", "work-3.txt"), commits(assignment))
            ],
            reviewer: [say(approves), say(approves), say(rejects(1)), say(approves)]
          }),
          {
            plan: plan({
              tasks: [
                { id: "t1", title: "T", acceptance_criteria: "A", verify: verify("work-3.txt") },
                { id: "t2", title: "T", acceptance_criteria: "A" }
              ]
            })
          }
        )
        const run = yield* play.conducts
        assert.deepStrictEqual(roles(play.asked), [...done, "reviewer", "implementer", "implementer again", "reviewer"])
        assert.deepInclude(taskOf(run, "final-review"), { status: "completed", verified: true })
      })
    )
    live("a task that a person adds begins first, and the review of all comes after it once more", () =>
      Effect.gen(function* () {
        const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
          plan: plan()
        })
        yield* play.conducts
        play.file.plan = plan({}, ["t1", "t2", "t3"])
        yield* play.takesPlan
        const run = yield* play.conducts
        assert.deepStrictEqual(roles(play.asked), [...done, "reviewer", "implementer", "reviewer", "reviewer"])
        assert.deepInclude(run, { phase: "finished", summary: { completed: 3, skipped: 0, commits: 3, files: 3 } })
        assert.strictEqual(taskOf(run, "final-review")?.work.commits.length, 3)
      })
    )
    live("it is left out where no task of the run began", () =>
      Effect.gen(function* () {
        const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }), {
          plan: plan({ tasks: [{ id: "t1", title: "T", acceptance_criteria: "A", done: true }] })
        })
        assert.deepInclude(yield* play.conducts, { phase: "finished" })
        assert.deepStrictEqual(play.asked, [])
      })
    )
  })
})
