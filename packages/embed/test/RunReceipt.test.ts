import { assert, describe, it } from "@effect/vitest"
import { utc } from "@souffleur/domain"
import type { RunEvent } from "@souffleur/plan"
import { Schema } from "effect"
import { examples } from "../../plan/test/fixtures/events/RunExamples.ts"
import { initialRun } from "@souffleur/plan"
import { runJob } from "../src/jobs/Job.ts"
import { receiptMarkdown } from "../src/report/RunReceipt.ts"
import { reportOf, type Report } from "../src/report/Report.ts"
import { leadLines, leadOf } from "../src/report/ReportLead.ts"
import { reportMarkdown } from "../src/report/ReportText.ts"
import { runTimeline } from "../src/timeline/RunTimeline.ts"

const noon = Date.UTC(2026, 2, 1, 12)
const minute = 60_000
const [first, second] = ["1111111111111111", "2222222222222222"] as const

interface Words {
  readonly title?: string
  readonly program?: string
  readonly agent?: string
}

/** A night of one run: its first task is refused, rejected and taken, its second one is taken without a gate. */
const night = ({ agent = "codex", program = "npm test", title = "Create the model" }: Words = {}): Report => {
  const { AgentAsked, AgentSpent, ImplementationCompleted, ReviewApproved, ReviewRejected, RunOpened, TaskStarted } =
    examples
  const outline = (id: string) => ({ ...RunOpened.tasks[0]!, id, title })
  const asked = (token: string, role: "implementer" | "reviewer", taskId: string, head: string): RunEvent => ({
    ...AgentAsked,
    token,
    role,
    taskId,
    head,
    agent
  })
  const done = (token: string, taskId: string, commit: string): RunEvent => ({
    ...ImplementationCompleted,
    token,
    taskId,
    head: commit,
    commits: [commit]
  })
  const events: ReadonlyArray<RunEvent> = [
    { ...RunOpened, project: "/p", tasks: ["one", "two", "three"].map(outline) },
    { ...TaskStarted, taskId: "one" },
    asked("a1", "implementer", "one", "00"),
    { ...AgentSpent, token: "a1", taskId: "one", tokens: 1200, dollars: 42 },
    done("a1", "one", first),
    { ...examples.WorkRefused, taskId: "one", head: first, program, code: 3 },
    { ...examples.WorkVerified, taskId: "one", head: first, programs: [program, program] },
    asked("a2", "reviewer", "one", first),
    { ...ReviewRejected, token: "a2", taskId: "one" },
    asked("a3", "implementer", "one", first),
    done("a3", "one", second),
    { ...examples.WorkVerified, taskId: "one", head: second, programs: [program] },
    asked("a4", "reviewer", "one", second),
    { ...ReviewApproved, token: "a4", taskId: "one", summary: "agents say [this](http://evil)" },
    { ...examples.TaskCompleted, taskId: "one", commits: [first, second] },
    { ...TaskStarted, taskId: "two" },
    asked("a5", "implementer", "two", second),
    done("a5", "two", "3333333333333333"),
    { ...examples.TaskCompleted, taskId: "two", commits: ["3333333333333333"] }
  ]
  const recorded = events.map((event, n) => ({
    stream: "run/r",
    position: n + 1,
    revision: n + 1,
    event: { ...event, at: noon + n * minute }
  }))
  const job = runJob({ id: "r", run: { ...initialRun, project: "/p", phase: "implementation" } }, true)
  return reportOf([{ job, run: runTimeline(recorded, noon + 60 * minute) }], {
    since: noon,
    until: noon + 60 * minute
  })
}

/** What a reader of Markdown takes for text, without its code spans, which nothing in them ends. */
const outsideCode = (line: string) => line.replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/gu, "CODE")

describe("command-line#report", () => {
  it("a report answers first what is done, what is not, what it cost, and what to look at", () => {
    const report = night()
    assert.deepStrictEqual(Object.fromEntries(leadLines(report, leadOf(report))), {
      Done: "2 tasks (1 verified by a program), 3 commits",
      "Not done": "1 task",
      "Needs you": "nothing",
      Cost: "1,200 tokens, $0.42 by runs"
    })
    const lines = reportMarkdown(report, utc).split("\n")
    const expected = [
      "## Look at first",
      "",
      "- r: one was refused 1 time by its gate and rejected 1 time before it was taken",
      "  git -C /p show 111111111111 222222222222",
      "- r: no program verified 1 task: two",
      "  git -C /p show 333333333333",
      "",
      "## Not done",
      "",
      "- r: 1 task not begun",
      "",
      "## Done",
      "",
      "- r one Create the model: verified, 2 commits",
      "- r two Create the model: unverified, 1 commit"
    ]
    assert.includeMembers(lines, expected)
    assert.isBelow(lines.indexOf("## Look at first"), lines.indexOf("## Not done"))
    assert.include(
      lines.join("\n"),
      "- one Create the model: completed, verified, 4 agents, implementer codex, the fallback, reviewer codex, the fallback, 2 commits, 1,200 tokens"
    )
  })
})

describe("command-line#receipts", () => {
  it("a receipt has the commits, gates and reviews of each task, and no word of an agent", () => {
    assert.strictEqual(
      receiptMarkdown(night(), "/p", utc),
      [
        "## Receipt of souffleur",
        "",
        "### Run `r`",
        "",
        "Working: 2 of 3 tasks completed, 1 verified by a program.",
        "From 2026-03-01 12:00:00 UTC to 2026-03-01 13:00:00 UTC.",
        "",
        "#### `one` `Create the model`",
        "",
        "- Completed, verified",
        "- Commits: `111111111111`, `222222222222`",
        "- Implemented by `codex`, the fallback",
        "- Gate at `111111111111`: `npm test`: exit code 3",
        "- Gate at `111111111111`: `npm test`, `npm test`: passed",
        "- Review at `111111111111`: rejected by `codex`, the fallback",
        "- Gate at `222222222222`: `npm test`: passed",
        "- Review at `222222222222`: approved by `codex`, the fallback",
        "- Used: 1,200 tokens, $0.42",
        "",
        "#### `two` `Create the model`",
        "",
        "- Completed, unverified",
        "- Commits: `333333333333`",
        "- Implemented by `codex`, the fallback"
      ].join("\n")
    )
    assert.isNull(receiptMarkdown(night(), "/elsewhere", utc))
  })

  const hostile = Schema.Literals([
    "@souffleur",
    "</h4><script>x</script>",
    "`",
    "``",
    "```",
    "\\`",
    "[x](javascript:x)",
    "![x](http://evil)",
    "#1",
    "fixes owner/repo#1",
    "www.evil.example",
    "a\n# b",
    "\r\n- c",
    "\u202E",
    "| - |",
    "   ",
    ""
  ])
  it.prop(
    "no word of a plan or an agent's name leaves its code span in a receipt",
    [Schema.Array(Schema.Union([hostile, Schema.String])), Schema.Array(hostile), hostile],
    ([title, program, agent]) => {
      const words = { title: title.join(""), program: program.join(" "), agent }
      const plainLines = receiptMarkdown(night(), "/p", utc)!.split("\n").map(outsideCode)
      const lines = receiptMarkdown(night(words), "/p", utc)!.split("\n")
      assert.deepStrictEqual(
        lines.map((line) => outsideCode(line).replaceAll("—", "CODE")),
        plainLines
      )
    }
  )
})
