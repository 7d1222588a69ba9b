import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { type Git, parseStatus, taskOf } from "../src/index.ts"
import { approves, complete, planOf, rejects, stage } from "./Stage.ts"

/** A repository that is a list of commits. */
const repository = () => {
  const commits = ["c0"]
  const git: Git = {
    head: Effect.sync(() => commits.at(-1)!),
    standing: Effect.succeed({ conflicts: [], changed: [] }),
    since: (base) => Effect.sync(() => ({ commits: commits.slice(commits.indexOf(base ?? "c0") + 1), files: ["a.ts"] })),
    missing: () => Effect.succeed([])
  }
  return { commits, git }
}

/** One rejection: four agents. */
const play = Effect.gen(function* () {
  const { commits, git } = repository()
  const project = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const scene = yield* stage(planOf("t1"), git, project, {
    implementer: [() => Effect.sync(() => (commits.push(`c${commits.length}`), complete))],
    reviewer: [() => Effect.succeed(rejects(1)), () => Effect.succeed(approves)]
  })
  return { ...scene, commits }
})

it.live("killed at any of its moments, it goes on from the log, and no agent does its work twice", () =>
  Effect.gen(function* () {
    let moment = 0
    for (;;) {
      moment += 1
      const crashed = yield* Effect.scoped(
        Effect.gen(function* () {
          const scene = yield* play
          const crashed = yield* scene.abandonedAt(moment)
          const run = yield* scene.conducts
          const here = `killed at moment ${moment}`
          assert.strictEqual(run.phase, "finished", here)
          assert.deepStrictEqual(scene.commits, ["c0", "c1", "c2"], here)
          assert.deepStrictEqual(
            scene.asked.map(({ resumed, role }) => `${role}${resumed ? " again" : ""}`),
            ["implementer", "reviewer", "implementer again", "reviewer"],
            here
          )
          assert.deepInclude(taskOf(run, "t1"), { attempts: 2, rejections: 1 }, here)
          return crashed
        })
      )
      if (!crashed) break
    }
    // Each append and each launch, before and after.
    assert.isAbove(moment, 45)
  }).pipe(Effect.provide(NodeServices.layer))
)

it("reads the status of git, with renames, conflicts, and names with spaces", () => {
  const entries = [
    "1 .M N... 100644 100644 100644 aa bb a b.txt",
    "2 R. N... 100644 100644 100644 aa bb R100 new name.txt",
    "old name.txt",
    "u UU N... 100644 100644 100644 100644 aa bb cc both sides.txt",
    ""
  ]
  assert.deepStrictEqual(parseStatus(entries.join("\0")), { conflicts: ["both sides.txt"], changed: ["a b.txt", "new name.txt"] })
})
