import { assert, describe, it } from "@effect/vitest"
import { foldRun, type RunEvent, taskOf } from "@souffleur/plan"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { claudeCode } from "@souffleur/agents"
import { progressSuffix } from "../src/explain/RunProgress.ts"
import { runNeeds, runSentence, runStanding, taskLines } from "../src/explain/RunSentence.ts"

const {
  AgentAsked,
  AgentLaunched,
  ImplementationFailed,
  PlanRevised,
  ReviewApproved,
  ReviewRejected,
  RunOpened,
  TaskEscalated,
  TaskStarted
} = examples
const taskId = "task-001"
const rejected = (attempt: number, issues: ReadonlyArray<string>): RunEvent => ({
  ...ReviewRejected,
  taskId,
  feedback: { attempt, summary: `not at ${attempt}`, issues, suggestions: [] }
})
const asked: RunEvent = { ...AgentAsked, role: "reviewer", taskId }
const outputOf = (launchId: string) => `/state/launches/${launchId}.out`
const escalated = foldRun([
  RunOpened,
  { ...TaskStarted, taskId },
  rejected(1, ["one"]),
  rejected(2, ["two"]),
  asked,
  { ...AgentLaunched, launchId: "run-r-a6" },
  rejected(3, ["the empty\u001B[2J input", ...Array.from({ length: 30 }, (_, n) => `${n} ${"x".repeat(1000)}`)]),
  { ...TaskEscalated, taskId, reason: "rejections", message: "rejected 3 times: not at 3" }
])

describe("behaviour#verdicts-of-agents", () => {
  it("the minor findings of a task are lines below it, and needs nobody", () => {
    const run = foldRun([RunOpened, { ...TaskStarted, taskId }, { ...ReviewApproved, minor: ["a\u001B[2J name", "b"] }])
    assert.deepStrictEqual(taskLines(run, taskOf(run, taskId)!, outputOf).slice(1), [
      "    minor: a\\u001b[2J name",
      "    minor: b"
    ])
    assert.deepStrictEqual(runNeeds("r", run, outputOf), [])
    assert.include(runSentence({ ...ReviewApproved, minor: ["a", "b"] }), "(2 minor findings): ")
    assert.include(runSentence(ReviewRejected), "(1 issue, 1 minor finding): ")
  })
})

describe("behaviour#a-work-tree-a-task", () => {
  it("a pause names the work tree of a task in which files are in the way", () => {
    const paused = { reason: "dirty", files: ["a.ts"], message: "/trees/t1" } as const
    assert.deepStrictEqual(runNeeds("r", { ...foldRun([RunOpened]), paused }), [
      "run r is paused: commit or put away the changes in a.ts (in /trees/t1)"
    ])
  })
})

describe("behaviour#answers", () => {
  it("a run that needs nobody has no needs", () => {
    for (const run of [foldRun([RunOpened]), { ...escalated, phase: "finished" as const, tasks: [] }])
      assert.deepStrictEqual(runNeeds("r", run, outputOf), [])
  })
  it("an escalation lists the last rejection's issues, the earlier ones in short, and the file of the last agent's output", () => {
    const task = taskOf(escalated, taskId)!
    for (const lines of [runNeeds("r", escalated, outputOf), taskLines(escalated, task, outputOf)]) {
      const text = lines.join("\n")
      for (const what of [
        "rejected 3 times: not at 3",
        "- the empty\\u001b[2J input",
        "and 21 more",
        "attempt 2 was rejected: not at 2"
      ])
        assert.include(text, what)
      assert.include(text, "the output of its last agent: /state/launches/run-r-a6.out")
      assert.isBelow(text.length, 6000)
    }
    assert.include(runNeeds("r", escalated, outputOf).at(-1), "souffleur conduct answer task-001")
    assert.lengthOf(runNeeds("r", escalated), 2, "in short for who lists it among others")
  })
})

describe("behaviour#verdicts-of-agents", () => {
  it("an assignment without a commit, and its escalation, name a missing permission first, with the line to paste", () => {
    const failed: RunEvent = {
      ...ImplementationFailed,
      taskId,
      reason: "nothing done",
      message: "it said that it was complete, and made no commit",
      hint: claudeCode.commitSetting
    }
    const paste = '{"permissions":{"allow":["Bash(git add:*)","Bash(git commit:*)"]}}'
    assert.include(runSentence(failed), paste)
    assert.notInclude(runSentence({ ...failed, hint: null }), paste)
    const run = foldRun([
      RunOpened,
      { ...TaskStarted, taskId },
      failed,
      { ...TaskEscalated, taskId, reason: "implementer failures", message: "3 assignments" }
    ])
    assert.include(runNeeds("r", run, outputOf).join("\n"), paste)
  })
})

describe("command-line#plans", () => {
  it("a line has the task's number, total and title, and the time of an assignment and a task", () => {
    const at = RunOpened.at
    const history: ReadonlyArray<RunEvent> = [
      RunOpened,
      { ...TaskStarted, taskId },
      { ...asked, at: at + 1000 },
      { ...AgentLaunched, at: at + 1000 },
      { ...ReviewRejected, taskId, at: at + 61_000 },
      { ...examples.TaskCompleted, taskId, at: at + 121_000 }
    ]
    const told = history.map((event, n) => runSentence(event, progressSuffix(event, foldRun(history.slice(0, n)))))
    assert.strictEqual(told[1], `Task ${taskId} starts. (1 of 1: ${RunOpened.tasks[0]!.title})`)
    assert.match(told[4]!, /\(after 1 m 0 s\)$/u)
    assert.match(told[5]!, /is complete\. \(1 of 1, after 2 m 1 s\)$/u)
  })

  it("an agent whose process is gone is not at work", () => {
    const run = foldRun([RunOpened, { ...TaskStarted, taskId }, asked, AgentLaunched])
    const { pid } = AgentLaunched.process
    const assignment = run.assignments[0]!
    assert.strictEqual(
      runStanding(run, [{ assignment, condition: "running" }]),
      `task-001: reviewer at work, pid ${pid}`
    )
    assert.strictEqual(
      runStanding(run, [{ assignment, condition: "gone" }]),
      `task-001: reviewer has ended, pid ${pid}`
    )
  })
})

describe("behaviour#plan", () => {
  it("a plan with changed complete tasks names them, and says that they are not done again", () => {
    assert.strictEqual(
      runSentence({ ...PlanRevised, changed: ["t1"] }),
      "A person took the plan as it is: 2 tasks. Dropped: task-003. Completed tasks whose text changed stay as they are: t1."
    )
    assert.include(runSentence({ ...PlanRevised, changed: ["t1", "t2"] }), "stay as they are: t1, t2.")
    assert.strictEqual(
      runSentence({ ...PlanRevised, changed: [], dropped: [] }),
      "A person took the plan as it is: 2 tasks."
    )
  })
})
