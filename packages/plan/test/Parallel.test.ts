import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  decideRun,
  dueSteps,
  foldRun,
  isAtWork,
  parallelOf,
  type Run,
  type RunEvent,
  type RunIntent,
  runNoticeOf,
  steps,
  taskOf
} from "../src/index.ts"
import { owner } from "../../domain/test/Given.ts"

type Outline = Extract<RunIntent, { readonly _tag: "Open" }>["tasks"][number]
const outline = (id: string, more: Partial<Outline> = {}): Outline => ({ id, title: id, dependsOn: [], ...more })

/** A run with a work tree a task, whose owner says one word after another. */
const story = (tasks: ReadonlyArray<Outline>, { parallel = 2, keepsGoing = false } = {}) => {
  const events: Array<RunEvent> = []
  const run = (): Run => foldRun(events)
  const decided = (intent: RunIntent) =>
    decideRun(run(), { ...intent, now: events.length, by: { _tag: "Owner", fence: run().fence } })
  const says = (...intents: ReadonlyArray<RunIntent>) => {
    for (const intent of intents) events.push(...Result.getOrThrow(decided(intent)))
    return run()
  }
  const common = { workflowId: "w", project: "/p", plan: "/p/plan.yaml", digest: "d", progress: null, found: null }
  says({
    _tag: "Open",
    ...common,
    tasks,
    worktrees: true,
    parallel,
    ...(keepsGoing ? { keepsGoing } : {})
  })
  says({ _tag: "Take", owner, over: 0 })
  const begins = (taskId: string) => {
    const tree = { taskId, folder: `/trees/${taskId}`, branch: `souffleur-task/w/${taskId}`, base: "c0" }
    return says({ _tag: "ChooseTree", ...tree }, { _tag: "StartTask", taskId, base: "c0" })
  }
  const asks = (taskId: string, role: "implementer" | "reviewer" = "implementer") =>
    says({ _tag: "Ask", role, taskId, sessionId: `s-${taskId}-${events.length}`, head: "c0" })
  const tokenOf = (taskId: string) => run().assignments.find((one) => one.taskId === taskId)!.token
  const reports = (taskId: string, report: Extract<RunIntent, { readonly _tag: "Report" }>["report"]) =>
    says({ _tag: "Report", token: tokenOf(taskId), report })
  const completes = (taskId: string) =>
    reports(taskId, {
      _tag: "Completed",
      head: `${taskId}-1`,
      work: { commits: [`${taskId}-1`], files: [`${taskId}.ts`], testFile: null },
      made: [`${taskId}-1`]
    })
  const lands = (taskId: string) => {
    asks(taskId, "reviewer")
    reports(taskId, { _tag: "Approved", summary: "good", minor: [] })
    return says({ _tag: "ReportLanding", taskId, made: [] })
  }
  const clears = () => {
    for (const { folder, taskId } of run().trees) says({ _tag: "ClearTree", taskId, folder, kept: null })
    return run()
  }
  const why = (intent: RunIntent) =>
    Result.match(decided(intent), { onFailure: (no) => no.reason, onSuccess: () => "" })
  return { asks, begins, clears, completes, events, lands, reports, run, says, tokenOf, why }
}
/** Names what a run does now, with the task of each. */
const named = (run: Run) =>
  steps(run).map((step) => {
    const id = step._tag === "Await" ? step.assignment.taskId : "task" in step ? step.task.id : null
    return id === null ? step._tag : `${step._tag} ${id}`
  })

describe("behaviour#parallel", () => {
  it("as many tasks as the plan says are at work at once, each by what it depends on; no more agents are asked", () => {
    const { asks, begins, completes, lands, run, why } = story([
      outline("t1"),
      outline("t2", { dependsOn: ["t1"] }),
      outline("t3"),
      outline("t4")
    ])
    assert.deepStrictEqual(named(run()), ["Start t1"])
    assert.deepStrictEqual(named(begins("t1")), ["Ask t1", "Start t3"])
    assert.deepStrictEqual(named(asks("t1")), ["Await t1", "Start t3"])
    begins("t3")
    assert.deepStrictEqual(named(asks("t3")), ["Await t1", "Await t3"])
    const third = { _tag: "ChooseTree", taskId: "t4", folder: "/f", branch: "b", base: "c0" } as const
    assert.strictEqual(why(third), "not now")
    const again = { _tag: "Ask", role: "implementer", taskId: "t1", sessionId: "s", head: null } as const
    assert.strictEqual(why(again), "not now")
    completes("t1")
    assert.deepStrictEqual(named(lands("t1")), ["Await t3", "Clear"])
    assert.deepStrictEqual(
      run().tasks.map(({ id }) => isAtWork(run(), id)),
      [false, false, true, false]
    )
    assert.strictEqual(taskOf(run(), "t1")?.status, "completed")
  })
  it("tasks whose files may be the same are never at work at once, and keep their order; others go on", () => {
    const files = (touches: string) => ({ touches: [touches] })
    const { asks, begins, clears, completes, lands, run } = story(
      [
        outline("t1", files("src/a/**")),
        outline("t2", files("./SRC/a/b.ts")),
        outline("t3", files("src/a/b.ts*")),
        outline("t4", files("docs/{a,b}.md")),
        outline("t5", files("**")),
        outline("t6")
      ],
      { parallel: 3 }
    )
    begins("t1")
    assert.deepStrictEqual(named(asks("t1")), ["Await t1", "Start t4"])
    begins("t4")
    // What touches everything waits for all, and lets nothing pass; so do the others in its way.
    assert.deepStrictEqual(named(asks("t4")), ["Await t1", "Await t4"])
    completes("t1")
    lands("t1")
    assert.deepStrictEqual(named(clears()), ["Await t4", "Start t2"])
    begins("t2")
    asks("t2")
    for (const id of ["t4", "t2"]) {
      completes(id)
      lands(id)
    }
    clears()
    begins("t3")
    asks("t3")
    completes("t3")
    lands("t3")
    assert.deepStrictEqual(named(clears()), ["Start t5"])
    begins("t5")
    assert.deepStrictEqual(named(asks("t5")), ["Await t5"])
    assert.strictEqual(taskOf(run(), "t6")?.status, "pending")
  })
  it("a stop, a hold, a pause, a stuck task and commits to take back let agents end, and nothing begin", () => {
    const words: ReadonlyArray<readonly [RunIntent, string]> = [
      [{ _tag: "Stop", atOnce: false }, "Stopped"],
      [{ _tag: "Hold" }, "Held"],
      [{ _tag: "Pause", reason: "dirty", files: ["a"], message: "" }, "Paused"]
    ]
    for (const [word, after] of words) {
      const { asks, begins, completes, run, says, why } = story([outline("t1"), outline("t2"), outline("t3")])
      begins("t1")
      asks("t1")
      begins("t2")
      says(word)
      assert.deepStrictEqual(named(run()), ["Await t1"])
      assert.strictEqual(why({ _tag: "Ask", role: "implementer", taskId: "t2", sessionId: "s", head: null }), "not now")
      completes("t1")
      assert.deepStrictEqual(named(run()), [after])
    }
    const { asks, begins, completes, reports, run } = story([outline("t1"), outline("t2"), outline("t3")])
    begins("t1")
    asks("t1")
    begins("t2")
    asks("t2")
    reports("t1", { _tag: "Blocked", message: "no key" })
    assert.deepStrictEqual(named(run()), ["Await t2"])
    completes("t2")
    assert.deepStrictEqual(named(run()), ["Escalated t1"])
  })
  it("with on_escalation, the others go on beside a stuck task; its answer waits for a place", () => {
    const tasks = ["t1", "t2", "t3", "t4"].map((id) => outline(id))
    const { asks, begins, completes, lands, reports, run, says } = story(tasks, { keepsGoing: true })
    for (const id of ["t1", "t2"]) {
      begins(id)
      asks(id)
    }
    reports("t1", { _tag: "Blocked", message: "no key" })
    assert.deepStrictEqual(named(run()), ["Await t2", "Start t3"])
    begins("t3")
    asks("t3")
    says({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
    assert.deepStrictEqual(named(run()), ["Await t2", "Await t3"])
    completes("t2")
    lands("t2")
    assert.deepStrictEqual(named(run()), ["Await t3", "Clear"])
    assert.deepStrictEqual(
      dueSteps({ ...run(), trees: [] }).map(({ _tag }) => _tag),
      ["Await", "Ask"]
    )
  })
  it("the refusals of one wait are one wait, until the latest end, and told once; an outcome beside it says nothing", () => {
    const { asks, begins, completes, events, lands, reports, run, says } = story(
      ["t1", "t2", "t3"].map((id) => outline(id)),
      { parallel: 3 }
    )
    for (const id of ["t1", "t2", "t3"]) {
      begins(id)
      asks(id)
    }
    const limited = (resetsAt: number) => ({ _tag: "Limited", kind: "usage-limit", resetsAt }) as const
    reports("t1", limited(9_000_000))
    assert.deepStrictEqual(named(run()), ["Await t2", "Await t3", "Wait"])
    reports("t2", limited(5_000_000))
    completes("t3")
    assert.deepInclude(run(), { waits: 1 })
    assert.deepInclude(run().wait, { until: 9_000_000 })
    const told = () => events.flatMap((event, at) => runNoticeOf(event, foldRun(events.slice(0, at)))?.kind ?? [])
    assert.deepStrictEqual(told(), ["usage_limit"])
    says({ _tag: "EndWait", renewed: true })
    // Each session goes on, and no attempt is counted.
    assert.deepStrictEqual(named(run()), ["Ask t1", "Ask t2", "Ask t3"])
    asks("t1")
    assert.deepInclude(run().assignments[0], { resumed: true, attempt: 1 })
    lands("t3")
    assert.deepStrictEqual(told(), ["usage_limit", "cleared"])
  })
  it("a refusal that a person mends is told beside another wait, and is that of both", () => {
    const { asks, begins, reports, run } = story(["t1", "t2"].map((id) => outline(id)))
    for (const id of ["t1", "t2"]) {
      begins(id)
      asks(id)
    }
    reports("t1", { _tag: "Limited", kind: "usage-limit", resetsAt: 90_000_000 })
    reports("t2", { _tag: "Limited", kind: "login", resetsAt: null })
    assert.deepInclude(run().wait, { kind: "login", until: 90_000_000 })
    assert.deepInclude(run(), { waits: 1, refusals: 1 })
  })
  it("the questions about a plan, and its finishing step, have the run to themselves; a task in the project too", () => {
    const { asks, begins, says } = story([outline("t1"), outline("t2")])
    says({ _tag: "StartTask", taskId: "t1", base: null })
    assert.deepStrictEqual(named(asks("t1")), ["Await t1"])
    const other = story([outline("t1"), outline("t2", { final: true, dependsOn: ["t1"] })])
    other.begins("t1")
    other.asks("t1")
    other.completes("t1")
    other.lands("t1")
    other.clears()
    assert.deepStrictEqual(named(other.run()), ["Start t2"])
    other.says({ _tag: "Redo", taskId: "t1", text: "" })
    assert.deepStrictEqual(named(other.run()), ["Start t1"])
    assert.isFunction(begins)
  })
  it("what an agent comes to whose task a person has answered for meanwhile counts for nothing; then it begins again", () => {
    const { asks, begins, completes, events, run, says } = story([outline("t1"), outline("t2")])
    for (const id of ["t1", "t2"]) {
      begins(id)
      asks(id)
    }
    says({ _tag: "Pause", reason: "work lost", files: [], message: "t1" })
    says({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" }, { _tag: "Resume" })
    // No second agent comes to a task that has one.
    assert.deepStrictEqual(named(run()), ["Await t1", "Await t2"])
    completes("t1")
    assert.deepInclude(events.at(-1), { _tag: "ImplementationFailed", reason: "lost" })
    assert.deepInclude(taskOf(run(), "t1"), { implementation: null, failures: 0 })
    assert.deepStrictEqual(named(run()), ["Await t2", "Start t1"])
  })
  it("without work trees one task is at work at a time; a person's number outranks that of the plan", () => {
    const { run } = story([outline("t1")], { parallel: 3 })
    const { worktrees: _, ...project } = run().agreed
    assert.deepStrictEqual(
      [
        run(),
        { ...run(), agreed: project },
        { ...run(), chosen: { implementer: null, reviewer: null, permission: "acceptEdits" as const, parallel: 2 } }
      ].map(parallelOf),
      [3, 1, 2]
    )
  })
  const ids = ["t1", "t2", "t3", "t4"] as const
  const Globs = Schema.Literals(["", "a/**", "a/b.ts", "b", "**"])
  const Said = Schema.Struct({ kind: Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7]), taskId: Schema.Literals(ids) })
  it.prop(
    "whatever is said in whatever order, no more agents are at work than allowed, one a task, and none that may meet",
    [Schema.Literals([1, 2, 3]), Schema.Array(Globs), Schema.Array(Said)],
    ([parallel, globs, words]) => {
      const tasks = ids.map((id, at) => outline(id, globs[at] ? { touches: [globs[at]] } : {}))
      const { events, run, says, why } = story(tasks, { parallel, keepsGoing: true })
      const tries = (...intents: ReadonlyArray<RunIntent>) =>
        intents.forEach((intent) => why(intent) === "" && says(intent))
      // Most words come to nothing where the run is: each is said in several ways.
      for (const { kind, taskId } of [...words, ...words, ...words]) {
        const { token = "" } = run().assignments.find((one) => one.taskId === taskId) ?? {}
        const tree = { taskId, folder: `/t/${taskId}`, branch: `b/${taskId}`, base: "c0" }
        const asks = (role: "implementer" | "reviewer") =>
          ({ _tag: "Ask", role, taskId, sessionId: `s${events.length}`, head: null }) as const
        const work = { commits: [taskId], files: ["a"], testFile: null }
        const reports = [
          { _tag: "Completed", head: taskId, work, made: [] },
          { _tag: "Approved", summary: "", minor: [] },
          { _tag: "Failed", reason: "no verdict", message: "" },
          { _tag: "Limited", kind: "outage", resetsAt: null }
        ] as const
        if (kind === 3) tries({ _tag: "ClearTree", taskId, folder: tree.folder, kept: null })
        else if (kind === 2) tries({ _tag: "ReportLanding", taskId, made: [] }, { _tag: "EndWait", renewed: true })
        else if (token !== "") tries({ _tag: "Report", token, report: reports[kind % 4]! })
        else
          tries(
            { _tag: "ChooseTree", ...tree },
            { _tag: "StartTask", taskId, base: "c0" },
            asks("implementer"),
            asks("reviewer")
          )
        const live = run().assignments.flatMap((one) => one.taskId ?? [])
        assert.isAtMost(live.length, parallel)
        assert.strictEqual(new Set(live).size, live.length)
        const touched = run().tasks.flatMap((task) => (live.includes(task.id) ? (task.touches ?? []) : []))
        if (touched.includes("**")) assert.lengthOf(live, 1)
        assert.isAtMost(touched.filter((glob) => glob.startsWith("a/")).length, 1)
      }
    }
  )
})
