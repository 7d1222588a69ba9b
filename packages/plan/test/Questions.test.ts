import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import {
  decideRun,
  describeRunEvent,
  foldRun,
  isRunOver,
  next,
  questionsPrompt,
  type RunEvent,
  type RunIntent
} from "../src/index.ts"
import { owner } from "../../domain/test/Given.ts"
import { approves, rejects } from "./PlanStage.ts"
import { live, liveCase, noting, say, theatre } from "./PlanTheatre.ts"

/** A run whose plan is to be questioned, after these intents of its owner. */
const after = (...intents: ReadonlyArray<RunIntent>) => {
  const opened: RunIntent = {
    _tag: "Open",
    workflowId: "w",
    project: "/p",
    plan: "/p/plan.yaml",
    digest: "d",
    tasks: [{ id: "t1", title: "T", dependsOn: [] }],
    progress: null,
    found: null,
    questions: true
  }
  const events: Array<RunEvent> = []
  for (const intent of [opened, { _tag: "Take", owner, over: 0 } as const, ...intents])
    events.push(...Result.getOrThrow(decide(events, intent)))
  return events
}
const decide = (events: ReadonlyArray<RunEvent>, intent: RunIntent) => {
  const run = foldRun(events)
  return decideRun(run, { ...intent, now: events.length, by: { _tag: "Owner", fence: run.fence } })
}
const ask: RunIntent = { _tag: "Ask", role: "reviewer", sessionId: "s1", head: null }
const report = (report: Extract<RunIntent, { readonly _tag: "Report" }>["report"], attended = false): RunIntent => ({
  _tag: "Report",
  token: "a1",
  report,
  attended
})
const asks = {
  _tag: "Rejected",
  feedback: { summary: "unclear", issues: ["t1: how fast is fast?"], suggestions: [] },
  minor: []
} as const
const tagsOf = (events: ReadonlyArray<RunEvent>) => events.map(({ _tag }) => _tag)

describe("behaviour#questions", () => {
  it("given a plan to be questioned, a reviewer is asked first, and once", () => {
    assert.strictEqual(next(foldRun(after()))._tag, "Question")
    const asked = after(ask)
    assert.deepInclude(asked.at(-1), { _tag: "AgentAsked", role: "reviewer", taskId: null })
    assert.isTrue(Result.isFailure(decide(after(), { ...ask, role: "implementer" })))
    const over = after(ask, report({ _tag: "Approved", summary: "clear", minor: [] }))
    assert.deepInclude(over.at(-1), { _tag: "PlanQuestioned", questions: [], message: null })
    assert.strictEqual(next(foldRun(over))._tag, "Start")
    assert.isTrue(Result.isFailure(decide(over, ask)))
  })

  it("when it asks, a person who is there is waited for, and nobody else", () => {
    const alone = after(ask, report(asks))
    assert.deepStrictEqual(tagsOf(alone.slice(-1)), ["PlanQuestioned"])
    assert.deepStrictEqual(foldRun(alone).questions, { asked: true, list: ["t1: how fast is fast?"] })
    assert.include(describeRunEvent(alone.at(-1)!).text, "1. t1: how fast is fast?")
    const attended = after(ask, report(asks, true))
    assert.deepStrictEqual(tagsOf(attended.slice(-2)), ["PlanQuestioned", "RunPaused"])
    assert.match(describeRunEvent(attended.at(-1)!).text, /answer --plan: 1\. t1: how fast is fast\?/u, "ours is first")
    assert.deepInclude(foldRun(attended).paused, { reason: "questions", message: "1. t1: how fast is fast?" })
    const terms = { tasks: foldRun(attended).agreed.tasks, finishingDigest: null, branch: null }
    const word: RunIntent = { _tag: "RevisePlan", digest: "d", ...terms }
    assert.deepStrictEqual(tagsOf(Result.getOrThrow(decide(attended, word))), ["RunResumed"])
    const edited = { ...word, tasks: [{ id: "t1", title: "Fast: within 1 s", dependsOn: [] }] }
    const revised = [...attended, ...Result.getOrThrow(decide(attended, edited))]
    assert.deepStrictEqual([foldRun(revised).paused, next(foldRun(revised))._tag], [null, "Start"])
  })

  it("when it gives no verdict, or a person stops it, the run goes on; what the service refuses is asked again", () => {
    const failed = after(ask, report({ _tag: "Failed", reason: "no verdict", message: "it printed nothing" }, true))
    assert.deepInclude(failed.at(-1), { _tag: "PlanQuestioned", message: "it printed nothing" })
    assert.strictEqual(next(foldRun(failed))._tag, "Start")
    assert.strictEqual(next(foldRun(after(ask, report({ _tag: "Stopped" }))))._tag, "Start")
    const limited = after(ask, report({ _tag: "Limited", kind: "usage-limit", resetsAt: null }))
    const waited = [
      ...limited,
      ...Result.getOrThrow(decideRun(foldRun(limited), { _tag: "EndWait", now: 1e9, by: { _tag: "Owner", fence: 1 } }))
    ]
    assert.strictEqual(next(foldRun(waited))._tag, "Question")
    const never = after(ask, { _tag: "NeverRan", token: "a1" })
    assert.strictEqual(next(foldRun(never))._tag, "Question")
  })

  it("a prompt has the whole plan, without what is done", () => {
    const task = {
      id: "t1",
      title: "Make it fast",
      description: "D",
      acceptanceCriteria: "- it is fast",
      constraints: "- no cache",
      referenceDocs: [],
      dependsOn: [],
      gate: { setup: [], verify: [["npm", "test"]] as const }
    }
    const tasks = [
      task,
      { ...task, id: "t2", title: "Make it slow", dependsOn: ["t1"] },
      { ...task, id: "t3", done: true }
    ]
    const prompt = questionsPrompt({ workflowId: "w", finish: { _tag: "None" }, tasks }, "3f9c")
    for (const part of [
      "- no cache",
      "t1: Make it fast",
      "t2: Make it slow",
      "After: t1",
      "- it is fast",
      "`npm test`"
    ])
      assert.include(prompt, part)
    assert.notInclude(prompt, "t3")
    assert.match(prompt, /^REJECTED 3f9c\nsummary: .*\nissues:\n- \[specific issue/mu)
    const many = Array.from({ length: 1000 }, (_, at) => ({ ...task, id: `t${at}`, title: "x".repeat(300) }))
    const long = questionsPrompt({ workflowId: "w", finish: { _tag: "None" }, tasks: many }, "3f9c")
    assert.isBelow(new TextEncoder().encode(long).length, 128 * 1024)
  })

  live("unattended, its questions are in the log, and the tasks are done", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = []
      const play = yield* theatre(
        ({ commits }) => ({ implementer: [commits], reviewer: [noting(prompts, say(rejects(1))), say(approves)] }),
        { tasks: ["t1", "t2"], plan: { questions: true } }
      )
      const run = yield* play.conducts
      assert.isTrue(isRunOver(run))
      assert.deepStrictEqual(run.questions, { asked: true, list: ["issue 1"] })
      assert.include(prompts[0], "You review a plan before any of it is done")
      assert.deepStrictEqual(
        play.asked.map(({ role }) => role),
        ["reviewer", "implementer", "reviewer", "implementer", "reviewer"]
      )
      assert.notInclude(yield* play.tags, "RunPaused")
    })
  )

  liveCase("attended, the run waits; it goes on by a word, or once it is conducted again, and asks no more", () =>
    Effect.gen(function* () {
      const acts = { reviewer: [say(rejects(1)), say(approves)], attended: true }
      const one = yield* theatre(({ commits }) => ({ implementer: [commits], ...acts }), { plan: { questions: true } })
      const waited: Array<unknown> = []
      const run = yield* one.conductsOn(({ paused }) => {
        waited.push(paused?.message)
        return Effect.orDie(Effect.asVoid(one.takesPlan))
      })
      assert.deepStrictEqual([waited, isRunOver(run)], [["1. issue 1"], true])
      const two = yield* theatre(({ commits }) => ({ implementer: [commits], ...acts }), { plan: { questions: true } })
      assert.deepInclude((yield* two.conducts).paused, { reason: "questions" })
      assert.isTrue(isRunOver(yield* two.conducts))
      assert.lengthOf(
        (yield* two.tags).filter((tag) => tag === "PlanQuestioned"),
        1
      )
    })
  )
})
