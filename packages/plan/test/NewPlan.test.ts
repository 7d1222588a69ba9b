import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path } from "effect"
import { loadPlan, newPlan } from "../src/index.ts"
import { planKeys } from "../src/tasks/Plan.ts"

const load = Effect.fnUntraced(function* (text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped(), "plan.yaml")
  yield* fs.writeFileString(file, text)
  return (yield* loadPlan(file, path.dirname(file))).plan
}, Effect.scoped)

it.layer(HostServices.layer)("a new plan", (it) => {
  describe("command-line#setting-up", () => {
    it.effect("is no plan yet: no agent works by its examples", () =>
      Effect.gen(function* () {
        const { _tag, message } = yield* Effect.flip(load(newPlan))
        assert.strictEqual(_tag, "PlanInvalid")
        assert.match(message, /tasks: it must be a list, each item behind a dash/u)
      })
    )
    it.effect("has each key of a plan, and is one that holds all of them once the marks are gone", () =>
      Effect.gen(function* () {
        const text = newPlan.split("\n").slice(2).join("\n").replaceAll(/^# /gmu, "")
        assert.sameMembers(
          text.split("\n").flatMap((line) => /^(\w+):/u.exec(line)?.[1] ?? []),
          [...planKeys]
        )
        const plan = yield* load(text)
        assert.deepInclude(plan, { worktrees: true, keepsGoing: true, questions: true, branch: "auto" })
        assert.deepStrictEqual(
          plan.tasks.map(({ id }) => id),
          ["task-001", "final-review"]
        )
        assert.deepStrictEqual(plan.agents?.implementer?.fallback, { agent: "other" })
        for (const line of newPlan.split("\n")) assert.isBelow(line.length, 240)
      })
    )
  })
})
