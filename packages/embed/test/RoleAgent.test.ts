import { assert, describe, it } from "@effect/vitest"
import { Settings } from "@souffleur/domain"
import { freshTask, initialRun, type Plan, type Run } from "@souffleur/plan"
import { fakeKind, FakeWorld, layerSettings } from "@souffleur/testing"
import { Effect, Layer } from "effect"
import { castRoles, chosenFor } from "../src/conducting/RoleAgent.ts"

const tasks = ["t1", "t2"].map((id) => ({
  id,
  title: `Do ${id}`,
  description: "",
  acceptanceCriteria: "",
  referenceDocs: [],
  dependsOn: []
}))
const finish = { _tag: "Prompt", prompt: "Take the bow" } as const
const runOf = (open: ReadonlyArray<string>, finishing: Run["finishing"] = "not begun"): Run => ({
  ...initialRun,
  finishing,
  tasks: tasks.map((task) => ({ ...freshTask(task), status: open.includes(task.id) ? "in_progress" : "completed" }))
})

/** Returns the roles of a plan that an agent without a program cannot have: the first one, or none. */
const unfit = Effect.fnUntraced(function* (plan: Partial<Plan>, run?: Run) {
  const { agent, files } = new FakeWorld()
  agent.missing = true
  const cast = castRoles(fakeKind, yield* Settings, { tasks, finish: { _tag: "None" }, ...plan }, { run })
  return yield* cast.pipe(
    Effect.as("none"),
    Effect.catchTag("RoleUnfit", ({ role }) => Effect.succeed(role)),
    Effect.provide(Layer.provide(agent.layer, files.layer))
  )
})

describe("behaviour#agents-of-a-run", () => {
  it.layer(layerSettings())((it) => {
    it("a run that goes on keeps its agents and its permission where a person says nothing else", () => {
      const chosen = { implementer: "codex", reviewer: null, permission: "bypassPermissions" } as const
      const run = { ...initialRun, chosen }
      assert.deepStrictEqual(chosenFor({}, run), {
        agents: { implementer: "codex", reviewer: undefined },
        permission: "bypassPermissions"
      })
      assert.deepStrictEqual(chosenFor({ agents: { implementer: "pi" }, permission: "acceptEdits" }, run), {
        agents: { implementer: "pi", reviewer: undefined },
        permission: "acceptEdits"
      })
      assert.deepStrictEqual(chosenFor({}), {
        agents: { implementer: undefined, reviewer: undefined },
        permission: "acceptEdits"
      })
    })
    it.effect("each role is cast by its agent, under the ceiling", () =>
      Effect.gen(function* () {
        const { agent, files } = new FakeWorld()
        agent.others.set("other", new FakeWorld().agent)
        const settings = { ...(yield* Settings), maxExternalPermission: "acceptEdits" } as const
        const plan = { tasks, finish }
        const chosen = { agents: { reviewer: "other" }, permission: "bypassPermissions" } as const
        const cast = yield* Effect.provide(
          castRoles(fakeKind, settings, plan, chosen),
          Layer.provide(agent.layer, files.layer)
        )
        assert.deepStrictEqual(
          cast.map(({ permission, role }) => [role, permission]),
          [
            ["implementer", "acceptEdits"],
            ["reviewer", "acceptEdits"],
            ["finisher", "acceptEdits"]
          ]
        )
      })
    )
    it.effect("a fallback is cast as any agent, under the same ceiling, and refused by its name", () =>
      Effect.gen(function* () {
        const { agent, files } = new FakeWorld()
        agent.others.set("other", new FakeWorld().agent)
        const settings = { ...(yield* Settings), maxExternalPermission: "acceptEdits" } as const
        const castWith = (fallback: { readonly agent: string; readonly model?: string }) =>
          castRoles(
            fakeKind,
            settings,
            { tasks, finish: { _tag: "None" }, agents: { implementer: { models: [], effort: "high", fallback } } },
            { permission: "bypassPermissions" }
          ).pipe(Effect.provide(Layer.provide(agent.layer, files.layer)))
        assert.deepStrictEqual(
          (yield* castWith({ agent: "other", model: "m" })).map(({ effort, fallback, models, permission, role }) => [
            role,
            fallback,
            models,
            effort,
            permission
          ]),
          [
            ["implementer", undefined, [], "high", "acceptEdits"],
            ["implementer", true, ["m"], undefined, "acceptEdits"],
            ["reviewer", undefined, [], undefined, "acceptEdits"]
          ]
        )
        const { message } = yield* Effect.flip(castWith({ agent: "nobody" }))
        assert.match(message, /^the implementer: its fallback: .*nobody/u)
      })
    )
    it.effect("a run that goes on needs the agents of its open tasks alone", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* unfit({}), "implementer")
        assert.strictEqual(yield* unfit({}, runOf(["t2"])), "implementer")
        assert.strictEqual(yield* unfit({}, runOf([])), "none")
        // The plan got a task since.
        assert.strictEqual(yield* unfit({ tasks: [...tasks, { ...tasks[0]!, id: "t3" }] }, runOf([])), "implementer")
      })
    )
    it.effect("a finishing skill needs an agent whose prompts run one", () =>
      Effect.gen(function* () {
        const { agent, files } = new FakeWorld()
        const settings = yield* Settings
        const castBy = (kind: typeof fakeKind) =>
          castRoles(kind, settings, { tasks, finish: { _tag: "Skill", skill: "the-bow" } }, {})
        const cast = yield* Effect.provide(
          Effect.all([Effect.flip(castBy(fakeKind)), castBy({ ...fakeKind, skillPrompt: (skill) => `run ${skill}` })]),
          Layer.provide(agent.layer, files.layer)
        )
        assert.deepInclude(cast[0], { _tag: "RoleUnfit", role: "finisher" })
        assert.include(cast[0].message, "no prompt of Fake Agent runs a skill")
        assert.strictEqual(cast[1].at(-1)?.role, "finisher")
      })
    )
    it.effect("a run whose tasks are complete needs the agent of its finishing step until that was asked for", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* unfit({ finish }, runOf([])), "finisher")
        for (const finishing of ["begun", "done", "failed", "skipped"] as const)
          assert.strictEqual(yield* unfit({ finish }, runOf([], finishing)), "none", finishing)
      })
    )
  })
})
