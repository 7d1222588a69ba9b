import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Plan, planDifference, type PlannedTask, termsOf } from "../src/index.ts"
import { planOf } from "./PlanStage.ts"

const plan = planOf("t1", "t2", "t3")
const [one, two, three] = plan.tasks as [PlannedTask, PlannedTask, PlannedTask]
const having = (...tasks: ReadonlyArray<PlannedTask>): Plan => ({ ...plan, tasks })

describe("behaviour#the-plan-is-a-persons", () => {
  const changed = "changed: t1"
  it.effect.each<readonly [string, Plan, string | undefined]>([
    ["the same", having(one, two, three), undefined],
    ["another name of the workflow", { ...plan, workflowId: "x" }, undefined],
    ["a task more", having(one, two, three, { ...one, id: "t4" }), "added: t4"],
    ["tasks less", having(two), "dropped: t1, t3"],
    ["another task in its place", having(one, two, { ...three, id: "t4" }), "added: t4; dropped: t3"],
    ["another order", having(two, one, three), "another order"],
    ["another dependency", having({ ...one, dependsOn: ["t2"] }, two, three), changed],
    ["another criterion", having({ ...one, acceptanceCriteria: "nothing" }, two, three), changed],
    ["another description", having({ ...one, description: "x" }, two, three), changed],
    ["another document", having({ ...one, referenceDocs: [{ path: "x", description: "y" }] }, two, three), changed],
    [
      "a title in the place of a description",
      having({ ...one, title: "D", description: one.title }, two, three),
      changed
    ],
    ["a work tree a task", { ...plan, worktrees: true }, "a work tree a task"],
    [
      "going on beside a stuck task",
      { ...plan, worktrees: true, keepsGoing: true },
      "a work tree a task; another on_escalation"
    ],
    ["other files", having({ ...one, touches: ["src/**"] }, two, three), changed],
    ["more at once", { ...plan, parallel: 3 }, "another parallel"],
    ["another finishing step", { ...plan, finish: { _tag: "Command", command: ["x"] } }, "another finishing step"]
  ])("%s", ([, after, said]) =>
    Effect.gen(function* () {
      assert.strictEqual(planDifference(yield* termsOf(plan), yield* termsOf(after)), said)
    })
  )
  it.effect("a ticked box is the same word, and a box that is no list item's is text", () =>
    Effect.gen(function* () {
      const withText = (text: string) => termsOf(having({ ...one, description: text, acceptanceCriteria: text }))
      const before = yield* withText("- [ ] model\n  1. [ ] test\n[ ] see a[ ]")
      assert.isUndefined(planDifference(before, yield* withText("- [x] model\n  1. [X] test\n[x] see a[ ]")))
      assert.strictEqual(planDifference(before, yield* withText("- [x] model\n  1. [X] test\n[x] see a[x]")), changed)
    })
  )
  it.effect("of many tasks the first are named, and the rest are counted", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 500 }, (_, n) => `t${n}`)
      const difference = planDifference(yield* termsOf(planOf("a")), yield* termsOf(planOf(...ids)))
      assert.strictEqual(difference, `added: ${ids.slice(0, 10).join(", ")} and 490 others; dropped: a`)
    })
  )
})
