import { assert, describe, it } from "@effect/vitest"
import { StateWord } from "@souffleur/domain"
import { type Job, jobWord } from "@souffleur/embed/internal"
import { Schema } from "effect"
import { paint } from "../src/Printing.ts"
import { limitCell, musiciansCell, type StatusRow, statusTable } from "../src/explain/StatusTable.ts"
import { textColumns } from "../src/explain/TextColumns.ts"

const now = 1_772_402_400_000
const minute = 60_000

const rowOf = (change: Partial<Job> = {}, unread = true): StatusRow => ({
  job: {
    kind: "watch",
    id: "opera-55f1",
    title: "Work through PLAN.md until all of it is done",
    agent: "claude",
    state: "working",
    since: now - 4 * minute,
    held: false,
    standing: "watching",
    need: null,
    begun: now - 90 * minute,
    generation: 2,
    retries: 1,
    tasks: null,
    used: null,
    at: now - 3000,
    ...change
  },
  seen: undefined,
  unread
})
const night = [
  rowOf({ id: "opera-1", state: "needs you", need: { why: "no souffleur looks after it", next: "x" }, since: null }),
  rowOf({ id: "opera-2", state: "idle", standing: "its turn is over" }),
  rowOf({ id: "opera-3", held: true, standing: 'held until "souffleur go"' }),
  rowOf({
    id: "opera-4",
    kind: "run",
    generation: null,
    retries: 0,
    tasks: { complete: 3, all: 8 },
    standing: "at work"
  }),
  rowOf({
    id: "opera-5",
    state: "ended",
    title: null,
    standing: "failed: three ends without progress",
    need: { why: "failed: three ends without progress", next: "x" },
    begun: null
  }),
  rowOf({ id: "opera-6", state: "ended", title: null, standing: "completed", begun: null })
]
const printed = (rows: ReadonlyArray<StatusRow>, columns: number | undefined, mark: string | false = false) =>
  statusTable(rows, { now, columns, brush: paint(mark) })

describe("command-line#top", () => {
  it("the limit that comes first and the tasks of comms have a cell, and where none is known it is empty", () => {
    const limit = { flag: null, used: 1, of: 2, span: null, resetsAt: null, basis: "estimated" } as const
    const limits = [
      { ...limit, limit: "tokens", reachedAt: now + 180 * minute },
      { ...limit, limit: "dollars", reachedAt: now + 25 * minute },
      { ...limit, limit: "turns", reachedAt: null }
    ] as const
    const task = { id: "a", sessionId: null, lastHeartbeat: null, heartbeatAge: null, windowPid: null }
    const tasks = ["working", "working", "complete"].map((state) => ({ ...task, state }))
    const seen = { limits, tasks } as unknown as StatusRow["seen"]
    const row = { ...rowOf(), seen }
    assert.deepStrictEqual(
      [limitCell(row, now), musiciansCell(row, now)],
      ["dollars lasts 25 m 0 s", "2 working, 1 complete"]
    )
    const none = { ...row, seen: { limits: [limits[2]], tasks: [] } as unknown as StatusRow["seen"] }
    for (const one of [none, rowOf()]) assert.deepStrictEqual([limitCell(one, now), musiciansCell(one, now)], ["", ""])
  })
})

describe("command-line#status", () => {
  it("a list says on a terminal of 80 columns what each job is, and what it says is below it", () => {
    assert.deepStrictEqual(printed(night, 80), [
      "NAME     STATE              AGENT   GEN  DEATHS  TASKS   LAST EVENT",
      "opera-1  ! needs you        claude  S2   1 of 3          3 s ago",
      "  Work through PLAN.md until all of it is done · no souffleur looks after it",
      "opera-2  … idle 4 m 0 s     claude  S2   1 of 3          3 s ago",
      "  Work through PLAN.md until all of it is done · its turn is over",
      "opera-3  = held 4 m 0 s     claude  S2   1 of 3          3 s ago",
      '  Work through PLAN.md until all of it is done · held until "souffleur go"',
      "opera-4  ▸ working 4 m 0 s  claude               3 of 8  3 s ago",
      "  Work through PLAN.md until all of it is done · at work",
      "opera-5  ✗ failed 4 m 0 s   claude  S2   1 of 3          3 s ago",
      "  three ends without progress",
      "opera-6  ■ ended 4 m 0 s    claude  S2   1 of 3          3 s ago     completed"
    ])
  })

  it("a wide terminal has more columns, and a pipe has all of them in whole lines without signs", () => {
    assert.match(printed(night, 160)[0]!, /^NAME +STATE +TITLE +AGENT +GEN +DEATHS +TASKS +LAST EVENT +AGE$/u)
    assert.match(printed(night, 160)[1]!, /Work through PLAN.md until all of it is done +claude/u)
    const [head = "", first = ""] = printed(night, undefined)
    const cells = (line: string) => line.split(/ {2,}/u)
    assert.deepStrictEqual(cells(head).slice(0, 4), ["NAME", "STATE", "SINCE", "TITLE"])
    assert.deepStrictEqual(cells(head), cells(printed([rowOf()], undefined)[0]!), "whatever the rows are")
    assert.deepStrictEqual(cells(first).slice(0, 5), ["opera-1", "needs you", "-", night[0]!.job.title!, "claude"])
    assert.lengthOf(cells(first), cells(head).length)
    assert.lengthOf(printed(night, undefined), night.length + 1)
  })

  it("a failure is red until it was read, and a pipe has no colour", () => {
    const failed = (unread: boolean) =>
      printed([rowOf({ ...night[4]!.job }, unread)], 80, "<mark>").find((line) => line.includes("failed"))
    assert.include(failed(true), "<mark>31m✗ failed")
    assert.include(failed(false), "<mark>2m✗ failed")
    assert.notInclude(printed(night, undefined, "<mark>").join(""), "<mark>")
  })

  const hostile = Schema.Literals([
    "\u001B[2J",
    "\n",
    "歌劇",
    "👩‍🚀",
    "e\u0301",
    "\u202Eevil",
    "x".repeat(300),
    " ",
    "opera-1"
  ])
  it.prop(
    "no line is wider than the terminal, and no state is cut, whatever the words are",
    [
      Schema.Array(Schema.Tuple([StateWord, Schema.Array(hostile), Schema.String, Schema.Boolean, Schema.Boolean])),
      Schema.Int.check(Schema.isBetween({ minimum: 40, maximum: 250 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_000_000_000 }))
    ],
    ([jobs, columns, age]) => {
      const rows = jobs.map(([state, words, more, isNeeded, held]) => {
        const text = words.join("") + more
        const need = isNeeded ? { why: text, next: text } : null
        return rowOf({ id: text, title: text, agent: text, standing: text, state, need, held, since: now - age })
      })
      const lines = printed(rows, columns)
      for (const line of lines) assert.isAtMost(textColumns(line), columns, line)
      // oxlint-disable-next-line no-control-regex
      for (const line of lines) assert.notMatch(line, /[\p{Cc}\u202E]/u)
      for (const { job } of rows) {
        const word = jobWord(job)
        assert.isTrue(
          lines.some((line) => new RegExp(`[!…↻▸■✗=] ${word} \\d`, "u").test(line)),
          `${word}: ${lines.join("\n")}`
        )
      }
    }
  )

  it("a wider terminal never shows fewer columns", () => {
    const heads = Array.from({ length: 211 }, (_, n) =>
      printed(night, 40 + n)[0]!
        .trim()
        .split(/ {2,}/u)
    )
    for (const [n, head] of heads.entries()) if (n > 0) assert.includeMembers([...head], [...heads[n - 1]!])
  })
})
