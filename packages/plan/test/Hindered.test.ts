import { assert, describe } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { approves } from "./PlanStage.ts"
import { live, say, theatre } from "./PlanTheatre.ts"

describe("behaviour#git", () => {
  describe.concurrent("a loop that cannot go on", () => {
    live("git that is gone pauses the run, and it goes on once git answers again: nothing is done twice", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const play = yield* theatre(({ commits, project }) => ({
          implementer: [
            (assignment) => Effect.tap(commits(assignment), () => fs.rename(`${project}/.git`, `${project}/hidden`))
          ],
          reviewer: [say(approves)]
        }))
        const paused = yield* play.conducts
        assert.strictEqual(paused.paused?.reason, "failed")
        assert.match(paused.paused!.message, /git could not tell/u)
        assert.strictEqual((yield* play.conducts).paused?.reason, "failed", "still so")
        assert.notInclude(yield* play.tags, "RunResumed")
        yield* fs.rename(`${play.project}/hidden`, `${play.project}/.git`)
        assert.strictEqual((yield* play.conducts).phase, "finished")
        assert.deepStrictEqual(
          play.asked.map(({ role }) => role),
          ["implementer", "reviewer"]
        )
      })
    )
    live("a state file that became foreign pauses the run; a waiting conductor goes on when it is moved away", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const play = yield* theatre(({ commits, write }) => ({
          implementer: [(assignment) => Effect.tap(commits(assignment), () => write("state.json", '{"mine": 1}'))],
          reviewer: [say(approves)]
        }))
        for (const _ of [1, 2]) assert.strictEqual((yield* play.conducts).paused?.reason, "failed")
        assert.strictEqual((yield* play.tags).filter((tag) => tag === "RunPaused").length, 1, "told once")
        const waited: Array<string> = []
        const run = yield* play.conductsOn(({ paused }) => {
          waited.push(`${paused?.reason}: ${paused?.message}`)
          return Effect.orDie(fs.rename(play.statePath, `${play.project}/mine.json`))
        })
        assert.deepStrictEqual([run.phase, waited.length], ["finished", 1])
        assert.match(waited[0]!, /^failed: .*state\.json: it is no state file of this kind/u)
        assert.strictEqual(yield* fs.readFileString(`${play.project}/mine.json`), '{"mine": 1}')
      })
    )
    live(
      "a state file that an agent has spoiled pauses nothing: it is kept aside and made anew, and that is told",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const spoils = ['{"workflow_id": "pl', "{", '{"tasks": [']
          const play = yield* theatre(
            ({ commits, write }) => ({
              implementer: spoils.map(
                (text) => (assignment) => Effect.tap(commits(assignment), () => write("state.json", text))
              ),
              reviewer: [say(approves)]
            }),
            { tasks: ["t1", "t2", "t3"] }
          )
          assert.strictEqual((yield* play.conducts).phase, "finished")
          const told = (yield* play.events).filter((event) => event._tag === "StateFileRebuilt")
          assert.deepStrictEqual(
            yield* Effect.forEach(told, ({ found, from, kept }) =>
              Effect.map(fs.readFileString(kept ?? ""), (text) => [found, from, text])
            ),
            spoils.map((text) => ["corrupt", "log", text])
          )
          assert.strictEqual(JSON.parse(yield* fs.readFileString(play.statePath)).phase, "completion")
        })
    )
    live("git that is gone while a person is awaited for something else is told too, and then that again", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const play = yield* theatre(({ commits }) => ({ implementer: [commits], reviewer: [say(approves)] }))
        yield* play.write("base.txt", "changed\n")
        const waited: Array<string> = []
        const run = yield* play.conductsOn(({ paused }) =>
          Effect.orDie(
            Effect.gen(function* () {
              waited.push(paused?.reason ?? "")
              if (waited.length === 1) yield* fs.rename(`${play.project}/.git`, `${play.project}/hidden`)
              else if (waited.length === 2) yield* fs.rename(`${play.project}/hidden`, `${play.project}/.git`)
              else yield* play.git("checkout", "--", "base.txt")
            })
          )
        )
        assert.deepStrictEqual([run.phase, waited], ["finished", ["dirty", "failed", "dirty"]])
      })
    )
  })
})
