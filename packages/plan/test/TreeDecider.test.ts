import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  blockers,
  decideRun,
  foldRun,
  isHeldUp,
  next,
  type Run,
  type RunEvent,
  type RunIntent,
  taskOf
} from "../src/index.ts"
import { owner } from "../../domain/test/Given.ts"

const work = { commits: ["c1"], files: ["a.ts"], testFile: null }
const tree = { taskId: "t1", folder: "/trees/t1", branch: "souffleur-task/w/t1", base: "c0" }

/** A run of tasks with a work tree each, whose owner says one word after another. */
const story = (tasks: ReadonlyArray<readonly [id: string, dependsOn?: string]> = [["t1"]]) => {
  const events: Array<RunEvent> = []
  const run = (): Run => foldRun(events)
  const decided = (intent: RunIntent) =>
    decideRun(run(), { ...intent, now: events.length, by: { _tag: "Owner", fence: run().fence } })
  const says = (...intents: ReadonlyArray<RunIntent>) => {
    for (const intent of intents) events.push(...Result.getOrThrow(decided(intent)))
    return run()
  }
  says({
    _tag: "Open",
    workflowId: "w",
    project: "/p",
    plan: "/p/plan.yaml",
    digest: "d",
    tasks: tasks.map(([id, on]) => ({ id, title: id, dependsOn: on === undefined ? [] : [on] })),
    worktrees: true,
    keepsGoing: true,
    progress: null,
    found: null
  })
  says({ _tag: "Take", owner, over: 0 })
  const begins = (taskId = "t1") =>
    says({ _tag: "ChooseTree", ...tree, taskId, folder: `/trees/${taskId}` }, { _tag: "StartTask", taskId, base: "c0" })
  const report = (report: Extract<RunIntent, { readonly _tag: "Report" }>["report"]) =>
    says({ _tag: "Report", token: run().assignments[0]!.token, report })
  const approved = () => {
    says({ _tag: "Ask", role: "implementer", sessionId: "s1", head: "c0" })
    report({ _tag: "Completed", head: "c1", work, made: ["c1"] })
    says({ _tag: "Ask", role: "reviewer", sessionId: "s2", head: "c1" })
    return report({ _tag: "Approved", summary: "good", minor: [] })
  }
  const blocks = (taskId: string) => {
    begins(taskId)
    says({ _tag: "Ask", role: "implementer", sessionId: `s-${taskId}`, head: "c0" })
    return report({ _tag: "Blocked", message: "no key" })
  }
  const refused = (intent: RunIntent) => Result.isFailure(decided(intent))
  return { approved, begins, blocks, events, refused, run, says }
}
const planned = { _tag: "PlanLanding", taskId: "t1", from: "c9", to: "m1", made: ["m1"] } as const
const landed = { _tag: "ReportLanding", taskId: "t1", made: ["m1"] } as const
const refusal = { _tag: "RefuseLanding", taskId: "t1", onto: "c9", message: "at odds in a.ts" } as const

describe("behaviour#a-work-tree-a-task", () => {
  it("approved work is complete once it has landed, with the commit of both; its tree is removed next", () => {
    const { approved, begins, events, refused, says } = story()
    begins()
    assert.isTrue(refused(landed))
    const told = approved()
    assert.strictEqual(taskOf(told, "t1")?.status, "in_progress")
    assert.deepInclude(next(told), { _tag: "Land", landing: { head: "c1", from: null, to: null, made: [] } })
    assert.deepInclude(next(says(planned)), {
      _tag: "Land",
      landing: { head: "c1", from: "c9", to: "m1", made: ["m1"] }
    })
    const after = says(landed)
    assert.deepInclude(taskOf(after, "t1"), {
      status: "completed",
      tree: null,
      work: { ...work, commits: ["c1", "m1"] }
    })
    assert.deepStrictEqual(next(after), { _tag: "Clear", tree: { ...tree, kept: null } })
    const cleared = { _tag: "ClearTree", taskId: "t1", folder: "/trees/t1", kept: null } as const
    assert.deepStrictEqual([next(says(cleared))._tag, refused(cleared)], ["Verify", true])
    assert.strictEqual(events.at(-1)?._tag, "TreeCleared")
  })
  it("work that does not land goes back to the same session, and is what the run's branch lacks; the third time is a person's", () => {
    const { approved, begins, run, says } = story()
    begins()
    approved()
    says(refusal)
    const task = taskOf(run(), "t1")
    assert.deepInclude(task, { base: "c9", implementation: null, gateFailures: 1 })
    assert.deepInclude(task?.tree, { base: "c0", onto: "c9", landing: null })
    assert.deepInclude(task?.nudge, { role: "implementer", sessionId: "s1", message: "at odds in a.ts" })
    approved()
    says(refusal)
    approved()
    assert.deepInclude(taskOf(says(refusal), "t1")?.escalation, { reason: "landing" })
  })
  it("a stop or a hold keeps work from landing, and not the word that it has landed", () => {
    for (const word of [{ _tag: "Hold" }, { _tag: "Stop", atOnce: true }] as const) {
      const { approved, begins, refused, says } = story()
      begins()
      approved()
      says(planned, word)
      assert.isTrue(refused(planned))
      assert.strictEqual(taskOf(says(landed), "t1")?.status, "completed")
    }
  })
  it("the tree of a task that is skipped or dropped stays; one in which nobody was goes", () => {
    const skipped = story()
    skipped.blocks("t1")
    const answer = { _tag: "Answer", taskId: "t1", answer: "skip", text: "" } as const
    assert.isTrue(skipped.refused({ ...answer, revert: true }))
    assert.deepStrictEqual(skipped.says(answer).trees, [{ ...tree, kept: "its task was skipped" }])
    for (const isBegun of [true, false]) {
      const dropped = story([["t1"], ["t2"]])
      if (isBegun) dropped.begins()
      else dropped.says({ _tag: "ChooseTree", ...tree })
      const { trees } = dropped.says({
        _tag: "RevisePlan",
        digest: "e",
        tasks: [{ id: "t2", title: "t2", dependsOn: [] }],
        finishingDigest: null,
        worktrees: true
      })
      assert.deepStrictEqual(trees, [{ ...tree, kept: isBegun ? "the plan dropped its task" : null }])
    }
  })
  it("a tree that cannot be made ready pauses the run until a person allows it", () => {
    const { refused, run, says } = story()
    says({ _tag: "ChooseTree", ...tree })
    const paused = says({ _tag: "RefuseSetup", head: "c0", refused: { program: "npm ci", code: 1, said: "no" } })
    assert.deepInclude(paused.paused, { reason: "red", message: "npm ci at c0" })
    says({ _tag: "AllowRed" })
    assert.deepStrictEqual([run().paused, run().baseline], [null, { head: "c0", red: false }])
    assert.isTrue(refused({ _tag: "AllowRed" }))
  })
})

describe("behaviour#on-escalation", () => {
  it("what depends on a stuck task, directly or not, waits with it; the rest goes on", () => {
    const { blocks, run } = story([["t1"], ["t2", "t1"], ["t3", "t2"], ["t4"]])
    blocks("t1")
    assert.deepStrictEqual(
      run().tasks.map((task) => blockers(run(), task)),
      [[], ["t1"], ["t1"], []]
    )
    assert.isFalse(isHeldUp(run()))
    assert.deepInclude(next(run()), { _tag: "Start" })
    blocks("t4")
    assert.deepStrictEqual([isHeldUp(run()), next(run())._tag], [true, "Escalated"])
  })
  it("the third stuck task stops the run", () => {
    const { blocks, run } = story([["t1"], ["t2"], ["t3"], ["t4"]])
    for (const id of ["t1", "t2", "t3"]) {
      assert.isFalse(isHeldUp(run()))
      blocks(id)
    }
    assert.isTrue(isHeldUp(run()))
  })
  it("without the key, or without work trees, the first stuck task stops the run", () => {
    const { blocks, run } = story([["t1"], ["t2"]])
    blocks("t1")
    const { keepsGoing: _, ...agreed } = run().agreed
    assert.isTrue(isHeldUp({ ...run(), agreed }))
    const { worktrees: __, ...project } = run().agreed
    assert.isTrue(isHeldUp({ ...run(), agreed: project }))
    const chosen = { implementer: null, reviewer: null, permission: "acceptEdits", keepsGoing: true } as const
    assert.isFalse(isHeldUp({ ...run(), agreed, chosen }))
  })
})

describe("behaviour#answers", () => {
  it("a word for a stuck task is about that, and not about what the run is paused for besides", () => {
    for (const reason of ["history", "work lost"] as const) {
      const { blocks, says } = story([["t1"], ["t2"]])
      blocks("t1")
      says({ _tag: "Pause", reason, files: [], message: "" })
      const after = says({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
      assert.deepInclude(taskOf(after, "t1"), {
        status: "in_progress",
        tree: { ...tree, begun: true, onto: null, landing: null }
      })
      assert.deepStrictEqual([after.paused?.reason, after.branch], [reason, null])
    }
  })
})
