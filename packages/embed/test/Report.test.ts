import { assert, describe, it } from "@effect/vitest"
import { Event, initial, utc, type Watch, type WatchEvent } from "@souffleur/domain"
import type { RunEvent } from "@souffleur/plan"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { examples as runExamples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { type Job, watchJob } from "../src/jobs/Job.ts"
import { reportOf, type JobHistory } from "../src/report/Report.ts"
import { markdownText, reportJson, reportMarkdown } from "../src/report/ReportText.ts"
import { runTimeline } from "../src/timeline/RunTimeline.ts"
import { watchTimeline } from "../src/timeline/WatchTimeline.ts"

const noon = Date.UTC(2026, 2, 1, 12)
const hour = 3_600_000
const given = <E>(...events: ReadonlyArray<E>) =>
  events.map((event, n) => ({ stream: "w", position: n + 1, revision: n + 1, event }))
const at = <E extends { readonly at: number }>(at: number, event: E): E => ({ ...event, at })
const job = (more: Partial<Job> = {}): Job => ({
  kind: "watch",
  id: "w",
  title: null,
  labels: {},
  project: "/p",
  agent: null,
  state: "working",
  standing: "watching",
  need: null,
  since: null,
  held: false,
  begun: null,
  generation: 1,
  retries: 0,
  tasks: null,
  used: null,
  at: noon,
  ...more
})
const period = { since: noon - 12 * hour, until: noon }

/** One cycle of a watch from its death, taken after `length` ms. */
const recovered = (from: number, cycle: number, length: number): ReadonlyArray<WatchEvent> => [
  at(from, { ...examples.ConductorDied, reason: "pid" as const }),
  Event.RecoveryStarted.make({ at: from, cycle, purpose: "relaunch", trigger: "pid" }),
  at(from + length - 1, { ...examples.ConductorRelaunched, generation: cycle + 1, cycle, provider: "resume" }),
  at(from + length, { ...examples.HandoffTaken, takenAt: from + length, contextTokens: 1500 })
]
const watch = (...events: ReadonlyArray<WatchEvent>): JobHistory => ({
  job: job(),
  timeline: watchTimeline(
    given(at(noon - 20 * hour, examples.WatchOpened), at(noon - 20 * hour, examples.ConductorConfirmed), ...events),
    noon
  )
})

describe("command-line#report", () => {
  it("a report has the deaths, recoveries and waits of its time, and no older ones", () => {
    const told = watch(
      ...recovered(noon - 15 * hour, 1, 9000),
      ...recovered(noon - 5 * hour, 2, 3000),
      ...recovered(noon - 4 * hour, 3, 5000),
      ...recovered(noon - 3 * hour, 4, 60_000),
      at(noon - 14 * hour, { ...examples.LimitForeseen, reachedAt: noon - 13 * hour }),
      at(noon - 2.5 * hour, { ...examples.LimitForeseen, reachedAt: noon - 2 * hour }),
      at(noon - 2 * hour, { ...examples.WaitStarted, kind: "usage-limit" as const }),
      at(noon - hour, { ...examples.WaitEnded, how: "over" as const })
    )
    const report = reportOf([told], period)
    assert.deepStrictEqual(report.deaths, [{ cause: "pid", message: "its process was gone", count: 3 }])
    assert.deepStrictEqual(report.recoveries, { count: 3, successful: 3, median: 5000, longest: 60_000 })
    assert.deepStrictEqual(report.waits, [{ kind: "usage-limit", millis: hour }])
    assert.deepStrictEqual([report.contextTokens, report.watches[0]?.watched], [4500, 12 * hour])
    const text = reportMarkdown(report, utc)
    for (const line of [
      "- **Done:** nothing",
      "- **Not done:** 1 watch",
      "- **Needs you:** nothing",
      "3 deaths. 3 of 3 recoveries brought the work back, in 5 s at the median and 1 m 0 s at most.",
      "Successors went on with 4,500 tokens of context.",
      "- 3 times: its process was gone",
      "- usage limit: 1 h 0 m",
      "- 09:30:00 usage limit of 5 h 0 m: 92 % used, lasts 30 m 0 s (estimated)",
      "- 07:00:00 recovery 2: taken after 3 s, by resume, 1,500 tokens of context"
    ])
      assert.include(text.split("\n"), line)
    assert.isTrue(
      text.split("\n").every((line) => line.length <= 80 || line.startsWith("3 deaths")),
      text
    )
    const json = JSON.parse(JSON.stringify(reportJson(report)))
    assert.deepInclude(json.watches[0].recoveries[0], { cycle: 2, ms: 3000, from: "2026-03-01T07:00:00.000Z" })
    assert.lengthOf(json.watches[0].limits, 1)
    assert.deepInclude(json.watches[0].limits[0], { limit: "usage", reached_at: "2026-03-01T10:00:00.000Z" })
  })

  it("a death has the end of its process, and a command that died again was not brought back", () => {
    const exit = { _tag: "Exited", code: 3 } as const
    const died = (from: number, retries: number): WatchEvent => {
      const { evidence, ...event } = examples.ConductorDied
      return at(from, { ...event, reason: "pid" as const, retries, evidence: { ...evidence, end: exit } })
    }
    const again = (from: number, cycle: number, retries: number): ReadonlyArray<WatchEvent> => [
      died(from, retries),
      Event.RecoveryStarted.make({ at: from, cycle, purpose: "relaunch", trigger: "pid" }),
      at(from + 1000, { ...examples.ConductorRelaunched, generation: cycle + 1, cycle, provider: "restart" })
    ]
    const report = (last: number) =>
      reportOf(
        [
          watch(
            { ...examples.WatchOpened, kind: "command" },
            ...again(noon - hour, 1, 1),
            died(noon - hour + 5000, last)
          )
        ],
        period
      )
    assert.deepStrictEqual(report(2).deaths, [{ cause: "pid", message: "it ended with exit code 3", count: 2 }])
    assert.strictEqual(report(2).recoveries.successful, 0)
    assert.strictEqual(report(0).recoveries.successful, 1)
  })

  it("a wait that began before the report counts from its begin", () => {
    const told = watch(at(noon - 20 * hour, { ...examples.WaitStarted, kind: "outage" as const }))
    assert.deepStrictEqual(reportOf([told], period).waits, [{ kind: "outage", millis: 12 * hour }])
  })

  it("a report names each job that needs a person, and each watch that gave up", () => {
    const needing: JobHistory = {
      ...watch(),
      job: job({ id: "a", need: { why: "it waits", next: "souffleur attach a" } })
    }
    const ended = (id: string, end: Watch["end"]): JobHistory => ({
      ...watch(),
      job: watchJob({ id, watch: { ...initial, phase: "Exited", end } }, false)
    })
    const [gone, done] = [ended("b", "retries exhausted"), ended("c", "completed")]
    assert.deepStrictEqual(reportOf([needing, gone, done], period).needs, [
      { kind: "watch", id: "a", why: "it waits", next: "souffleur attach a" },
      { kind: "watch", id: "b", why: "failed: three ends without progress", next: "souffleur why b" }
    ])
  })

  it("a report has the tasks and the commits of its time, each commit once", () => {
    const { AgentAsked, ImplementationCompleted, ReviewApproved, RunOpened, TaskCompleted, TaskStarted } = runExamples
    const taskId = "task-001"
    const asked = (time: number, token: string) => at(time, { ...AgentAsked, token, taskId })
    const done = (time: number, token: string, commits: ReadonlyArray<string>) =>
      at(time, { ...ImplementationCompleted, token, taskId, commits })
    const events = given<RunEvent>(
      at(noon - 14 * hour, RunOpened),
      at(noon - 14 * hour, { ...TaskStarted, taskId }),
      asked(noon - 14 * hour, "a1"),
      done(noon - 13 * hour, "a1", ["old"]),
      asked(noon - 3 * hour, "a2"),
      done(noon - 2 * hour, "a2", ["c1", "c2"]),
      asked(noon - 2 * hour, "a3"),
      done(noon - hour, "a3", ["c2", "c3"]),
      at(noon - hour, { ...ReviewApproved, taskId, minor: ["`it` has *a* long name"] }),
      at(noon - hour, { ...TaskCompleted, taskId, commits: ["old", "c1", "c2", "c3"] })
    )
    const told: JobHistory = { job: job({ kind: "run", id: "r" }), run: runTimeline(events, noon) }
    const report = reportOf([told], period)
    assert.deepStrictEqual([report.tasks, report.commits], [1, 3])
    assert.include(
      reportMarkdown(report, utc),
      "- task-001 Create the model: completed, unverified, 3 agents, implementer codex, the fallback, 4 commits, 13 h 0 m\n  - minor: \\`it\\` has \\*a\\* long name"
    )
    assert.deepStrictEqual(reportJson(report).runs[0]?.tasks[0]?.minor, ["`it` has *a* long name"])
  })

  it("a word of others begins no form of Markdown, and no line of a terminal", () => {
    assert.strictEqual(markdownText("[x](y) *b* `c` # d | <e>"), "\\[x\\](y) \\*b\\* \\`c\\` \\# d \\| \\<e\\>")
    assert.strictEqual(markdownText("a\nb\u001Bc"), "a\\\\u000ab\\\\u001bc")
  })
})
