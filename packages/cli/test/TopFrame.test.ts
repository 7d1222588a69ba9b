import { assert, describe, it } from "@effect/vitest"
import { StateWord, utc } from "@souffleur/domain"
import type { WatchStatus } from "@souffleur/embed"
import { Schema } from "effect"
import { textColumns } from "../src/explain/TextColumns.ts"
import { initialTop, type JobSight, type Top } from "../src/top/Top.ts"
import { noted } from "../src/top/TopActivity.ts"
import { topFrame } from "../src/top/TopFrame.ts"
import { writtenLine } from "../src/top/TopLine.ts"
import { changesOf } from "../src/top/TopScreen.ts"
import { after, at, jobOf, needing, topOf } from "./TopStage.ts"

const drawn = (top: Top, columns: number, rows: number) =>
  topFrame(top, { columns, rows, now: at, zone: utc }).map((line) => writtenLine(line, columns, false))

// oxlint-disable-next-line no-control-regex
const drawnAs = /^\u001B\[[\d;]+m(.*)\u001B\[0m$/u

/** What a look at an agent finds. */
const sight: JobSight = {
  // The table reads no more of it.
  status: {
    context: { tokens: 122_000, window: 200_000, model: "claude-opus-4-1" },
    doing: "runs the tool Bash",
    limits: [],
    conductor: "running",
    owner: "running",
    heartbeatAge: 4000,
    beatAge: 3000,
    comms: "none",
    commsOut: null,
    watch: { pid: 4711, conductor: { pid: 4711 }, owner: { process: { pid: 17 } } }
  } as unknown as WatchStatus,
  activity: noted(new Map(), [at, at - 20 * 60_000], at)
}
const opera = jobOf("opera-1", {
  title: "Work through the plan until all is done",
  agent: "claude",
  retries: 1,
  generation: 3,
  used: { tokens: 9, dollars: 214 }
})
const seen: Top = { ...topOf([opera]), sights: new Map([["watch/opera-1", sight]]) }
const rowOf = (lines: ReadonlyArray<string>) => lines.find((line) => line.startsWith("› "))!

describe("command-line#top", () => {
  describe("the screen of top", () => {
    it("the columns are those of status, and a wider terminal shows more of them", () => {
      assert.match(rowOf(drawn(seen, 40, 10)), /^› opera-1 {2}▸ working 4 m 0 s {2}\S/u)
      assert.match(
        rowOf(drawn(seen, 80, 24)),
        /▸ working 4 m 0 s {2}·{7}█···█ {2}claude opus-4-1 {2}■■■□□ 122k of 200k$/u
      )
      assert.include(drawn(seen, 80, 24)[2], "NAME     STATE              LAST HOUR     AGENT")
      const wide = rowOf(drawn(seen, 120, 24))
      for (const part of ["·······█···█", "claude opus-4-1", "■■■□□ 122k of 200k", "S3", "1 of 3", "$2.14"])
        assert.include(wide, part)
      const widest = rowOf(drawn(seen, 250, 24))
      for (const part of ["Work through the plan until all is done", "1 of 3", "$2.14", "1 h 30 m", "pid 4711"])
        assert.include(widest, part)
      assert.match(widest, /it runs the tool Bash$/u)
    })
    it("the need of a person is first, with the command to type next", () => {
      const top = topOf([jobOf("opera-1", needing), jobOf("opera-2")], [jobOf("opera-3", { state: "ended" })])
      const lines = drawn(top, 80, 16)
      assert.match(lines[0]!, /^souffleur {2}1 needs you · 1 working · 1 ended +sort: state$/u)
      assert.match(lines[3]!, /^› opera-1 {2}! needs you 4 m 0 s {2}.*it is held$/u)
      assert.match(lines[4]!, /^ {2}opera-2 {2}▸ working 4 m 0 s/u)
      assert.match(lines[5]!, /^ {2}opera-3 {2}■ ended 4 m 0 s/u)
      assert.strictEqual(lines[14], "Next: souffleur go opera-1")
    })
    it("what the chosen job says is below the list where its row has no room", () => {
      const lines = drawn(topOf([jobOf("opera-1", { ...needing, title: "Sing" }), jobOf("opera-2")]), 40, 10)
      assert.strictEqual(lines[7], "it is held · Sing")
      assert.strictEqual(lines[8], "Next: souffleur go opera-1")
    })
    it("a failure and a hold have a word of their own", () => {
      const failed = { state: "ended", need: { why: "failed: validation", next: "souffleur why opera-1" } } as const
      const held = { held: true, standing: 'held until "souffleur go"', agent: "codex" } as const
      const lines = drawn(topOf([jobOf("opera-2", held)], [jobOf("opera-1", failed)]), 140, 16)
      assert.match(lines[3]!, /^› opera-2 {2}= held 4 m 0 s {4}codex .*held until "souffleur go"$/u)
      assert.match(lines[4]!, /^ {2}opera-1 {2}✗ failed 4 m 0 s .*validation$/u)
    })
    it("a log that is still read says so", () => {
      assert.include(drawn(initialTop, 80, 24).join("\n"), "Reading the log…")
      assert.notInclude(drawn(topOf([]), 80, 24).join("\n"), "Reading")
    })
    it("a filter and an order are in the first line, and nothing found is said", () => {
      const found = after(topOf([jobOf("a"), jobOf("b")]), "/", "b", "return", "s")
      assert.match(drawn(found, 80, 16)[0]!, /\/b: 1 of 2 {2}sort: age$/u)
      const none = after(topOf([jobOf("a")]), "/", "z")
      assert.include(drawn(none, 40, 10).join("\n"), 'Nothing here has "z"')
      assert.strictEqual(drawn(none, 40, 10).at(-1), "/z▏ enter: keep, esc: all")
    })
    it("an output is below the list, its newest line last, and is gone with a key", () => {
      const output = Array.from({ length: 40 }, (_, n) => `line ${n}`)
      const top = { ...after(topOf([jobOf("a"), jobOf("b")]), "o"), output }
      const lines = drawn(top, 40, 10)
      assert.deepStrictEqual(
        [lines[1], lines[5]?.slice(0, 14), lines[8]],
        ["› a     ▸ working 4 m 0 s  S1", "── output of a", "line 39"]
      )
      assert.notInclude(drawn(after(top, "o"), 40, 10).join("\n"), "line 39")
    })
    it("a question names the job, and a long answer has three lines", () => {
      const asking = after(topOf([jobOf("opera-1")]), "x")
      assert.strictEqual(drawn(asking, 40, 10).at(-1), "stop opera-1? y: yes, any other key: no")
      const told = { ...asking, asks: null, notice: { text: "word ".repeat(50), tone: "green" } } as const
      assert.match(drawn(told, 40, 10).slice(-3).join("\n"), /^(?:word ?){8}\n(?:word ?){8}\n(?:word ?){8}$/u)
    })
    it("a line that scrolls away comes back, and the chosen one is always seen", () => {
      const many = topOf(Array.from({ length: 100 }, (_, n) => jobOf(`opera-${n}`)))
      for (const presses of [0, 3, 50, 99, 120]) {
        const top = after(many, ...Array.from({ length: presses }, () => "down"))
        assert.lengthOf(
          drawn(top, 80, 12).filter((line) => line.startsWith(`› opera-${Math.min(99, presses)} `)),
          1
        )
      }
      const open = { ...after(many, "return"), text: Array.from({ length: 30 }, (_, n) => ({ text: `line ${n}` })) }
      assert.include(drawn(open, 80, 12), "line 0")
      const below = after(open, "pagedown")
      assert.notInclude(drawn(below, 80, 12), "line 9")
      assert.include(drawn(below, 80, 12), "line 10")
    })
    it("the help has each key, and scrolls on the smallest terminal", () => {
      const help = after(topOf([jobOf("a")]), "?")
      const lines = drawn(help, 80, 24).join("\n")
      for (const one of ["enter", "o ", "w ", "a ", "h  g", "r ", "x ", "l ", "d ", "/ ", "s ", "esc", "q ", "? "])
        assert.include(lines, `\n${one}`)
      assert.include(drawn(after(help, "end"), 40, 10).join("\n"), "this help")
    })
    it("a word of others is plain on the screen", () => {
      const hostile = "\u001B]0;title\u0007\u001B[2J\n\u202Eevil"
      const job = jobOf(hostile, {
        ...needing,
        title: hostile,
        standing: hostile,
        need: { why: hostile, next: hostile }
      })
      const list = topOf([job])
      for (const top of [
        list,
        after(list, "x"),
        { ...after(list, "o"), output: [hostile] },
        { ...list, notice: { text: hostile } },
        { ...list, filter: hostile },
        { ...after(list, "w"), text: [{ text: hostile }] }
      ])
        for (const line of topFrame(top, { columns: 80, rows: 24, now: at, zone: utc })) {
          assert.notMatch(writtenLine(line, 80, true).replace(drawnAs, "$1"), /[\p{Cc}\u202E]/u)
        }
    })
    it("colours are there only where the terminal wants them", () => {
      const line = { text: "x", tone: "yellow" } as const
      assert.deepStrictEqual([writtenLine(line, 9, true), writtenLine(line, 9, false)], ["\u001B[33mx\u001B[0m", "x"])
      assert.strictEqual(writtenLine({ ...line, bold: true }, 9, true), "\u001B[1;33mx\u001B[0m")
    })
    it("changed lines alone are written", () => {
      assert.strictEqual(changesOf(["a", "b"], ["a", "b"]), "")
      assert.strictEqual(changesOf(["a", "b"], ["a", "c"]), "\u001B[?2026h\u001B[2;1H\u001B[2Kc\u001B[?2026l")
      assert.include(changesOf([], ["a", ""]), "\u001B[2;1H\u001B[2K")
    })
  })

  it.prop(
    "the screen of top fits into any terminal, whatever the names are, and cuts no state from 40 columns on",
    [
      Schema.Array(Schema.Tuple([Schema.String, Schema.Literals(["歌劇", "👩‍🚀", "opera", "e\u0301"]), StateWord])),
      Schema.Literals([20, 40, 80, 120, 250]),
      Schema.Literals([1, 2, 3, 10, 24]),
      Schema.Literals(["list", "job", "why", "help"]),
      Schema.Boolean
    ],
    ([names, columns, rows, view, pane]) => {
      const living = names.map(([name, more, state]) =>
        jobOf(`${name}${more}`, { state, title: more.repeat(30), standing: more.repeat(60), need: null })
      )
      const output = living.map(({ standing }) => standing)
      const top: Top = { ...topOf(living), view, pane, output, text: output.map((text) => ({ text })) }
      const lines = drawn(top, columns, rows)
      assert.lengthOf(lines, rows)
      for (const line of lines) assert.isAtMost(textColumns(line), columns)
      if (columns < 40 || view !== "list" || names.length === 0 || rows < 10) return
      const listed = lines.filter((line) => /[!…↻▸■] (?:needs|idle|reco|work|ende)/u.test(line))
      assert.isNotEmpty(listed)
      for (const line of listed) assert.match(line, /[!…↻▸■] (?:needs you|idle|recovering|working|ended) 4 m 0 s/u)
    }
  )
})
