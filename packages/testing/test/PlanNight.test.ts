import { assert, describe, it } from "@effect/vitest"
import { Parts, Souffleur } from "@souffleur/embed"
import { Effect, Layer } from "effect"
import { fakeKind, FakeWorld, untilDone } from "../src/index.ts"

const plan = `workflow_id: house
tasks:
  - id: walls
    title: Walls
    description: Build them.
    acceptance_criteria: They stand.
  - id: roof
    title: Roof
    description: Build it.
    acceptance_criteria: It is dry.
    depends_on: [walls]
  - id: door
    title: Door
    description: Build it.
    acceptance_criteria: It opens.
    depends_on: [roof]
`

/** A world with a plan of three tasks, and the service in it. */
const site = () => {
  const world = new FakeWorld({ settings: { maxExternalPermission: "acceptEdits" } })
  world.files.write("/p/plan.yaml", plan)
  return {
    world,
    layer: Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  }
}
const order = { project: "/p", plan: "plan.yaml", permission: "acceptEdits" } as const

describe("a plan in memory", () => {
  it.effect("a plan of three is done with no git program, and a rejected task is done again", () => {
    const { layer, world } = site()
    const does = world.musicians.plays
    world.musicians.plays = (part) =>
      part.role === "reviewer" && part.taskId === "roof" && part.attempt === 1
        ? { _tag: "rejected", issues: ["it leaks"] }
        : does(part)
    return Effect.gen(function* () {
      const { conduct } = yield* Souffleur
      const { awaitEnd } = yield* conduct(order)
      const { finishing, phase } = yield* untilDone(awaitEnd)
      assert.deepStrictEqual([finishing, phase], ["done", "finished"])
      assert.deepStrictEqual(
        world.musicians.parts.map(({ attempt, role, taskId }) => `${role} ${taskId} ${attempt}`),
        [
          "implementer walls 1",
          "reviewer walls 1",
          "implementer roof 1",
          "reviewer roof 1",
          "implementer roof 2",
          "reviewer roof 2",
          "implementer door 1",
          "reviewer door 1",
          "finisher null 1"
        ]
      )
      assert.include(world.musicians.parts[4]?.prompt, "it leaks")
      assert.strictEqual(world.git.commits.length, 5)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
  it.effect("an implementer that hangs is ended once its time is over, and one that is blocked needs a person", () => {
    const { layer, world } = site()
    world.musicians.plays = ({ attempt }) =>
      attempt === 1 ? { _tag: "hangs" } : { _tag: "blocked", reason: "no stones" }
    return Effect.gen(function* () {
      const { conduct } = yield* Souffleur
      const run = yield* conduct(order)
      const left = yield* untilDone(run.awaitEnd, { within: "8 hours" })
      assert.deepStrictEqual(world.signals, ["SIGTERM 5000"])
      assert.strictEqual(left.tasks[0]?.status, "escalated")
      assert.include(run.needs(left).join("\n"), "no stones")
    }).pipe(Effect.scoped, Effect.provide(layer))
  })
})
