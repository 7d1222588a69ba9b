import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ImportedTask } from "../src/run/RunEvent.ts"
import {
  decideRun,
  foldRun,
  isRunOver,
  needsPerson,
  next,
  type AgentReport,
  type Run,
  type RunEvent,
  type RunIntent,
  taskOf
} from "../src/index.ts"
import { owner } from "../../domain/test/Given.ts"

const outline = (id: string, dependsOn: ReadonlyArray<string> = []) => ({ id, title: `Do ${id}`, dependsOn })
const work = { commits: ["c1"], files: ["a.ts"], testFile: null }

/** A run whose owner dispatches one intent after another. */
const story = (
  tasks: ReadonlyArray<ReturnType<typeof outline>> = [outline("t1")],
  before?: ReadonlyArray<ImportedTask>,
  finishing: "done" | null = null,
  doneBefore: ReadonlyArray<string> = []
) => {
  const events: Array<RunEvent> = []
  let sessions = 0
  const self = {
    events,
    run: (): Run => foldRun(events),
    task: (id = "t1") => taskOf(self.run(), id)!,
    try: (intent: RunIntent, fence = self.run().fence) =>
      decideRun(self.run(), { ...intent, now: events.length, by: { _tag: "Owner", fence } }),
    dispatch: (intent: RunIntent) => {
      const decided = Result.getOrThrow(self.try(intent))
      events.push(...decided)
      return decided.map(({ _tag }) => _tag)
    },
    /** The wait is over. */
    end: () => {
      events.push(
        ...Result.getOrThrow(
          decideRun(self.run(), {
            _tag: "EndWait",
            now: self.run().wait!.until,
            by: { _tag: "Owner", fence: self.run().fence }
          })
        )
      )
    },
    ask: () => {
      const step = next(self.run())
      if (step._tag !== "Ask") throw new Error(`asked for ${step._tag}`)
      self.dispatch({ _tag: "Ask", role: step.role, sessionId: `s${++sessions}`, head: null })
      return self.run().assignments[0]!
    },
    report: (report: AgentReport) => self.dispatch({ _tag: "Report", token: self.run().assignments[0]!.token, report }),
    implemented: () => {
      const assignment = self.ask()
      self.report({ _tag: "Completed", head: "c1", work, made: [] })
      return assignment
    },
    reviewed: (report: AgentReport) => {
      const assignment = self.ask()
      return { assignment, tags: self.report(report) }
    },
    start: (taskId = "t1") => self.dispatch({ _tag: "StartTask", taskId, base: "c0" })
  }
  events.push(
    ...Result.getOrThrow(
      decideRun(self.run(), {
        _tag: "Open",
        workflowId: "w",
        project: "/p",
        plan: "/p/plan.yaml",
        digest: "d",
        tasks,
        done: doneBefore,
        progress: before === undefined ? null : { from: "state", tasks: before, finishing, unproven: [] },
        found: null,
        now: 0,
        by: { _tag: "Operator" }
      })
    )
  )
  self.dispatch({ _tag: "Take", owner, over: 0 })
  return self
}
const approved: Extract<AgentReport, { readonly _tag: "Approved" }> = { _tag: "Approved", summary: "good", minor: [] }
const rejected = (n: number): Extract<AgentReport, { readonly _tag: "Rejected" }> => ({
  _tag: "Rejected",
  feedback: { summary: `no ${n}`, issues: [`issue ${n}`], suggestions: [] },
  minor: []
})
const failed = (reason: "timeout" | "lost" | "nothing done"): AgentReport => ({
  _tag: "Failed",
  reason,
  message: "why"
})

const refused = (kind: "usage-limit" | "outage", resetsAt: number | null): AgentReport => ({
  _tag: "Limited",
  kind,
  resetsAt
})

const why = (result: ReturnType<typeof decideRun>) => (Result.isFailure(result) ? result.failure.reason : "taken")
const operator = { _tag: "Operator" } as const
const paused = { _tag: "Pause", reason: "dirty", files: ["a.ts"] } as const

describe("behaviour#run", () => {
  it("the work tree of a run is its project, unless another is named", () =>
    assert.strictEqual(story().run().workTree, "/p"))

  it("a run takes tasks in the plan's order, each after what it depends on", () => {
    const told = story([outline("a", ["c"]), outline("b"), outline("c", ["b"])])
    const order: Array<string> = []
    for (const _ of [1, 2, 3]) {
      const step = next(told.run())
      if (step._tag !== "Start") break
      order.push(step.task.id)
      told.start(step.task.id)
      told.implemented()
      told.reviewed(approved)
    }
    assert.deepStrictEqual(order, ["b", "c", "a"])
  })
  it("a run refuses an owner that was overtaken, a second agent at once, and a report of another assignment", () => {
    const told = story()
    for (const role of ["implementer", "reviewer", "finisher"] as const)
      assert.isTrue(Result.isFailure(told.try({ _tag: "Ask", role, sessionId: "x", head: null })), "no task has begun")
    told.start()
    for (const role of ["reviewer", "finisher"] as const)
      assert.isTrue(
        Result.isFailure(told.try({ _tag: "Ask", role, sessionId: "x", head: null })),
        "the implementer is next"
      )
    const { token } = told.ask()
    const why = (result: ReturnType<typeof told.try>) => (Result.isFailure(result) ? result.failure.reason : "taken")
    assert.strictEqual(why(told.try({ _tag: "NeverRan", token }, 0)), "fenced")
    assert.strictEqual(why(told.try({ _tag: "Ask", role: "implementer", sessionId: "x", head: null })), "not now")
    assert.strictEqual(why(told.try({ _tag: "Report", token: "a99", report: approved })), "not now")
    assert.strictEqual(why(told.try({ _tag: "Report", token, report: approved })), "never")
    assert.strictEqual(why(told.try({ _tag: "Take", owner, over: 0 })), "owned")
  })
  it("a run is opened once, and no command reaches a run that does not exist", () => {
    const open: RunIntent = {
      _tag: "Open",
      workflowId: "w",
      project: "/p",
      plan: "/p/plan.yaml",
      digest: "d",
      tasks: [outline("t1")],
      progress: null,
      found: null
    }
    assert.strictEqual(why(decideRun(story().run(), { ...open, now: 1, by: operator })), "exists")
    assert.strictEqual(why(decideRun(foldRun([]), { ...paused, now: 1, by: operator })), "no such watch")
  })
  it("an operator needs no fence, an owner needs the current one", () => {
    const told = story()
    const revise: RunIntent = {
      _tag: "RevisePlan",
      finishingDigest: null,
      digest: "e",
      tasks: [outline("t1"), outline("t2")]
    }
    assert.strictEqual(why(decideRun(told.run(), { ...revise, now: 1, by: operator })), "taken")
    assert.strictEqual(why(told.try(revise, 0)), "fenced")
    assert.strictEqual(why(told.try(revise, 1)), "taken")
  })
  it("a command changes nothing where it is so already: left, paused, resumed", () => {
    const told = story()
    assert.deepStrictEqual([told.dispatch({ _tag: "Leave" }), told.dispatch({ _tag: "Leave" })], [["RunLeft"], []])
    assert.deepStrictEqual(told.dispatch({ _tag: "Resume" }), [])
    assert.deepStrictEqual([told.dispatch(paused), told.dispatch(paused)], [["RunPaused"], []])
    assert.deepStrictEqual([told.dispatch({ _tag: "Resume" }), told.dispatch({ _tag: "Resume" })], [["RunResumed"], []])
  })
  it("a task starts only when it is next, and not beside another", () => {
    const told = story([outline("t1"), outline("t2")])
    assert.strictEqual(why(told.try({ _tag: "StartTask", taskId: "t2", base: null })), "not now")
    told.start()
    for (const taskId of ["t1", "t2"])
      assert.strictEqual(why(told.try({ _tag: "StartTask", taskId, base: null })), "not now")
  })
})

describe("behaviour#verdicts-of-agents", () => {
  it("work without a commit or a file left to review is asked for again, of a fresh implementer", () => {
    for (const left of [
      { head: "c0", commits: [], files: [] },
      { head: "c2", commits: ["c2"], files: [] },
      { head: null, commits: [], files: [] }
    ]) {
      const told = story()
      told.start()
      const first = told.implemented()
      assert.deepStrictEqual(told.dispatch({ _tag: "Recount", taskId: "t1", ...left }), ["WorkChanged"])
      const again = told.ask()
      assert.deepInclude(again, { role: "implementer", resumed: false })
      assert.notStrictEqual(again.sessionId, first.sessionId)
    }
  })
  it("work is counted again where it waits for a reviewer, and is other work", () => {
    const told = story()
    const recount = (taskId: string, head: string | null): RunIntent => ({
      _tag: "Recount",
      taskId,
      head,
      commits: ["c1", "c2"],
      files: ["a.ts"]
    })
    told.start()
    assert.strictEqual(why(told.try(recount("t1", "c2"))), "not now")
    told.implemented()
    assert.strictEqual(why(told.try(recount("t2", "c2"))), "not now")
    assert.deepStrictEqual(told.dispatch(recount("t1", "c1")), [])
    assert.deepStrictEqual(told.dispatch(recount("t1", "c2")), ["WorkChanged"])
    assert.strictEqual(told.ask().role, "reviewer")
    assert.deepStrictEqual(told.task().work.commits, ["c1", "c2"])
  })
})

const process = { pid: 50, startTime: 7, bootId: "boot" }

describe("behaviour#agents-of-a-run", () => {
  describe("an agent that chooses its session", () => {
    /** An implementer is asked for without an id. It runs. */
    const launched = () => {
      const told = story()
      told.start()
      told.dispatch({
        _tag: "Ask",
        role: "implementer",
        sessionId: "",
        head: null,
        choice: { agent: "codex", models: [] }
      })
      told.dispatch({ _tag: "Launched", token: "a1", launchId: "run-r-a1", process: owner.process })
      return told
    }
    const reports = (sessionId: string) => ({ _tag: "ReportSession", token: "a1", sessionId }) as const

    it("its report is recorded once, and only of an agent that runs", () => {
      const told = launched()
      assert.deepStrictEqual(told.dispatch(reports("chosen")), ["AgentSessionFound"])
      assert.deepInclude(told.run().assignments[0], { sessionId: "chosen", agent: "codex" })
      assert.deepStrictEqual(told.dispatch(reports("another")), [])
      assert.strictEqual(told.run().assignments[0]?.sessionId, "chosen")
      const early = story()
      early.start()
      early.dispatch({ _tag: "Ask", role: "implementer", sessionId: "", head: null })
      assert.isTrue(Result.isFailure(early.try(reports("chosen"))))
    })
    it("once rejected, it goes on in the session that it reported", () => {
      const told = launched()
      told.dispatch(reports("chosen"))
      told.report({ _tag: "Completed", head: "c1", work, made: [] })
      told.reviewed(rejected(1))
      assert.deepInclude(told.ask(), { sessionId: "chosen", resumed: true })
    })
    it("a session that was never reported is not gone on with: the next implementer is a fresh one", () => {
      const refusal = launched()
      refusal.report(refused("usage-limit", 1_000))
      refusal.end()
      assert.deepInclude(refusal.ask(), { resumed: false, sessionId: "s1", attempt: 1 })
      const rejection = launched()
      rejection.report({ _tag: "Completed", head: "c1", work, made: [] })
      rejection.reviewed(rejected(1))
      assert.deepInclude(rejection.ask(), { resumed: false })
    })
    it("a reviewer's session is no implementer's, nor an implementer's its own", () => {
      const told = story()
      told.start()
      const { sessionId } = told.implemented()
      told.dispatch({ _tag: "Ask", role: "reviewer", sessionId: "", head: null })
      told.dispatch({ _tag: "Launched", token: "a2", launchId: "run-r-a2", process: owner.process })
      assert.deepStrictEqual(told.dispatch({ ...reports(sessionId), token: "a2" }), [])
      assert.deepStrictEqual(told.dispatch({ ...reports("chosen"), token: "a2" }), ["AgentSessionFound"])
      assert.strictEqual(told.task().implementer, sessionId)
    })
  })

  it("a run keeps the agents and the permission of its newest conductor that said some", () => {
    const told = story()
    const chosen = { implementer: "codex", reviewer: null, permission: "bypassPermissions" } as const
    const takes = (said: object) => told.dispatch({ _tag: "Take", owner, over: told.run().fence, ...said })
    assert.isNull(told.run().chosen)
    takes({ chosen })
    assert.deepStrictEqual(told.run().chosen, chosen)
    takes({})
    assert.deepStrictEqual(told.run().chosen, chosen)
    takes({ chosen: { ...chosen, reviewer: "pi" } })
    assert.strictEqual(told.run().chosen?.reviewer, "pi")
  })

  describe("an agent that is to be ended", () => {
    const process = { pid: 11, startTime: 6, bootId: "boot" }
    const limit = 60_000
    const launched = () => {
      const told = story()
      told.start()
      const { token } = told.ask()
      return { ...told, token, launch: () => told.dispatch({ _tag: "Launched", token, launchId: "l", process }) }
    }
    it("an ending is in the log before a signal: why, since when the agent runs, its limit, and its process", () => {
      const told = launched()
      told.launch()
      const { at } = told.run().assignments[0]!.launch!
      assert.deepStrictEqual(
        told.dispatch({ _tag: "EndAgent", token: told.token, reason: "timeout", limit, others: [12] }),
        ["AgentEnding"]
      )
      assert.deepInclude(told.events.at(-1), { reason: "timeout", process, launchedAt: at, limit, others: [12] })
      assert.deepStrictEqual(told.run().assignments[0]?.ending, { reason: "timeout", limit })
    })
    it("an ending is in the log once: after a crash the next conductor goes on with it", () => {
      const told = launched()
      told.launch()
      told.dispatch({ _tag: "EndAgent", token: told.token, reason: "timeout", limit, others: [] })
      assert.deepStrictEqual(
        told.dispatch({ _tag: "EndAgent", token: told.token, reason: "left running", limit: 1, others: [13] }),
        []
      )
      assert.deepStrictEqual(told.run().assignments[0]?.ending, { reason: "timeout", limit })
    })
    it("an ending needs an agent that was seen to run, its own assignment, and a conductor that owns the run", () => {
      const told = launched()
      const end = (token: string, fence?: number) =>
        told.try({ _tag: "EndAgent", token, reason: "timeout", limit, others: [] }, fence)
      const why = (result: ReturnType<typeof end>) => (Result.isFailure(result) ? result.failure.reason : "taken")
      assert.strictEqual(why(end(told.token)), "never")
      told.launch()
      assert.strictEqual(why(end("a99")), "not now")
      assert.strictEqual(why(end(told.token, 0)), "fenced")
    })
  })

  it("an agent was launched once, and then it ran", () => {
    const told = story()
    told.start()
    const { token } = told.ask()
    const launched: RunIntent = { _tag: "Launched", token, launchId: "l", process }
    assert.deepStrictEqual([told.dispatch(launched), told.dispatch(launched)], [["AgentLaunched"], []])
    assert.strictEqual(why(told.try({ _tag: "NeverRan", token })), "never")
  })
})

describe("behaviour#nudges", () => {
  const undone: AgentReport = { _tag: "Unfinished", message: "it made no commit" }

  it("the same session goes on, told what is missing, and no attempt is counted; what it leaves then counts", () => {
    for (const role of ["implementer", "reviewer"] as const) {
      const told = story()
      told.start()
      if (role === "reviewer") told.implemented()
      const { sessionId } = told.ask()
      assert.deepStrictEqual(told.report(undone), ["AgentNudged"])
      // A service that refuses it, or a crash before its launch, takes nothing of that.
      told.ask()
      told.report(refused("outage", null))
      told.end()
      told.ask()
      told.dispatch({ _tag: "NeverRan", token: told.run().assignments[0]!.token })
      assert.deepInclude(told.ask(), { role, sessionId, resumed: true, attempt: 1, nudge: undone.message })
      assert.strictEqual(
        why(told.try({ _tag: "Report", token: told.run().assignments[0]!.token, report: undone })),
        "never"
      )
      told.report(failed("nothing done"))
      assert.deepInclude(told.task(), {
        attempts: 1,
        failures: role === "implementer" ? 1 : 0,
        reviewFailures: role === "reviewer" ? 1 : 0
      })
      assert.deepInclude(told.ask(), { role, resumed: false, nudge: null })
    }
  })
  describe("an agent that was cut off", () => {
    const killed = (cutOffAfter: number): AgentReport => ({
      _tag: "Failed",
      reason: "no verdict",
      message: "it ended by SIGKILL",
      cutOffAfter
    })
    it("goes on in its session until its third death, and its deaths outlive a refusal", () => {
      const told = story()
      told.start()
      const { sessionId } = told.ask()
      for (const deaths of [1, 2]) {
        assert.deepStrictEqual(told.report(killed(4)), ["AgentNudged"])
        told.ask()
        told.report(refused("outage", null))
        told.end()
        assert.deepInclude(told.ask(), { sessionId, resumed: true, attempt: 1, died: { deaths, results: 4 } })
      }
      assert.deepStrictEqual(told.report(killed(4)), ["ImplementationFailed"])
      assert.deepInclude(told.ask(), { resumed: false, attempt: 2, died: null })
    })
    it("has made progress by new results of its tools, ten minutes after its launch", () => {
      for (const [cutOffAfter, ran, deaths] of [
        [5, 600_001, 1],
        [5, 600_000, 3],
        [4, 600_001, 3]
      ] as const) {
        const told = story()
        told.start()
        for (const _ of [1, 2]) {
          told.ask()
          told.report(killed(4))
        }
        const { token } = told.ask()
        told.dispatch({ _tag: "Launched", token, launchId: "l", process })
        const by = { _tag: "Owner", fence: told.run().fence } as const
        const now = told.run().assignments[0]!.launch!.at + ran
        const decided = Result.getOrThrow(
          decideRun(told.run(), { _tag: "Report", token, report: killed(cutOffAfter), now, by })
        )
        if (deaths === 1)
          assert.deepInclude(decided[0], { _tag: "AgentNudged", died: { deaths, results: cutOffAfter } })
        else assert.deepInclude(decided[0], { _tag: "ImplementationFailed", reason: "no verdict" })
      }
    })
    it("goes on nowhere where it did nothing, or never told its session", () => {
      for (const [cutOffAfter, sessionId] of [
        [0, "s1"],
        [4, ""]
      ] as const) {
        const told = story()
        told.start()
        told.dispatch({ _tag: "Ask", role: "implementer", sessionId, head: null })
        assert.deepStrictEqual(told.report(killed(cutOffAfter)), ["ImplementationFailed"])
      }
    })
  })
  it("a session that another process holds does not go on: a fresh agent is asked", () => {
    const told = story()
    told.start()
    const { sessionId } = told.ask()
    told.report(undone)
    told.dispatch({ _tag: "Ask", role: "implementer", sessionId: "s9", head: null, held: [sessionId] })
    assert.deepInclude(told.run().assignments[0], { sessionId: "s9", resumed: false, nudge: null })
  })
})

describe("behaviour#limits-in-a-run", () => {
  describe("a service that refuses an agent", () => {
    it("a refusal is waited out: no attempt and no failure, and the same implementer goes on", () => {
      const told = story()
      told.start()
      const first = told.ask()
      assert.deepStrictEqual(told.report(refused("usage-limit", 1_000)), ["AgentLimited"])
      assert.deepStrictEqual(next(told.run()), { _tag: "Wait", wait: told.run().wait! })
      assert.strictEqual(told.run().wait?.until, 1_000)
      assert.isTrue(Result.isFailure(told.try({ _tag: "EndWait" })), "before its time")
      assert.isTrue(
        Result.isFailure(told.try({ _tag: "Ask", role: "implementer", sessionId: "s", head: null })),
        "nobody is asked meanwhile"
      )
      told.end()
      assert.deepInclude(told.ask(), { role: "implementer", sessionId: first.sessionId, resumed: true, attempt: 1 })
      assert.deepInclude(told.task(), { attempts: 1, failures: 0 })
    })
    it("a reviewer's refusal is waited out too, and another one reviews the same implementation", () => {
      const told = story()
      told.start()
      told.implemented()
      for (let n = 1; n <= 5; n += 1) {
        told.reviewed(refused("outage", null))
        assert.deepInclude(told.run(), { waits: n })
        told.end()
      }
      assert.deepInclude(told.task(), { status: "in_progress", reviewFailures: 0, attempts: 1 })
      assert.deepInclude(told.ask(), { role: "reviewer", resumed: false })
      told.report(approved)
      assert.deepInclude(told.run(), { waits: 0, wait: null })
    })
    it("a refusal with a time is waited for until then, and its margin", () => {
      const told = story()
      told.start()
      const { token } = told.ask()
      told.dispatch({ _tag: "Report", token, report: refused("usage-limit", 9000), margin: 60_000 })
      assert.strictEqual(told.run().wait?.until, 69_000)
    })
    it("a refusal is waited out no longer where the clock was set back to before it", () => {
      const told = story()
      told.start()
      told.ask()
      told.report(refused("usage-limit", 1_000))
      const { fence, wait } = told.run()
      const endedAt = (now: number) =>
        Result.isSuccess(decideRun(told.run(), { _tag: "EndWait", now, by: { _tag: "Owner", fence } }))
      assert.deepStrictEqual([wait!.since - 1, wait!.since, 999, 1_000].map(endedAt), [true, false, false, true])
    })
    it("a refusal without a time is waited for longer each time; a time that is over means at once, but not twice", () => {
      const told = story()
      told.start()
      const waits = [0, 0, null, null].map((resetsAt) => {
        told.ask()
        told.report(refused("usage-limit", resetsAt))
        const { lastEventAt, wait } = told.run()
        told.end()
        return wait!.until - lastEventAt
      })
      assert.deepStrictEqual(waits, [0, 600_000, 1_200_000, 2_400_000])
    })
  })
})

const complete = () => {
  const told = story()
  told.start()
  told.implemented()
  told.reviewed(approved)
  told.dispatch({ _tag: "Verify", commits: 1, files: 1, missing: [] })
  const finisher = () => {
    told.dispatch({ _tag: "Ask", role: "finisher", sessionId: "s", head: null })
    return told.run().assignments[0]!.token
  }
  return { ...told, finisher }
}

describe("behaviour#ladder", () => {
  describe("the ladder", () => {
    it("approved: the task is complete, with what git says", () => {
      const told = story()
      told.start()
      told.implemented()
      assert.deepStrictEqual(told.reviewed(approved).tags, ["ReviewApproved", "TaskCompleted"])
      assert.deepInclude(told.task(), { status: "completed", attempts: 1, rejections: 0, work })
      assert.strictEqual(next(told.run())._tag, "Verify")
    })
    it("minor findings are kept with the task, each once, whatever the verdict, and hold nothing up", () => {
      const told = story()
      told.start()
      told.implemented()
      assert.deepStrictEqual(told.reviewed({ ...rejected(1), minor: ["a long name", "a long name"] }).tags, [
        "ReviewRejected"
      ])
      told.implemented()
      assert.deepStrictEqual(told.reviewed({ ...approved, minor: ["a long name", "an old comment"] }).tags, [
        "ReviewApproved",
        "TaskCompleted"
      ])
      assert.deepStrictEqual(told.task().minor, ["a long name", "an old comment"])
      assert.deepStrictEqual(
        told.events.flatMap((event) => ("minor" in event ? [event.minor] : [])),
        [["a long name"], ["an old comment"]]
      )
      assert.deepStrictEqual(
        told.task().feedback.map(({ issues }) => issues),
        [["issue 1"]]
      )
      assert.isFalse(needsPerson(told.run()))
    })
    it("the first rejection: the same implementer goes on, with the feedback", () => {
      const told = story()
      told.start()
      const first = told.implemented()
      told.reviewed(rejected(1))
      const second = told.ask()
      assert.deepInclude(second, { role: "implementer", sessionId: first.sessionId, resumed: true, attempt: 2 })
      assert.deepStrictEqual(told.task().feedback, [
        { attempt: 1, summary: "no 1", issues: ["issue 1"], suggestions: [] }
      ])
    })
    it("… but a fresh one where a live process holds its session: two would write to it", () => {
      const told = story()
      told.start()
      const first = told.implemented()
      told.reviewed(rejected(1))
      told.dispatch({
        _tag: "Ask",
        role: "implementer",
        sessionId: "another",
        head: null,
        held: ["x", first.sessionId]
      })
      assert.deepInclude(told.run().assignments[0], { sessionId: "another", resumed: false, attempt: 2 })
      told.report({ _tag: "Completed", head: "c1", work, made: [] })
      told.reviewed(rejected(2))
      assert.isFalse(told.ask().resumed)
    })
    it("the second rejection: a fresh implementer, with all feedback", () => {
      const told = story()
      told.start()
      const first = told.implemented()
      told.reviewed(rejected(1))
      told.implemented()
      told.reviewed(rejected(2))
      const third = told.ask()
      assert.deepInclude(third, { resumed: false, attempt: 3 })
      assert.notStrictEqual(third.sessionId, first.sessionId)
      assert.deepStrictEqual(
        told.task().feedback.map(({ attempt, summary }) => `${attempt} ${summary}`),
        ["1 no 1", "2 no 2"]
      )
    })
    it("the third rejection: escalated, and nothing is asked any more", () => {
      const told = story([outline("t1"), outline("t2")])
      told.start()
      for (const n of [1, 2]) {
        told.implemented()
        told.reviewed(rejected(n))
      }
      told.implemented()
      assert.deepStrictEqual(told.reviewed(rejected(3)).tags, ["ReviewRejected", "TaskEscalated"])
      assert.deepInclude(told.task(), { status: "escalated", attempts: 3, rejections: 3 })
      assert.strictEqual(next(told.run())._tag, "Escalated")
      assert.isTrue(Result.isFailure(told.try({ _tag: "StartTask", taskId: "t2", base: null })))
    })
    it("a reviewer is always a fresh one", () => {
      const told = story()
      told.start()
      const one = told.implemented()
      const { assignment } = told.reviewed(rejected(1))
      told.implemented()
      const again = told.ask()
      assert.strictEqual(new Set([one.sessionId, assignment.sessionId, again.sessionId]).size, 3)
      assert.isFalse(again.resumed)
    })
  })

  it("an implementer that is blocked escalates at once", () => {
    const told = story()
    told.start()
    told.ask()
    assert.deepStrictEqual(told.report({ _tag: "Blocked", message: "no key" }), [
      "ImplementationBlocked",
      "TaskEscalated"
    ])
    assert.deepStrictEqual(told.task().escalation, { reason: "blocked", message: "no key" })
  })
  it("an implementer that took too long: a failed attempt, and a fresh agent", () => {
    const told = story()
    told.start()
    const first = told.ask()
    assert.deepStrictEqual(told.report(failed("timeout")), ["ImplementationFailed"])
    const second = told.ask()
    assert.deepInclude(second, { resumed: false, attempt: 2 })
    assert.notStrictEqual(second.sessionId, first.sessionId)
    assert.strictEqual(told.task().rejections, 0)
  })
  it("a reviewer that took too long: a fresh reviewer of the same implementation", () => {
    const told = story()
    told.start()
    told.implemented()
    const { tags, assignment } = told.reviewed(failed("timeout"))
    assert.deepStrictEqual(tags, ["ReviewFailed"])
    const again = told.ask()
    assert.deepInclude(again, { role: "reviewer", attempt: 1 })
    assert.notStrictEqual(again.sessionId, assignment.sessionId)
  })
  it("three assignments in a row that came to nothing are a person's, of either role", () => {
    const told = story()
    told.start()
    for (const _ of [1, 2]) {
      told.ask()
      told.report(failed("nothing done"))
    }
    told.ask()
    assert.deepStrictEqual(told.report(failed("timeout")), ["ImplementationFailed", "TaskEscalated"])
    assert.strictEqual(told.task().escalation?.reason, "implementer failures")
    const other = story()
    other.start()
    other.implemented()
    other.reviewed(failed("timeout"))
    other.reviewed(failed("timeout"))
    assert.deepStrictEqual(other.reviewed(failed("nothing done")).tags, ["ReviewFailed", "TaskEscalated"])
  })
  it("an agent that was lost with its conductor counts for nothing", () => {
    const told = story()
    told.start()
    for (const _ of [1, 2, 3, 4]) {
      told.ask()
      assert.deepStrictEqual(told.report(failed("lost")), ["ImplementationFailed"])
    }
    assert.strictEqual(told.task().status, "in_progress")
  })
  it("an agent that never ran was no attempt, and is asked for again", () => {
    const told = story()
    told.start()
    const first = told.ask()
    told.dispatch({ _tag: "NeverRan", token: first.token })
    const again = told.ask()
    assert.deepInclude(again, { attempt: 1, resumed: false })
    assert.notStrictEqual(again.token, first.token)
  })
  it("assignments that came to nothing are counted by role, and none that was lost with us", () => {
    const told = story()
    told.start()
    told.implemented()
    for (const _ of [1, 2]) told.reviewed(failed("timeout"))
    told.reviewed(rejected(1))
    told.ask()
    assert.deepStrictEqual(told.report(failed("timeout")), ["ImplementationFailed"])
    told.ask()
    assert.deepStrictEqual(told.report(failed("timeout")), ["ImplementationFailed"])
    told.ask()
    assert.deepStrictEqual(told.report(failed("lost")), ["ImplementationFailed"])
    told.ask()
    assert.deepStrictEqual(told.report(failed("timeout")), ["ImplementationFailed", "TaskEscalated"])
  })
  it("counts begin again with work that is complete, and with a person's answer", () => {
    const told = story()
    told.start()
    const fails = (times: number) => {
      let tags: ReadonlyArray<string> = []
      for (let n = 0; n < times; n++) {
        told.ask()
        tags = told.report(failed("timeout"))
      }
      return tags
    }
    fails(2)
    told.implemented()
    told.reviewed(rejected(1))
    assert.strictEqual(told.task().reviewed, "c1")
    assert.deepStrictEqual(fails(2), ["ImplementationFailed"])
    assert.deepStrictEqual(fails(1), ["ImplementationFailed", "TaskEscalated"])
    told.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
    assert.deepStrictEqual([fails(2), told.task().rejections], [["ImplementationFailed"], 0])
    told.implemented()
    fails(2)
    assert.strictEqual(told.task().reviewFailures, 2)
    told.reviewed(approved)
    assert.strictEqual(told.task().status, "completed")
  })
})

describe("behaviour#answers", () => {
  it("a hint for a person is kept until an implementer completes", () => {
    const told = story()
    told.start()
    told.ask()
    told.report({ _tag: "Failed", reason: "nothing done", message: "why", hint: "set it" })
    assert.strictEqual(told.task().lastHint, "set it")
    told.implemented()
    assert.isNull(told.task().lastHint)
  })

  describe("an answer", () => {
    const escalated = () => {
      const told = story([outline("t1"), outline("t2", ["t1"])])
      told.start()
      told.ask()
      told.report({ _tag: "Blocked", message: "no key" })
      return told
    }
    it("guidance gives a fresh implementer, and the ladder begins again", () => {
      const told = escalated()
      told.dispatch({ _tag: "Answer", taskId: "t1", answer: "guidance", text: "use the other key" })
      assert.deepInclude(told.ask(), { role: "implementer", resumed: false, attempt: 2 })
      assert.deepStrictEqual(told.task().guidance, ["use the other key"])
    })
    it("a skip lets the tasks go on that wait for it", () => {
      const told = escalated()
      told.dispatch({ _tag: "Answer", taskId: "t1", answer: "skip", text: "" })
      const step = next(told.run())
      assert.isTrue(step._tag === "Start" && step.task.id === "t2")
    })
    it("a retry after failed reviews asks a reviewer, not an implementer", () => {
      const told = story()
      told.start()
      told.implemented()
      for (const _ of [1, 2, 3]) told.reviewed(failed("timeout"))
      told.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
      assert.strictEqual(told.ask().role, "reviewer")
    })
    it("a retry of a task that was escalated before this run starts it over: its base is unknown", () => {
      const before = {
        id: "t1",
        status: "escalated" as const,
        attempts: 4,
        feedback: [],
        work,
        startedAt: null,
        completedAt: null
      }
      const told = story([outline("t1")], [before])
      told.dispatch({ _tag: "Answer", taskId: "t1", answer: "retry", text: "" })
      assert.deepStrictEqual([told.task().status, next(told.run())._tag], ["pending", "Start"])
    })
    it("an answer is taken for a task that is escalated, and no other", () => {
      const told = escalated()
      for (const taskId of ["t2", "nobody"])
        assert.isTrue(Result.isFailure(told.try({ _tag: "Answer", taskId, answer: "retry", text: "" })))
    })
  })
})

describe("behaviour#plan", () => {
  it("a task that the plan does not have is told and skipped", () => {
    const task = { status: "completed" as const, attempts: 1, feedback: [], work, startedAt: null, completedAt: null }
    const told = story(
      [outline("t1")],
      [
        { id: "other", ...task },
        { id: "t1", ...task }
      ]
    )
    assert.deepStrictEqual(
      told.events.map(({ _tag }) => _tag),
      ["RunOpened", "UnknownTaskSkipped", "ProgressImported", "RunTaken"]
    )
    assert.strictEqual(next(told.run())._tag, "Verify")
  })
  it("what the plan has as done is skipped when the run takes it; a state file says more of a task", () => {
    const took = (before?: ReadonlyArray<ImportedTask>) => {
      const told = story([outline("t1"), outline("t2")], before, null, ["t1"])
      return [told.events.map(({ _tag }) => _tag), told.run().tasks.map(({ skipped, status }) => [status, skipped])]
    }
    assert.deepStrictEqual(took(), [
      ["RunOpened", "TaskDoneBefore", "RunTaken"],
      [
        ["completed", true],
        ["pending", false]
      ]
    ])
    const task = { status: "completed" as const, attempts: 1, feedback: [], work, startedAt: null, completedAt: null }
    assert.deepStrictEqual(took([{ id: "t1", ...task }]), [
      ["RunOpened", "ProgressImported", "RunTaken"],
      [
        ["completed", false],
        ["pending", false]
      ]
    ])
    const told = story()
    told.start()
    const tasks = [outline("t1"), outline("t2"), outline("t3")]
    const said = told.dispatch({ _tag: "RevisePlan", finishingDigest: null, digest: "e", tasks, done: ["t1", "t3"] })
    assert.deepStrictEqual(said, ["PlanRevised", "TaskDoneBefore"])
    assert.deepStrictEqual(
      told.run().tasks.map(({ status }) => status),
      ["in_progress", "pending", "completed"],
      "a box that is ticked while the run lasts proves nothing"
    )
  })
  it("a run whose plan got another task goes on, and keeps what was done", () => {
    const told = story()
    told.start()
    told.implemented()
    told.reviewed(approved)
    told.dispatch({ _tag: "Verify", commits: 1, files: 1, missing: [] })
    told.dispatch({ _tag: "Finish", finishing: "none", message: "" })
    assert.strictEqual(next(told.run())._tag, "Done")
    told.dispatch({ _tag: "RevisePlan", finishingDigest: null, digest: "e", tasks: [outline("t1"), outline("t2")] })
    const step = next(told.run())
    assert.isTrue(step._tag === "Start" && step.task.id === "t2")
    assert.strictEqual(told.task().status, "completed")
  })
  it("a run whose plan changed the text of a complete task tells it, once a change, and does nothing again", () => {
    const told = story(["t1", "t2", "t3"].map((id) => ({ ...outline(id), digest: "as begun" })))
    told.start()
    told.implemented()
    told.dispatch({
      _tag: "RevisePlan",
      finishingDigest: null,
      digest: "d1",
      tasks: ["t1", "t2", "t3"].map((id) => ({ ...outline(id), digest: "as done" }))
    })
    told.reviewed(approved)
    told.start("t2")
    told.ask()
    told.report({ _tag: "Blocked", message: "no key" })
    told.dispatch({ _tag: "Answer", taskId: "t2", answer: "skip", text: "" })
    const revised = (file: string, digest?: string, title = "Do t1") => {
      const outlines = [{ ...outline("t1"), title }, outline("t2"), outline("t3")]
      told.dispatch({
        _tag: "RevisePlan",
        finishingDigest: null,
        digest: file,
        tasks: outlines.map((one) => (digest === undefined ? one : { ...one, digest }))
      })
      const event = told.events.at(-1)!
      return event._tag === "PlanRevised" ? event.changed : event
    }
    // A skipped task was not done, and an open task is done with its text of then.
    assert.deepStrictEqual(revised("d2", "other"), ["t1"])
    assert.deepStrictEqual(revised("d4", "another"), ["t1"])
    assert.deepStrictEqual(revised("d5", "as done"), [], "it is as it was done")
    assert.deepStrictEqual(revised("d6"), [], "nobody knows")
    assert.strictEqual(told.task().status, "completed")
    const step = next(told.run())
    assert.isTrue(step._tag === "Start" && step.task.id === "t3")
  })
  it("a run whose plan lost the task in progress goes on without it, when the agent at work has ended, whatever it says", () => {
    const told = story([outline("t1"), outline("t2")])
    told.start()
    told.ask()
    assert.deepStrictEqual(
      told.dispatch({ _tag: "RevisePlan", finishingDigest: null, digest: "e", tasks: [outline("t2")] }),
      ["PlanRevised", "UnknownTaskSkipped"]
    )
    assert.strictEqual(next(told.run())._tag, "Await", "nobody may write beside it")
    assert.deepStrictEqual(told.report({ _tag: "Blocked", message: "no key" }), ["ImplementationFailed"])
    const step = next(told.run())
    assert.isTrue(step._tag === "Start" && step.task.id === "t2")
    assert.deepStrictEqual(
      told.run().tasks.map(({ id }) => id),
      ["t2"]
    )
  })
  it("a run whose plan lost a task that is escalated, or between two agents, goes on without it at once", () => {
    for (const report of [{ _tag: "Blocked", message: "no key" } as const, failed("timeout")]) {
      const told = story([outline("t1"), outline("t2")])
      told.start()
      told.ask()
      told.report(report)
      told.dispatch({ _tag: "RevisePlan", finishingDigest: null, digest: "e", tasks: [outline("t2")] })
      assert.deepInclude(told.run(), { current: [] })
      const step = next(told.run())
      assert.isTrue(step._tag === "Start" && step.task.id === "t2")
    }
  })
  it("a finishing step at work while the plan gets more to do is not the end, and another one comes after", () => {
    const told = complete()
    told.finisher()
    told.dispatch({ _tag: "RevisePlan", finishingDigest: null, digest: "e", tasks: [outline("t1"), outline("t2")] })
    told.report(approved)
    const step = next(told.run())
    assert.isTrue(step._tag === "Start" && step.task.id === "t2")
    told.start("t2")
    told.implemented()
    told.reviewed(approved)
    told.dispatch({ _tag: "Verify", commits: 2, files: 1, missing: [] })
    told.finisher()
  })
})

describe("command-line#plans", () => {
  describe("an answer to a run that is paused", () => {
    it("an answer to a paused run is told what to do in its place; so is an answer to a task that waits for none", () => {
      const told = story()
      told.start()
      const why = (taskId = "t1") => {
        const decided = told.try({ _tag: "Answer", taskId, answer: "retry", text: "" })
        return Result.isFailure(decided) ? decided.failure.message : "taken"
      }
      assert.strictEqual(why(), "task t1 is in progress: only an escalated task waits for an answer")
      told.dispatch({ _tag: "Pause", reason: "conflict", files: ["a.ts"] })
      assert.strictEqual(
        why(),
        "no answer is needed on task t1: the run is paused: git has conflicts in a.ts: resolve them, then conduct the plan again"
      )
      told.dispatch({ _tag: "Resume" })
      told.dispatch({ _tag: "Pause", reason: "dirty", files: ["b.ts"] })
      assert.include(
        why(),
        "the run is paused: not committed: b.ts: commit it, or put it away, then conduct the plan again"
      )
    })
  })
})

const verify = { _tag: "Verify", commits: 1, files: 1, missing: [] } as const

describe("behaviour#final-review", () => {
  it("commits that come to nothing together leave it nothing to judge", () => {
    const finalOne = { ...outline("t-final", ["t1"]), final: true as const }
    const review = { head: "c2", commits: ["c1", "c2"], files: [] }
    for (const files of [[], ["a.ts"]]) {
      const told = story([outline("t1"), finalOne])
      told.start()
      told.implemented()
      told.reviewed({ _tag: "Approved", summary: "good", minor: [] })
      const said = told.dispatch({ _tag: "StartTask", taskId: "t-final", base: "c0", review: { ...review, files } })
      assert.deepStrictEqual(said, [files.length === 0 ? "TaskDoneBefore" : "TaskStarted"])
    }
  })
})

describe("behaviour#finishing-step", () => {
  it("a run is verified only when every task is complete, and finished once", () => {
    const told = story()
    assert.isTrue(Result.isFailure(told.try({ _tag: "Verify", commits: 0, files: 0, missing: [] })))
    told.start()
    told.implemented()
    told.reviewed(approved)
    const lost = story()
    lost.start()
    lost.implemented()
    lost.reviewed(approved)
    assert.deepStrictEqual(lost.dispatch({ _tag: "Verify", commits: 1, files: 1, missing: work.commits }), [
      "RunPaused"
    ])
    assert.deepInclude(lost.run().paused, { reason: "work lost", message: "t1: HEAD lacks c1" })
    assert.deepStrictEqual(told.dispatch({ _tag: "Verify", commits: 1, files: 1, missing: [] }), ["RunVerified"])
    const assignment = () => told.dispatch({ _tag: "Ask", role: "finisher", sessionId: "s", head: null })
    assert.deepStrictEqual(assignment(), ["AgentAsked"])
    assert.deepStrictEqual(told.report({ _tag: "Failed", reason: "timeout", message: "why" }), ["RunFinished"])
    assert.isTrue(Result.isFailure(told.try({ _tag: "Ask", role: "finisher", sessionId: "s", head: null })))
  })

  it("a failed finishing step needs a person: it is not asked again by itself, and once more by their word", () => {
    const told = complete()
    const token = told.finisher()
    told.report(failed("timeout"))
    assert.deepInclude(told.run(), { phase: "finished", finishing: "failed", finishingFailure: "why" })
    assert.deepStrictEqual(
      [next(told.run())._tag, isRunOver(told.run()), needsPerson(told.run())],
      ["Done", false, true]
    )
    assert.deepStrictEqual(told.dispatch({ _tag: "AnswerFinishing", answer: "retry" }), ["FinishingAnswered"])
    assert.notStrictEqual(told.finisher(), token)
    told.report(approved)
    assert.deepInclude(told.run(), { finishing: "done", finishingFailure: null })
    assert.isTrue(isRunOver(told.run()))
  })
  it("a failed finishing step may be left, which ends the run; a step that did not fail takes no answer", () => {
    const told = complete()
    assert.isTrue(Result.isFailure(told.try({ _tag: "AnswerFinishing", answer: "retry" })))
    told.finisher()
    assert.isTrue(Result.isFailure(told.try({ _tag: "AnswerFinishing", answer: "skip" })))
    told.report(failed("lost"))
    told.dispatch({ _tag: "AnswerFinishing", answer: "skip" })
    assert.deepInclude(told.run(), { phase: "finished", finishing: "skipped" })
    assert.isTrue(isRunOver(told.run()))
    assert.isTrue(Result.isFailure(told.try({ _tag: "AnswerFinishing", answer: "retry" })))
  })
  it("a finishing step that never ran, or that the service refused, is asked again", () => {
    const told = complete()
    told.dispatch({ _tag: "NeverRan", token: told.finisher() })
    told.finisher()
    told.report(refused("outage", null))
    told.end()
    told.finisher()
    told.report(approved)
    assert.deepInclude(told.run(), { phase: "finished", finishing: "done" })
  })
  it("a finishing step of an earlier run, by its state file, is not asked for again, unless there is more to do", () => {
    const done = { status: "completed" as const, attempts: 1, feedback: [], work, startedAt: null, completedAt: null }
    const told = story([outline("t1")], [{ id: "t1", ...done }], "done")
    told.dispatch({ _tag: "Verify", commits: 1, files: 1, missing: [] })
    assert.strictEqual(next(told.run())._tag, "Finish")
    assert.isTrue(Result.isFailure(told.try({ _tag: "Ask", role: "finisher", sessionId: "s", head: null })))
    const more = story([outline("t1"), outline("t2")], [{ id: "t1", ...done }], "done")
    assert.strictEqual(more.run().finishing, "not begun")
  })
  it("a run is verified once, and not while tasks wait for each other; it ends in its completion alone", () => {
    const end: RunIntent = { _tag: "Finish", finishing: "none", message: "" }
    const circle = story([outline("a", ["b"]), outline("b", ["a"])])
    assert.strictEqual(next(circle.run())._tag, "Verify")
    assert.strictEqual(why(circle.try(verify)), "not now")
    const told = story()
    told.start()
    told.implemented()
    told.reviewed(approved)
    assert.strictEqual(why(told.try(end)), "not now")
    told.dispatch(verify)
    assert.strictEqual(why(told.try(verify)), "not now")
    told.dispatch(end)
    assert.strictEqual(why(told.try(end)), "not now")
  })
})

describe("behaviour#git", () => {
  it("commits that are gone are implemented again", () => {
    const told = story()
    told.start()
    told.implemented()
    told.dispatch({ _tag: "Recount", taskId: "t1", head: "c0", commits: [], files: [] })
    assert.strictEqual(told.ask().role, "implementer")
  })
})

describe("behaviour#state-file", () => {
  it("tasks of a state file that the plan has are taken over, and the others are told", () => {
    const done = { status: "completed" as const, attempts: 1, feedback: [], work, startedAt: null, completedAt: null }
    const told = story(
      [outline("t1")],
      [
        { id: "t1", ...done },
        { id: "t9", ...done }
      ]
    )
    const imported = told.events.find((event) => event._tag === "ProgressImported")
    assert.deepStrictEqual(
      imported?.tasks.map(({ id }) => id),
      ["t1"]
    )
    assert.deepStrictEqual(
      told.events.filter(({ _tag }) => _tag === "UnknownTaskSkipped").map((event) => "taskId" in event && event.taskId),
      ["t9"]
    )
  })
})
