import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { RunLog, streamOf } from "@souffleur/plan"
import { FakeWorld, fakeKind } from "@souffleur/testing"
import { Effect, FileSystem, Layer } from "effect"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { Parts, Souffleur } from "../src/index.ts"
import { layerDatabase, layerLogs } from "../src/world/StoreLayers.ts"

const plan = (finish: string) => `workflow_id: play
finish: ${finish}
tasks:
  - id: finale
    title: The finale
    acceptance_criteria: it is written
    depends_on: [overture]
  - id: overture
    title: The overture
    acceptance_criteria: it is written
`

/** The service in a world of fakes, with a plan in `/p`. */
const faked = (finish = "none") => {
  const world = new FakeWorld()
  world.files.write("/p/plan.yaml", plan(finish))
  return {
    world,
    layer: Souffleur.layer.pipe(Layer.provide(Parts.layerFixed(fakeKind)), Layer.provideMerge(world.layer))
  }
}

describe("command-line#plans", () => {
  it.effect(
    "a plan is previewed with the order, the agents and the prompts, and nothing is written or launched",
    () => {
      const { layer, world } = faked()
      return Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const found = yield* souffleur.previewPlan({ project: "/p", plan: "plan.yaml", permission: "acceptEdits" })
        assert.deepInclude(found, { workflow_id: "play", goes_on: null, finish: { _tag: "None" } })
        assert.deepStrictEqual(
          found.tasks.map(({ depends_on, id }) => [id, depends_on]),
          [
            ["overture", []],
            ["finale", ["overture"]]
          ]
        )
        const [overture] = found.tasks
        assert.include(overture?.implementer_prompt, "The overture")
        assert.include(overture?.reviewer_prompt, "WORD")
        assert.deepStrictEqual(
          found.agents.map(({ held_by, permission, role }) => [role, permission, held_by]),
          [
            ["implementer", "acceptEdits", null],
            ["reviewer", "acceptEdits", null]
          ]
        )
        assert.deepStrictEqual(world.files.paths, ["/p/plan.yaml"])
        assert.deepStrictEqual([...world.did, ...world.claims.held], [])
        assert.deepStrictEqual(yield* souffleur.plans, [])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a preview of a plan is refused with the errors of conduct", () => {
    const { layer, world } = faked("{ command: [nonesuch] }")
    return Effect.gen(function* () {
      const souffleur = yield* Souffleur
      const refused = (more: object) =>
        Effect.flip(souffleur.previewPlan({ project: "/p", plan: "plan.yaml", ...more }))
      assert.strictEqual((yield* refused({ plan: "no.yaml" }))._tag, "PlanInvalid")
      assert.strictEqual((yield* refused({ state: "/p/plan.yaml" }))._tag, "StateMisplaced")
      assert.strictEqual((yield* refused({ state: "/nowhere/state.json" }))._tag, "StateMisplaced")
      assert.deepInclude(yield* refused({ agents: { reviewer: "nonesuch" } }), { _tag: "RoleUnfit", role: "reviewer" })
      assert.include((yield* refused({})).message, "finish.command: there is no program nonesuch in PATH")
      world.agent.missing = true
      assert.deepInclude(yield* refused({}), { _tag: "RoleUnfit", role: "implementer" })
    }).pipe(Effect.provide(layer))
  })

  it.live("a preview of a plan launches nothing, and a run that goes on has the ceiling of its pin there", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-plan-" }))
      const [project, stateDir] = [`${home}/opera`, `${home}/state`]
      yield* fs.makeDirectory(`${project}/.orchestra_configs`, { recursive: true })
      yield* fs.writeFileString(`${project}/plan.yaml`, plan("none"))
      yield* fs.writeFileString(
        `${project}/.orchestra_configs/souffleur`,
        "MAX_EXTERNAL_PERMISSION=bypassPermissions\nAGENT_COMMAND=claude\n",
        { mode: 0o600 }
      )
      yield* fs.makeDirectory(`${home}/bin`)
      yield* fs.writeFileString(`${home}/bin/claude`, "#!/bin/sh\n", { mode: 0o755 })
      const layer = Souffleur.layerNode({ stateDir, environment: { HOME: home, PATH: `${home}/bin` } })
      const permissions = Effect.gen(function* () {
        const souffleur = yield* Souffleur
        const order = { project, plan: "plan.yaml", permission: "bypassPermissions" } as const
        const { agents, goes_on } = yield* souffleur.previewPlan(order)
        return { goes_on, permissions: agents.map(({ permission }): string => permission) }
      }).pipe(Effect.provide(layer))
      yield* Effect.provide(
        Souffleur.use((souffleur) => souffleur.trust(project)),
        layer
      )
      const fresh = yield* permissions
      assert.deepStrictEqual(fresh, { goes_on: null, permissions: ["bypassPermissions", "bypassPermissions"] })
      assert.isFalse(yield* fs.exists(`${stateDir}/launches`))
      const opened = { ...examples.RunOpened, project, plan: `${project}/plan.yaml` }
      const pin = { ...opened.pin, programs: { ...opened.pin.programs, EXPORT_COMMAND: null } }
      yield* RunLog.use((log) => log.append(streamOf("r-1"), 0, [{ ...opened, pin }])).pipe(
        Effect.provide(Layer.provide(layerLogs, layerDatabase(`${stateDir}/souffleur.db`)))
      )
      assert.deepStrictEqual(yield* permissions, { goes_on: "r-1", permissions: ["acceptEdits", "acceptEdits"] })
    }).pipe(Effect.scoped, Effect.provide(HostServices.layer))
  )
})
