import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, FileSystem, Path, Result } from "effect"
import { owner } from "../../domain/test/Given.ts"
import {
  decideRun,
  foldRun,
  loadPlan,
  next,
  planDifference,
  planText,
  roleChoice,
  type AgentReport,
  type RunEvent,
  type RunIntent,
  taskOf,
  termsOf
} from "../src/index.ts"
import { planOf } from "./PlanStage.ts"

const load = Effect.fnUntraced(function* (agents: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped(), "plan.yaml")
  yield* fs.writeFileString(file, `${agents}tasks:\n  - { id: t1, title: Do it, acceptance_criteria: done }\n`)
  return (yield* loadPlan(file, path.dirname(file))).plan
}, Effect.scoped)
const problems = (agents: string) =>
  Effect.map(Effect.flip(load(agents)), (error) => (error._tag === "PlanInvalid" ? error.problems : []))

it.layer(HostServices.layer)("a fallback of a plan", (it) => {
  describe("behaviour#fallback", () => {
    it.effect("that is the agent of its role itself is refused, and another model of that agent is one", () =>
      Effect.gen(function* () {
        const role = (text: string) => `agents: { reviewer: { ${text} } }\n`
        for (const same of [
          "agent: pi, fallback: { agent: pi }",
          "agent: pi, model: a, fallback: { agent: pi, model: a }"
        ])
          assert.match((yield* problems(role(same))).join(), /fallback: it is the agent of the reviewer itself/u)
        for (const other of ["agent: pi, model: a, fallback: { agent: pi }", "fallback: { agent: pi }"])
          assert.isDefined((yield* load(role(other))).agents?.reviewer?.fallback)
      })
    )
  })
})

const text = `agents:
  implementer:
    agent: claude
    model: [sonnet, "opus[1m]"]
    effort: high
  reviewer: { model: openai/gpt-5:high }
  finisher: { agent: pi }
`
const agents = {
  implementer: { agent: "claude", models: ["sonnet", "opus[1m]"], effort: "high" },
  reviewer: { models: ["openai/gpt-5:high"] },
  finisher: { agent: "pi", models: [] }
} as const

const implementer = { agent: "claude", models: ["haiku", "sonnet", "opus"], effort: "high" } as const
const work = { commits: ["c1"], files: ["a.ts"], testFile: null }
const rejected = { _tag: "Rejected", feedback: { summary: "no", issues: [], suggestions: [] }, minor: [] } as const
const nothing = { _tag: "Failed", reason: "no verdict", message: "it said nothing" } as const

/** A run of one task, whose owner asks for agents as a plan has them. */
const story = () => {
  const events: Array<RunEvent> = []
  const run = () => foldRun(events)
  let asked = 0
  const dispatch = (intent: RunIntent) =>
    events.push(
      ...Result.getOrThrow(
        decideRun(run(), { ...intent, now: events.length, by: { _tag: "Owner", fence: run().fence } })
      )
    )
  dispatch({
    _tag: "Open",
    workflowId: "w",
    project: "/p",
    plan: "/p/plan.yaml",
    digest: "d",
    tasks: [{ id: "t1", title: "Do t1", dependsOn: [] }],
    agents: { implementer },
    progress: null,
    found: null
  })
  dispatch({ _tag: "Take", owner, over: 0 })
  dispatch({ _tag: "StartTask", taskId: "t1", base: "c0" })
  return {
    run,
    dispatch,
    /** Asks for the next agent, and returns what the log has of it. */
    ask: (choice: Extract<RunIntent, { readonly _tag: "Ask" }>["choice"] = implementer) => {
      const step = next(run())
      if (step._tag !== "Ask") throw new Error(`asked for ${step._tag}`)
      const chosen = step.role === "implementer" ? choice : { models: ["gpt-5"] }
      dispatch({ _tag: "Ask", role: step.role, sessionId: `s${++asked}`, head: null, choice: chosen! })
      const event = events.at(-1) as Extract<RunEvent, { readonly _tag: "AgentAsked" }>
      return [event.role, event.resumed, event.agent, event.choice?.model, event.choice?.effort, event.insteadOf]
    },
    report: (report: AgentReport) => dispatch({ _tag: "Report", token: run().assignments[0]!.token, report })
  }
}
const done = { _tag: "Completed", head: "c1", work, made: [] } as const

describe("behaviour#agents-of-a-plan", () => {
  it.layer(HostServices.layer)((it) => {
    it.effect("a plan names an agent, models and an effort for a role, and its YAML is read as the same", () =>
      Effect.gen(function* () {
        const plan = yield* load(text)
        assert.deepStrictEqual(plan.agents, agents)
        const again = yield* load((yield* planText(plan)).replace(/tasks:[^]*/u, ""))
        assert.deepStrictEqual(again.agents, agents)
        for (const none of ["", "agents: {}\n", "agents: { reviewer: {} }\n"])
          assert.notProperty(yield* load(none), "agents")
      })
    )
    it.effect.each<readonly [string, string]>([
      ["--dangerously-skip-permissions", "agents.implementer.model: must be the name of a model"],
      ["-x", "agents.implementer.model: must be the name of a model"],
      ["a b", "agents.implementer.model: must be the name of a model"],
      ["a\\u0000b", "agents.implementer.model: must be the name of a model"],
      ["a\\nb", "agents.implementer.model: must be the name of a model"],
      ["a'b", "agents.implementer.model: must be the name of a model"],
      ["", "agents.implementer.model: must be the name of a model"],
      ["a".repeat(129), "agents.implementer.model: must be the name of a model"]
    ])("%s is no model", ([model, problem]) =>
      Effect.gen(function* () {
        const [found = "", ...more] = yield* problems(`agents:\n  implementer:\n    model: "${model}"\n`)
        assert.include(found, problem)
        assert.include(found, "(line 3)")
        assert.lengthOf(more, 0)
        const [inList = ""] = yield* problems(`agents:\n  implementer:\n    model: [sonnet, "${model}"]\n`)
        assert.match(inList, /^agents\.implementer\.model.* \(line 3\)$/u)
      })
    )
    it.effect.each<readonly [string, string]>([
      ["reviewer: { effort: --yolo }", "agents.reviewer.effort: must be an effort, such as high (line 2)"],
      ["reviewer: { effort: 'x\"' }", "agents.reviewer.effort: must be an effort, such as high (line 2)"],
      ["reviewer: { agent: ../claude }", "agents.reviewer.agent: must be the name of an agent"],
      ["reviewer: { model: [a, b] }", "agents.reviewer.model"],
      ["implementer: { model: [] }", "agents.implementer.model"],
      ["reviewer: { permission: bypassPermissions }", "agents.reviewer.permission: there is no such key"],
      [
        "reviewer: { args: [--yolo] }",
        "agents.reviewer.args: there is no such key: those here are agent, model, effort"
      ],
      ["reviwer: { agent: pi }", "agents.reviwer: there is no such key: did you mean reviewer? (line 2)"]
    ])("%s is refused", ([key, problem]) =>
      Effect.gen(function* () {
        const found = yield* problems(`agents:\n  ${key}\n`)
        assert.include(found.join("\n"), problem)
        assert.include(found[0], "(line 2)")
      })
    )
  })

  it.effect("other agents are another plan, and are named with those before", () =>
    Effect.gen(function* () {
      const plan = planOf("t1")
      const [none, some] = [yield* termsOf(plan), yield* termsOf({ ...plan, agents })]
      assert.isUndefined(planDifference(some, yield* termsOf({ ...plan, agents: { ...agents } })))
      assert.strictEqual(
        planDifference(
          some,
          yield* termsOf({ ...plan, agents: { ...agents, reviewer: { agent: "pi", models: ["x"] } } })
        ),
        "another reviewer: pi (x), not the configured agent (openai/gpt-5:high)"
      )
      assert.strictEqual(
        planDifference(none, some),
        "another implementer: claude (sonnet, then opus[1m]; effort high), not as configured; another reviewer: the configured agent (openai/gpt-5:high), not as configured; another finisher: pi, not as configured"
      )
    })
  )

  it("a run keeps the agents that it was opened with, until a person takes others with the plan", () => {
    const told = story()
    const { agreed, tasks } = told.run()
    assert.deepStrictEqual(agreed.agents, { implementer })
    const other = {
      tasks: agreed.tasks,
      finishingDigest: null,
      branch: null,
      agents: { reviewer: { agent: "pi", models: [] } }
    }
    assert.include(planDifference(agreed, other), "another reviewer: pi, not as configured")
    told.dispatch({ _tag: "RevisePlan", digest: "e", ...other })
    assert.deepStrictEqual(told.run().agreed, other)
    assert.deepStrictEqual(told.run().tasks, tasks)
  })

  it("a person's agent outranks the plan's, with its model", () => {
    assert.deepStrictEqual(roleChoice({ implementer: "codex" }, agents, "implementer"), { agent: "codex", models: [] })
    assert.deepStrictEqual(roleChoice({ implementer: "claude" }, agents, "implementer"), agents.implementer)
    assert.deepStrictEqual(roleChoice({ reviewer: "codex" }, agents, "reviewer"), {
      agent: "codex",
      ...agents.reviewer
    })
    assert.deepStrictEqual(roleChoice({}, agents, "finisher"), agents.finisher)
    assert.deepStrictEqual(roleChoice({ reviewer: "codex" }, undefined, "implementer"), { models: [] })
  })

  describe("the ladder of models", () => {
    it("given a second rejection, the fresh implementer has the next model, and until then the session keeps its own", () => {
      const told = story()
      assert.deepStrictEqual(told.ask(), ["implementer", false, "claude", "haiku", "high", undefined])
      told.report(done)
      assert.deepStrictEqual(told.ask(), ["reviewer", false, undefined, "gpt-5", undefined, undefined])
      told.report(rejected)
      assert.deepStrictEqual(told.ask(), ["implementer", true, undefined, "haiku", "high", undefined])
      told.report(done)
      told.ask()
      told.report(rejected)
      assert.deepStrictEqual(told.ask(), ["implementer", false, "claude", "sonnet", "high", "haiku"])
      // A fresh implementer for another reason has the same model.
      told.report(nothing)
      assert.deepStrictEqual(told.ask(), ["implementer", false, "claude", "sonnet", "high", undefined])
    })
    it("given a person's answer, the ladder of models goes on, and ends with the last one", () => {
      const told = story()
      const models: Array<unknown> = []
      for (let rejections = 1; rejections <= 9; rejections += 1) {
        models.push(told.ask()[3])
        told.report(done)
        told.ask()
        told.report(rejected)
        if (rejections % 3 === 0) told.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
      }
      assert.deepStrictEqual(models, ["haiku", "haiku", "sonnet", "sonnet", "sonnet", "opus", "opus", "opus", "opus"])
    })
    it("given another plan or another agent meanwhile, a resumed session keeps the model that it began with", () => {
      const told = story()
      told.ask()
      told.report(done)
      told.ask()
      told.report(rejected)
      const other = { agent: "pi", models: ["x"] }
      assert.deepStrictEqual(told.ask(other), ["implementer", true, undefined, "haiku", "high", undefined])
      told.report({ _tag: "Unfinished", message: "files are not committed" })
      assert.deepStrictEqual(told.ask(other), ["implementer", true, undefined, "haiku", "high", undefined])
      told.report(nothing)
      assert.deepStrictEqual(told.ask(other), ["implementer", false, "pi", "x", undefined, undefined])
    })
    it("given a usage limit, the same session goes on with its model", () => {
      const told = story()
      told.ask()
      told.report({ _tag: "Limited", kind: "usage-limit", resetsAt: null })
      told.dispatch({ _tag: "EndWait", renewed: true })
      assert.deepStrictEqual(told.ask().slice(0, 4), ["implementer", true, undefined, "haiku"])
    })
    it("given a reviewer that left its verdict out, its session goes on with its model", () => {
      const told = story()
      told.ask()
      told.report(done)
      told.ask()
      told.report({ _tag: "Unfinished", message: "no verdict" })
      assert.deepStrictEqual(told.ask().slice(0, 4), ["reviewer", true, undefined, "gpt-5"])
    })
    it("without a list nothing is chosen", () => {
      const told = story()
      assert.deepStrictEqual(told.ask({ models: [] }), [
        "implementer",
        false,
        undefined,
        undefined,
        undefined,
        undefined
      ])
      assert.deepStrictEqual(taskOf(told.run(), "t1")?.choices, { implementer: {}, reviewer: {} })
    })
  })
})
