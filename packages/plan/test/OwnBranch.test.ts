import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { isRunOver, workPlace } from "../src/index.ts"
import { branchesOf, commitOf, current, excluding, healthy } from "./BranchPlay.ts"
import { approves } from "./PlanStage.ts"
import { live, liveCase, say } from "./PlanTheatre.ts"

describe.concurrent("behaviour#branch", () => {
  live(
    "a branch is made from HEAD and checked out before the first gate and the first agent, and the log knows it",
    () =>
      Effect.gen(function* () {
        const play = yield* healthy({
          plan: { branch: "auto", finish: { _tag: "Leave" } },
          gate: { setup: [], verify: [["true"]] },
          tasks: ["t1", "t2"]
        })
        const base = yield* commitOf(play, "main")
        const run = yield* play.conducts
        assert.isTrue(isRunOver(run))
        assert.deepStrictEqual(yield* branchesOf(play), ["main", "souffleur/play"])
        assert.strictEqual(yield* current(play), "souffleur/play")
        assert.strictEqual(yield* commitOf(play, "main"), base, "nothing is committed there")
        assert.deepStrictEqual(run.ownBranch, {
          branch: "souffleur/play",
          from: "main",
          base,
          remote: null,
          begun: true
        })
        const tags = yield* play.tags
        for (const later of ["BaselineVerified", "AgentAsked"] as const)
          assert.isBelow(tags.indexOf("BranchBegun"), tags.indexOf(later))
        assert.strictEqual(workPlace(run), "2 commits on branch souffleur/play, left there")
        assert.notInclude(
          play.asked.map(({ role }) => role),
          "finisher"
        )
      })
  )
  live("without the key no branch is made", () =>
    Effect.gen(function* () {
      const play = yield* healthy({})
      const run = yield* play.conducts
      assert.deepStrictEqual(yield* branchesOf(play), ["main"])
      assert.isNull(run.ownBranch)
      assert.notIncludeMembers(yield* play.tags, ["BranchChosen"])
      assert.strictEqual(workPlace(run), "1 commit on branch main, left there")
    })
  )
  live("a kill between git and the log: a branch that is there, or checked out already, is not made again", () =>
    Effect.gen(function* () {
      for (const acts of [[["branch", "souffleur/play"]], [["checkout", "-qb", "souffleur/play"]]]) {
        const play = yield* healthy({ plan: { branch: "auto" } })
        // Its choice is in the log, and it was killed.
        yield* play.dispatch({ _tag: "ChooseBranch", branch: "souffleur/play", from: "main" })
        for (const args of acts) yield* play.git(...args)
        const run = yield* play.conducts
        assert.isTrue(isRunOver(run))
        assert.deepStrictEqual(yield* branchesOf(play), ["main", "souffleur/play"])
        assert.deepInclude(run.ownBranch, { branch: "souffleur/play", from: "main" })
      }
    })
  )
  live("a person's commit between the choice and the branch comes along", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: { branch: "auto" } })
      yield* play.dispatch({ _tag: "ChooseBranch", branch: "souffleur/play", from: "main" })
      yield* play.git("branch", "souffleur/play")
      yield* play.git("commit", "-q", "--allow-empty", "-m", "more")
      const run = yield* play.conducts
      assert.strictEqual(run.ownBranch?.base, yield* commitOf(play, "main"))
      assert.deepStrictEqual(yield* branchesOf(play), ["main", "souffleur/play"])
    })
  )
  live("another's branch of the name is left alone: auto takes another name, and a name that is given pauses", () =>
    Effect.gen(function* () {
      const auto = yield* healthy({ plan: { branch: "auto" } })
      yield* auto.git("branch", "souffleur/play")
      const base = yield* commitOf(auto, "souffleur/play")
      assert.strictEqual((yield* auto.conducts).ownBranch?.branch, "souffleur/play-2")
      assert.strictEqual(yield* commitOf(auto, "souffleur/play"), base)

      const named = yield* healthy({ plan: { branch: "feature/auth" } })
      yield* named.git("branch", "feature/auth")
      for (const _ of [1, 2])
        assert.deepInclude((yield* named.conducts).paused, {
          reason: "branch",
          message: "there is a branch feature/auth already: check it out, or name another in the plan"
        })
      assert.strictEqual((yield* named.tags).filter((tag) => tag === "RunPaused").length, 1)
      assert.deepStrictEqual(named.asked, [])
      // A person says by checking it out that it is meant.
      yield* named.git("checkout", "-q", "feature/auth")
      const run = yield* named.conducts
      assert.isTrue(isRunOver(run))
      assert.deepInclude(run.ownBranch, { branch: "feature/auth", from: null })
    })
  )
  liveCase("a branch in the way of the name pauses, and another plan ends that", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: { branch: "auto" } })
      yield* play.git("branch", "souffleur")
      assert.match((yield* play.conducts).paused?.message ?? "", /^git has no room for .* beside souffleur/u)
      play.file.plan = { ...play.file.plan!, branch: "other" }
      yield* play.takesPlan
      assert.strictEqual((yield* play.conducts).ownBranch?.branch, "other")
    })
  )
  liveCase("uncommitted changes, and another branch that is checked out since, pause before the first agent", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: { branch: "auto" } })
      yield* play.write("base.txt", "changed\n")
      assert.deepInclude((yield* play.conducts).paused, { reason: "dirty", files: ["base.txt"] })
      assert.deepStrictEqual(yield* branchesOf(play), ["main"])
      yield* play.git("checkout", "-q", "base.txt")
      assert.isTrue(isRunOver(yield* play.conducts))
    })
  )
  liveCase("lost work on one branch, and then another branch: the run pauses for what is there now", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        ({ commits }) => ({
          implementer: [commits, say("IMPLEMENTATION_BLOCKED\nreason: no key")],
          reviewer: [say(approves)]
        }),
        { plan: { branch: "auto" }, tasks: ["t1", "t2"] }
      )
      yield* play.conducts
      yield* play.git("branch", "kept")
      yield* play.git("reset", "-q", "--hard", "HEAD~1")
      yield* play.dispatch({ _tag: "Answer", taskId: "t2", answer: "retry", text: "" })
      assert.deepInclude((yield* play.conducts).paused, { reason: "work lost" })
      yield* play.git("checkout", "-q", "kept")
      assert.deepInclude((yield* play.conducts).paused, { reason: "history" })
    })
  )
  liveCase("a repository without a commit, and no branch that is checked out", () =>
    Effect.gen(function* () {
      const detached = yield* healthy({ plan: { branch: "auto", finish: { _tag: "Merge" } } })
      yield* detached.git("checkout", "-q", "--detach")
      const run = yield* detached.conducts
      assert.deepInclude(run.ownBranch, { branch: "souffleur/play", from: null })
      assert.match(run.finishingFailure ?? "", /begun from no branch/u)
      const unborn = yield* healthy({ plan: { branch: "auto" } })
      yield* unborn.git("update-ref", "-d", "HEAD")
      yield* unborn.git("rm", "-rq", "--cached", ".")
      const first = yield* unborn.conducts
      assert.deepInclude(first.ownBranch, { from: "main", base: null })
      assert.deepStrictEqual(yield* branchesOf(unborn), ["souffleur/play"])
    })
  )
})
