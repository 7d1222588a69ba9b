import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { isRunOver, workPlace } from "../src/index.ts"
import { branchesOf, commitOf, current, excluding, healthy } from "./BranchPlay.ts"
import { approves } from "./PlanStage.ts"
import { live, liveCase, type Play, say, type theatre } from "./PlanTheatre.ts"

const merging = { branch: "auto", finish: { _tag: "Merge" } } as const

/** A run whose base moves by a commit of this file, while the implementer works. */
const moved = Effect.fnUntraced(function* (
  name: string,
  gate?: NonNullable<NonNullable<Parameters<typeof theatre>[1]>["gate"]>
) {
  const play = yield* excluding(
    ({ commits, git }) => ({
      implementer: [
        (assignment) => Effect.andThen(git("update-ref", "refs/heads/main", "refs/heads/side"), commits(assignment))
      ],
      reviewer: [say(approves)]
    }),
    { plan: merging, ...(gate === undefined ? {} : { gate }) }
  )
  yield* play.git("checkout", "-qb", "side")
  yield* play.write(name, "side\n")
  yield* play.git("add", name)
  yield* play.git("commit", "-qm", "aside")
  yield* play.git("checkout", "-q", "main")
  return { ...play, aside: yield* commitOf(play, "side") }
})
const untouched = Effect.fnUntraced(function* (play: Play & { readonly aside: string }, why: RegExp) {
  const run = yield* play.conducts
  assert.match(run.finishingFailure ?? "", why)
  assert.strictEqual(yield* commitOf(play, "main"), play.aside)
  assert.deepStrictEqual([yield* current(play), yield* play.git("status", "--porcelain")], ["souffleur/play", ""])
  assert.strictEqual(workPlace(run), "1 commit on branch souffleur/play, left there")
  return run
})

describe.concurrent("behaviour#merge", () => {
  live("the work is merged fast-forward into the branch that it was begun from, and that is checked out", () =>
    Effect.gen(function* () {
      const play = yield* healthy({ plan: merging })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.deepStrictEqual(run.delivered, { _tag: "Merged", into: "main" })
      assert.strictEqual(yield* commitOf(play, "main"), yield* commitOf(play, "souffleur/play"))
      assert.deepStrictEqual([yield* current(play), yield* play.git("status", "--porcelain")], ["main", ""])
      assert.strictEqual(workPlace(run), "1 commit on branch souffleur/play, merged into main")
    })
  )
  live("a base that has moved gets a commit of both, and that is checked out", () =>
    Effect.gen(function* () {
      const play = yield* moved("other.txt")
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), JSON.stringify([run.finishingFailure, run.paused]))
      const parents = (yield* play.git("rev-list", "--parents", "-1", "main")).trim().split(" ").slice(1)
      assert.deepStrictEqual(parents, [play.aside, yield* commitOf(play, "souffleur/play")])
      assert.strictEqual((yield* play.git("log", "-1", "--format=%s", "main")).trim(), "Merge branch 'souffleur/play'")
      const fs = yield* FileSystem.FileSystem
      assert.isTrue(yield* fs.exists(`${play.project}/other.txt`))
      assert.deepStrictEqual([yield* current(play), yield* play.git("status", "--porcelain")], ["main", ""])
    })
  )
  live("a commit of both that the gate refuses is not made", () =>
    Effect.gen(function* () {
      const apart = ["sh", "-c", "! test -f other.txt || ! test -f work-1.txt"] as const
      const play = yield* moved("other.txt", { setup: [], verify: [apart] })
      yield* untouched(play, /^the gate refuses souffleur\/play together with main: sh -c .* ended with 1$/u)
    })
  )
  live("a conflict leaves both branches; once a person has resolved it, --retry merges", () =>
    Effect.gen(function* () {
      const play = yield* moved("work-1.txt")
      yield* untouched(play, /^souffleur\/play and main are at odds in work-1\.txt$/u)
      yield* play.git("merge", "-q", "-s", "ours", "main")
      yield* play.dispatch({ _tag: "AnswerFinishing", answer: "retry" })
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run), run.finishingFailure ?? "")
      assert.strictEqual(yield* commitOf(play, "main"), yield* commitOf(play, "souffleur/play"))
    })
  )
  live("a base that another work tree has out is left alone; a merge that is there already is only told", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        ({ commits, git, project }) => ({
          implementer: [
            (assignment) =>
              Effect.andThen(git("worktree", "add", "-q", `${project}/.git/there`, "main"), commits(assignment))
          ],
          reviewer: [say(approves)]
        }),
        { plan: merging }
      )
      const base = yield* commitOf(play, "main")
      const run = yield* play.conducts
      assert.match(run.finishingFailure ?? "", /^main is checked out in .*there: merge souffleur\/play by hand/u)
      assert.strictEqual(yield* commitOf(play, "main"), base)
      // As after a kill between git and the log.
      yield* play.git("worktree", "remove", ".git/there")
      yield* play.git("update-ref", "refs/heads/main", "souffleur/play")
      yield* play.dispatch({ _tag: "AnswerFinishing", answer: "retry" })
      assert.deepInclude(yield* play.conducts, { finishing: "done", delivered: { _tag: "Merged", into: "main" } })
      assert.strictEqual(yield* current(play), "main")
    })
  )
  liveCase("commits that nobody approved are named, and no base gets them without a person's word", () =>
    Effect.gen(function* () {
      const play = yield* excluding(
        ({ commits }) => ({
          implementer: [
            (assignment) => Effect.as(commits(assignment), "IMPLEMENTATION_BLOCKED\nreason: no key"),
            commits
          ],
          reviewer: [say(approves)]
        }),
        { plan: merging, tasks: ["t1", "t2"] }
      )
      yield* play.conducts
      yield* play.dispatch({ _tag: "Answer", taskId: "t1", answer: "skip", text: "" })
      const run = yield* play.conducts
      assert.match(run.finishingFailure ?? "", /^no reviewer approved 1 commit of souffleur\/play: [0-9a-f]{12}: /u)
      yield* play.dispatch({ _tag: "AnswerFinishing", answer: "skip" })
      assert.isTrue(isRunOver(yield* play.conducts))
      assert.strictEqual((yield* play.git("rev-list", "--count", "main")).trim(), "1")
      assert.deepStrictEqual(yield* branchesOf(play), ["main", "souffleur/play"])
    })
  )
  liveCase("programs that an agent names in the repository's own configuration do not run for it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const play = yield* excluding(
        ({ commits, git, project, write }) => ({
          implementer: [
            (assignment) =>
              Effect.gen(function* () {
                const said = yield* commits(assignment)
                const evil = `${project}/.git/evil`
                yield* write(".git/evil", `#!/bin/sh\necho ran >> ${project}/.git/ran\n`)
                yield* fs.chmod(evil, 0o755)
                for (const key of ["merge.evil.driver", "filter.evil.smudge", "filter.evil.clean", "core.fsmonitor"])
                  yield* git("config", key, evil)
                yield* git("update-ref", "refs/heads/main", "refs/heads/side")
                yield* fs.makeDirectory(`${project}/.git/hooks`, { recursive: true })
                for (const hook of ["post-checkout", "reference-transaction"])
                  yield* fs.copyFile(evil, `${project}/.git/hooks/${hook}`)
                yield* write(".git/info/attributes", "*.txt merge=evil filter=evil\n")
                return said
              })
          ],
          reviewer: [say(approves)]
        }),
        { plan: merging }
      )
      yield* play.git("checkout", "-qb", "side")
      for (const [name, text] of [
        ["base.txt", "base\nmore\n"],
        ["other.txt", "1\n"]
      ] as const)
        yield* play.write(name, text)
      yield* play.git("add", "-A")
      yield* play.git("commit", "-qm", "aside")
      yield* play.git("checkout", "-q", "main")
      const run = yield* play.conducts
      assert.deepInclude(run, { finishing: "done" }, JSON.stringify([run.finishingFailure, run.paused]))
      assert.isFalse(yield* fs.exists(`${play.project}/.git/ran`))
      assert.isTrue(yield* fs.exists(`${play.project}/other.txt`))
    })
  )
})
