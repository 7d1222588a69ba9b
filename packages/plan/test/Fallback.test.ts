import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { owner } from "../../domain/test/Given.ts"
import { choiceNow } from "../src/decide/AgentChoice.ts"
import {
  type AgentReport,
  decideRun,
  foldRun,
  needsPerson,
  next,
  roleChoice,
  runNoticeOf,
  type RunEvent,
  type RunIntent,
  taskOf
} from "../src/index.ts"

const minute = 60_000
const agents = {
  implementer: { agent: "claude", models: ["opus"], effort: "high", fallback: { agent: "codex", model: "gpt-5" } },
  reviewer: { models: [], fallback: { agent: "pi" } }
}

/** A run of two tasks whose roles have a fallback, told by intents. The agents choose no ids. */
const story = (given: Partial<Extract<RunIntent, { _tag: "Open" }>> = {}) => {
  const events: Array<RunEvent> = []
  let now = 1_000_000
  let sessions = 0
  const run = () => foldRun(events)
  const dispatch = (intent: RunIntent, by: "Owner" | "Operator" = "Operator") => {
    const speaker = by === "Owner" ? ({ _tag: by, fence: run().fence } as const) : ({ _tag: by } as const)
    const decided = Result.getOrThrow(decideRun(run(), { ...intent, now, by: speaker }))
    events.push(...decided)
    return decided
  }
  const outline = (id: string) => ({ id, title: `Do ${id}`, dependsOn: [] })
  const tasks = [outline("t1"), outline("t2")]
  const opened = { workflowId: "w", project: "/p", plan: "/p/plan.yaml", digest: "d", tasks, agents, ...given }
  dispatch({ _tag: "Open", ...opened, progress: null, found: null })
  dispatch({ _tag: "Take", owner, over: 0 })
  const start = (taskId: string) => dispatch({ _tag: "StartTask", taskId, base: "c0" })
  if (given.questions !== true) start("t1")
  return {
    events,
    run,
    dispatch,
    start,
    later: (millis: number) => void (now += millis),
    now: () => now,
    /** Asks for the agent that is next: its role, whether a session goes on, its agent, its model, its fallback. */
    ask: () => {
      const step = next(run())
      const role = step._tag === "Ask" ? step.role : "reviewer"
      const wanted = roleChoice(run().chosen, run().agreed.agents, role)
      const sessionId = `s${(sessions += 1)}`
      const ask = { _tag: "Ask", role, sessionId, head: null, ...choiceNow(run(), wanted, role, now) } as const
      const [asked] = dispatch(ask, "Owner")
      if (asked?._tag !== "AgentAsked") throw new Error(`${asked?._tag}`)
      return [asked.role, asked.resumed, asked.agent, asked.choice?.model, asked.standIn]
    },
    report: (report: AgentReport) =>
      dispatch({ _tag: "Report", token: run().assignments[0]!.token, report, margin: minute }, "Owner")
  }
}
const limited = (resetsAt: number | null): AgentReport => ({ _tag: "Limited", kind: "usage-limit", resetsAt })
const work = { commits: ["c1"], files: ["a.ts"], testFile: null }
const done: AgentReport = { _tag: "Completed", head: "c1", made: ["c1"], work }
const approved: AgentReport = { _tag: "Approved", summary: "fine", minor: [] }
const rejected: AgentReport = {
  _tag: "Rejected",
  feedback: { summary: "no", issues: ["x"], suggestions: [] },
  minor: []
}
const refusedModel: AgentReport = { _tag: "Failed", reason: "no verdict", message: "its model", refused: "model" }

const claude = ["implementer", false, "claude", "opus", undefined]
const codex = ["implementer", false, "codex", "gpt-5", "codex"]

describe("behaviour#fallback", () => {
  it("given a usage limit, the fallback is asked at once in a session of its own, and no attempt is counted", () => {
    const told = story()
    assert.deepStrictEqual(told.ask(), claude)
    const [replaced] = told.report(limited(told.now() + 60 * minute))
    assert.deepInclude(replaced, {
      _tag: "AgentReplaced",
      role: "implementer",
      kind: "usage-limit",
      agent: "claude",
      by: "codex",
      until: told.now() + 61 * minute
    })
    assert.isNull(told.run().wait)
    assert.isFalse(needsPerson(told.run()))
    assert.deepStrictEqual(told.ask(), codex)
    assert.strictEqual(taskOf(told.run(), "t1")?.attempts, 1)
    assert.strictEqual(told.run().assignments[0]?.choice.standIn, "codex")
  })

  it("given the wait is over, new tasks go to the chosen agent, and the fallback goes on with its own", () => {
    const told = story()
    told.ask()
    told.report(limited(told.now() + 60 * minute))
    told.ask()
    told.report(done)
    told.later(62 * minute)
    assert.deepStrictEqual(told.ask().slice(0, 3), ["reviewer", false, undefined])
    told.report(rejected)
    assert.deepStrictEqual(told.ask(), ["implementer", true, undefined, "gpt-5", "codex"])
    told.report(done)
    told.ask()
    told.report(approved)
    assert.strictEqual(taskOf(told.run(), "t1")?.choices.implementer.standIn, "codex")
    told.start("t2")
    assert.deepStrictEqual(told.ask(), claude)
    told.report(done)
    assert.deepStrictEqual(told.run().away, {}, "it answered")
  })

  it("given a session of the chosen agent that would go on meanwhile, a fresh one of the fallback begins", () => {
    const told = story()
    told.ask()
    told.report(done)
    told.ask()
    told.report(rejected)
    assert.deepStrictEqual(told.ask().slice(0, 2), ["implementer", true])
    told.report(limited(null))
    assert.deepStrictEqual(told.ask(), codex)
    // A limit without an end is guessed.
    assert.strictEqual(told.run().away.implementer?.until, told.now() + 10 * minute)
  })

  it.each([
    ["a refused login", { _tag: "Limited", kind: "login", resetsAt: null }, "login"],
    ["a refused account", { _tag: "Limited", kind: "account", resetsAt: null }, "account"],
    ["a model that the service refuses", refusedModel, "model"]
  ] as const)("given %s, the chosen agent is tried again after an hour", (_, report, kind) => {
    const told = story()
    told.ask()
    assert.deepInclude(told.report(report)[0], { _tag: "AgentReplaced", kind, until: told.now() + 60 * minute })
    assert.deepStrictEqual(told.ask(), codex)
  })

  it("given an outage, it is waited out as ever", () => {
    const told = story()
    told.ask()
    assert.strictEqual(told.report({ _tag: "Limited", kind: "outage", resetsAt: null })[0]?._tag, "AgentLimited")
  })

  it("given that both are refused, the run waits for the one that answers first, and asks that", () => {
    for (const [first, second, asked] of [
      [60, 300, claude],
      [300, 60, ["implementer", true, undefined, "gpt-5", "codex"]]
    ] as const) {
      const told = story()
      told.ask()
      told.report(limited(told.now() + first * minute))
      told.ask()
      const [waits] = told.report(limited(told.now() + second * minute))
      assert.deepInclude(waits, { _tag: "AgentLimited", until: told.now() + 61 * minute })
      told.later(61 * minute)
      told.dispatch({ _tag: "EndWait" }, "Owner")
      assert.deepStrictEqual(told.ask(), asked)
    }
  })

  it("given that the chosen agent answers by then, a refused session of the fallback is not waited for", () => {
    const told = story()
    told.ask()
    told.report(limited(told.now() + 60 * minute))
    told.ask()
    told.report(done)
    told.later(62 * minute)
    told.ask()
    told.report(rejected)
    assert.deepStrictEqual(told.ask().slice(0, 2), ["implementer", true])
    told.dispatch({ _tag: "EndWait" }, "Operator")
    assert.deepStrictEqual(told.run().away, {})
    assert.deepInclude(told.report(limited(null))[0], { _tag: "AgentLimited", until: told.now() })
    told.dispatch({ _tag: "EndWait" }, "Owner")
    assert.deepStrictEqual(told.ask(), claude)
  })

  it("given a model of the fallback that is refused, its assignment failed, and the next is no third agent's", () => {
    const told = story()
    told.ask()
    told.report(limited(told.now() + 60 * minute))
    told.ask()
    assert.strictEqual(told.report(refusedModel)[0]?._tag, "ImplementationFailed")
    assert.deepStrictEqual(told.ask(), codex)
  })

  it("given no such key, or another agent by a person's word, a refusal is waited out", () => {
    for (const [plan, chosen] of [
      [{ implementer: { agent: "claude", models: [] } }, null],
      [agents, "pi"]
    ] as const) {
      const told = story({ agents: plan })
      if (chosen !== null) {
        const by = { implementer: chosen, reviewer: null, permission: "acceptEdits" } as const
        told.dispatch({ _tag: "Take", owner, over: 1, chosen: by })
      }
      told.ask()
      assert.strictEqual(told.report(limited(null))[0]?._tag, "AgentLimited")
    }
  })

  it("given a person's word for the fallback itself, that agent has none", () => {
    const told = story({ agents: { implementer: { models: [], fallback: { agent: "codex" } } } })
    const by = { implementer: "codex", reviewer: null, permission: "acceptEdits" } as const
    told.dispatch({ _tag: "Take", owner, over: 1, chosen: by })
    assert.deepStrictEqual(told.ask().slice(0, 3), ["implementer", false, "codex"])
    assert.strictEqual(told.report(limited(null))[0]?._tag, "AgentLimited")
  })

  it("a reviewer and the questions about a plan have a fallback too", () => {
    const told = story({ questions: true })
    assert.deepStrictEqual(told.ask().slice(0, 3), ["reviewer", false, undefined])
    told.report(limited(null))
    assert.deepStrictEqual(told.ask(), ["reviewer", false, "pi", undefined, "pi"])
    // The fallback of the questions is refused as well: nobody is asked in turns without a wait.
    assert.strictEqual(told.report(limited(null))[0]?._tag, "AgentLimited")
  })

  it("a person's word lets the chosen agent be asked again at once", () => {
    const told = story()
    told.ask()
    told.report(limited(told.now() + 60 * minute))
    told.dispatch({ _tag: "EndWait" })
    assert.deepStrictEqual(told.run().away, {})
    assert.deepStrictEqual(told.ask(), ["implementer", true, undefined, "opus", undefined])
  })

  it("a notice says who is asked in whose place, once until the chosen agent has answered", () => {
    const told = story()
    told.ask()
    const before = told.run()
    const [first] = told.report(limited(told.now() + 60 * minute))
    assert.strictEqual(
      runNoticeOf(first!, before)?.text,
      "The service refuses claude by a usage limit: codex, the fallback, is asked as implementer of task t1, until 01:17:40 UTC. No attempt is counted."
    )
    told.ask()
    told.report(done)
    told.later(62 * minute)
    told.ask()
    told.report(approved)
    told.start("t2")
    told.ask()
    const again = told.run()
    assert.isUndefined(runNoticeOf(told.report(limited(null))[0]!, again))
  })
})
