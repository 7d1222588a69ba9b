import { assert, describe, it } from "@effect/vitest"
import { utc } from "@souffleur/domain"
import { evolveRun, initialRun, type RunEvent } from "@souffleur/plan"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { planLine } from "../src/conducting/PlanLine.ts"

const linesOf = (events: ReadonlyArray<RunEvent>) => {
  let run = initialRun
  return events.flatMap((event) => {
    const told = planLine(event, run, utc)
    run = evolveRun(run, event)
    return told === undefined ? [] : [told.text]
  })
}
const { AgentAsked, AgentLaunched, RunOpened, TaskStarted } = examples
const taskId = "t1"
const outline = { ...RunOpened.tasks[0]!, dependsOn: [] }
const second = RunOpened.at + 1000
const opened = {
  ...RunOpened,
  workflowId: "opera",
  tasks: [
    { ...outline, id: "t1", title: "Write the overture" },
    { ...outline, id: "t2", title: "Write the finale" }
  ]
}
describe("command-line#plans", () => {
  it("on a terminal a task has a line at its beginning, one at its end with what it took, and its turns between", () => {
    const { choice: _, insteadOf: __, ...plain } = AgentAsked
    const ask = (n: number, more: Partial<typeof AgentAsked>) =>
      ({ ...plain, at: second + n * 1000, taskId, token: `a${n}`, nudge: null, resumed: false, ...more }) as RunEvent
    const runs = (n: number): RunEvent => ({ ...AgentLaunched, at: second + n * 1000, token: `a${n}` })
    const events: ReadonlyArray<RunEvent> = [
      opened,
      { ...TaskStarted, at: second, taskId, review: undefined } as unknown as RunEvent,
      ask(1, { role: "implementer", attempt: 1 }),
      runs(1),
      { ...examples.ImplementationCompleted, at: second + 9000, taskId, token: "a1" },
      { ...examples.WorkRefused, at: second + 9000, taskId, program: "npm test", code: 1 },
      ask(10, { role: "implementer", attempt: 1, nudge: "the gate refuses it", resumed: true }),
      runs(10),
      { ...examples.ImplementationCompleted, at: second + 15_000, taskId, token: "a10" },
      { ...examples.WorkVerified, at: second + 15_000, taskId },
      ask(16, { role: "reviewer", attempt: 1 }),
      runs(16),
      { ...examples.ReviewRejected, at: second + 20_000, taskId, token: "a16" },
      ask(21, { role: "implementer", attempt: 2, resumed: true }),
      runs(21),
      { ...examples.ImplementationCompleted, at: second + 25_000, taskId, token: "a21" },
      { ...examples.WorkVerified, at: second + 25_000, taskId },
      ask(26, { role: "reviewer", attempt: 2 }),
      runs(26),
      { ...examples.ReviewApproved, at: second + 30_000, taskId, token: "a26", minor: [] },
      { ...examples.TaskCompleted, at: second + 30_000, taskId }
    ]
    assert.deepStrictEqual(linesOf(events), [
      "souffleur conducts workflow opera: 2 tasks of /p/plan.yaml",
      "1/2 t1: Write the overture",
      "  implemented after 8 s: 1 commit, 1 file",
      "  refused by the gate: npm test ended with 1",
      "  implemented after 5 s: 1 commit, 1 file",
      "  rejected after 4 s: tests are missing",
      "  attempt 2: the same implementer",
      "  implemented after 4 s: 1 commit, 1 file",
      `  approved after 4 s: ${examples.ReviewApproved.summary}`,
      "1/2 t1: done, verified, after 30 s, 2 attempts"
    ])
  })
})
