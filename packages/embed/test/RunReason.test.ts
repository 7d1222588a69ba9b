import { assert, describe, it } from "@effect/vitest"
import type { RunEvent } from "@souffleur/plan"
import { leastPin } from "@souffleur/domain"
import { runReasonLines, runReasonOf } from "../src/explain/RunReason.ts"

const at = Date.UTC(2026, 2, 1, 3)
const hour = 3_600_000
const assignment = { token: "a1", taskId: "t1" }
const process = { pid: 4711, startTime: 99, bootId: "boot" }
const opened: RunEvent = {
  _tag: "RunOpened",
  at,
  workflowId: "w",
  project: "/p",
  workTree: null,
  plan: "/p/plan.yaml",
  digest: "d",
  tasks: [{ id: "t1", title: "T", dependsOn: [] }],
  pin: leastPin,
  finishingDigest: null,
  branch: null
}
const rejected = (attempt: number): RunEvent => ({
  _tag: "ReviewRejected",
  at,
  ...assignment,
  feedback: { attempt, summary: "no test", issues: ["of an empty input"], suggestions: [] },
  minor: ["a long name"]
})
const failed = (reason: "timeout" | "lost"): RunEvent => ({
  _tag: "ImplementationFailed",
  at,
  ...assignment,
  reason,
  message: "it slept",
  hint: null
})
const ending = (reason: "timeout" | "left running"): RunEvent => ({
  _tag: "AgentEnding",
  at: at + hour,
  token: "a1",
  reason,
  process,
  launchedAt: at,
  limit: hour,
  others: [4712]
})

/** Returns the words of `conduct why` after these events. */
const why = (...events: ReadonlyArray<RunEvent>): string => whyOf(opened, ...events)
const whyOf = (...events: ReadonlyArray<RunEvent>): string => {
  const recorded = events.map((event, n) => ({ stream: "run/r", revision: n + 1, position: n + 1, event }))
  const reason = runReasonOf(recorded, recorded.length)
  return reason === undefined ? "" : runReasonLines(reason).join("\n")
}

it("why tells the step of the ladder of a rejection and of a failed assignment", () => {
  assert.include(why(rejected(1)), "the first: the same implementer goes on")
  assert.include(why(rejected(1), rejected(2)), "the second: a fresh implementer")
  assert.notInclude(why(rejected(1), rejected(2)), "model")
  const planned = { ...opened, agents: { implementer: { models: ["sonnet", "opus"] } } }
  assert.include(whyOf(planned, rejected(1), rejected(2)), "gets all feedback, with the next model of the plan, opus")
  assert.include(why(rejected(1), rejected(2), rejected(3)), "the third is a person's")
  assert.include(why(failed("timeout"), failed("timeout")), "assignment 2 in a row that came to nothing")
  assert.include(why(failed("lost")), "it counts for nothing")
})

describe("command-line#plans", () => {
  it("why tells the evidence against an agent that is ended", () => {
    const overdue = why(ending("timeout"), failed("timeout"))
    assert.include(overdue, "it slept", "the last decision")
    const reason = why(ending("timeout"))
    for (const part of [
      "process 4711 runs since 2026-03-01 03:00:00 UTC; its limit is 1 h 0 m",
      "it has started pid 4712",
      "its assignment failed"
    ])
      assert.include(reason, part)
    assert.include(why(ending("left running")), "its word counts")
  })
})

it("why tells what a run waits for, until when, and by which source", () => {
  const limited: RunEvent = {
    _tag: "AgentLimited",
    at,
    ...assignment,
    kind: "usage-limit",
    resetsAt: at + 72 * hour,
    until: at + 72 * hour
  }
  assert.include(why(limited), "they state that it ends at 2026-03-04 03:00:00 UTC")
  assert.include(why({ ...limited, resetsAt: null }), "wait 1 in a row")
  const paused: RunEvent = {
    _tag: "RunPaused",
    at,
    reason: "not gone",
    files: [],
    message: "process 7 belongs to somebody else"
  }
  assert.include(why(paused), "process 7 belongs to somebody else")
  const finished: RunEvent = {
    _tag: "RunFinished",
    at,
    finishing: "failed",
    message: "it ended with exit code 3",
    delivered: null
  }
  for (const part of ["it ended with exit code 3", "asked once", "conduct answer --finishing --retry"])
    assert.include(why(finished), part)
})

it("why tells the times of a limit by the clock of the zone", () => {
  const limited: RunEvent = {
    _tag: "AgentLimited",
    at,
    ...assignment,
    kind: "usage-limit",
    resetsAt: at + hour,
    until: at + hour
  }
  const recorded = [{ stream: "run/r", revision: 1, position: 1, event: limited }]
  const tokyo = () => 9 * hour
  const told = runReasonLines(runReasonOf(recorded, 1, tokyo)!, tokyo).join("\n")
  assert.include(told, "they state that it ends at 2026-03-01 13:00:00")
  assert.include(told, "asked again at 2026-03-01 13:00:00")
  assert.notInclude(told, "UTC")
})

describe("behaviour#answers", () => {
  it("why tells the problems of each rejection before an escalation", () => {
    const escalated: RunEvent = {
      _tag: "TaskEscalated",
      at,
      taskId: "t1",
      reason: "rejections",
      message: "rejected 2 times: no test"
    }
    const told = why(rejected(1), rejected(2), escalated)
    for (const what of ["rejected 2 times: no test", "- of an empty input", "attempt 1 was rejected: no test"])
      assert.include(told, what)
  })
})

describe("behaviour#gate", () => {
  const refused = { head: "88bb", program: "npm test", code: 1, said: "2 passed\n\n1 failed: adds\n" }
  it("why tells what a program printed that refuses the first commit, and what the run waits for", () => {
    const told = why(
      { _tag: "BaselineRefused", at, ...refused },
      { _tag: "RunPaused", at, reason: "red", files: [], message: "npm test at 88bb" }
    )
    assert.match(
      told,
      /npm test ended with 1\.\n\nEvidence\n {2}the end of what it printed:\n {4}2 passed\n {4}1 failed: adds\n/u
    )
    assert.include(told, "no agent begins where the gate is red already")
    assert.match(told, /Action\n {5}3 {2}The run is paused: .* souffleur conduct answer --allow-red/u)
  })
  it("why tells what a program printed that refuses work, and the third time whom it asks", () => {
    const work: RunEvent = { _tag: "WorkRefused", at, taskId: "t1", ...refused }
    const first = why(work)
    assert.include(first, "  refusal 1 of this task\n  the end of what it printed:\n    2 passed\n    1 failed: adds\n")
    assert.include(first, "the session of its implementer goes on with that")
    assert.notInclude(why({ ...work, said: "" }), "printed")
    const third = why(work, work, work, { _tag: "TaskEscalated", at, taskId: "t1", reason: "gate", message: "refused" })
    assert.include(third, "refusal 3 of this task\n  the end of what it printed:\n    2 passed\n")
    assert.match(third, /the third refusal .* is a person's\n\nAction\n .*souffleur conduct answer t1 "what to do"/u)
  })
})

it("an event that is no decision has no reason, and no text of a reason controls a terminal", () => {
  assert.strictEqual(why(), "")
  const escalated: RunEvent = { _tag: "TaskEscalated", at, taskId: "t1", reason: "blocked", message: "\u001B[2Jno key" }
  const told = why(escalated, { _tag: "RunLeft", at, fence: 1 })
  assert.notInclude(told, "\u001B")
  assert.include(told, "souffleur left")
})
