import { assert, describe, it } from "@effect/vitest"
import { StateWord, utc } from "@souffleur/domain"
import type { Job } from "@souffleur/embed"
import { Option, Schema, type Terminal } from "effect"
import { textColumns } from "../src/explain/TextColumns.ts"
import { initialTop, chosenJob, pressed, type Top } from "../src/top/Top.ts"
import { topFrame } from "../src/top/TopFrame.ts"
import { writtenLine } from "../src/top/TopLine.ts"
import { changesOf } from "../src/top/TopScreen.ts"

const at = 1_772_402_400_000

const jobOf = (id: string, change: Partial<Job> = {}): Job => ({
  kind: "watch",
  id,
  title: null,
  labels: {},
  project: "/srv/opera",
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
  at,
  ...change
})
const needing = { state: "needs you", need: { why: "it is held", next: "souffleur go opera-1" } } as const

const topOf = (living: ReadonlyArray<Job>, ended: ReadonlyArray<Job> = []): Top => ({
  ...initialTop,
  news: { living, ended, endedCount: ended.length, moved: true }
})

const key = (name: string, ctrl = false): Terminal.UserInput => ({
  input: Option.some(name),
  key: { name: name === "?" ? "" : name, ctrl, meta: false, shift: false }
})
/** Presses keys, and leaves out the wishes in between. */
const after = (top: Top, ...names: ReadonlyArray<string>) =>
  names.reduce((before, name) => pressed(before, key(name)).top, top)

const drawn = (top: Top, columns: number, rows: number) =>
  topFrame(top, { columns, rows, now: at, zone: utc }).map((line) => writtenLine(line, columns, false))

describe("command-line#top", () => {
  describe("keys of top", () => {
    const jobs = ["a", "b", "c"].map((id) => jobOf(id))
    it("a job stays chosen when the order changes, and no key leads out of the list", () => {
      const top = after(topOf(jobs), "down", "down", "down", "up")
      assert.strictEqual(chosenJob(top)?.id, "b")
      assert.strictEqual(chosenJob({ ...top, news: { ...top.news!, living: jobs.toReversed() } })?.id, "b")
      assert.strictEqual(chosenJob(after(top, "home"))?.id, "a")
      assert.strictEqual(chosenJob(after(topOf([]), "down", "return", "w", "a", "r")), undefined)
    })
    it("a retry is asked for first, and any other key but y says nothing", () => {
      const asking = pressed(topOf(jobs), key("r"))
      assert.deepStrictEqual([asking.wish, asking.top.asks], [undefined, true])
      assert.strictEqual(pressed(asking.top, key("y")).wish, "retry")
      for (const name of ["n", "return", "r", "escape", "q"]) {
        const { top, wish } = pressed(asking.top, key(name))
        assert.deepStrictEqual([wish, top.asks], [undefined, false], name)
      }
      assert.strictEqual(pressed(asking.top, key("c", true)).wish, "interrupt")
    })
    it("an act that a job cannot have says why", () => {
      const run = jobOf("r", { kind: "run" })
      const over = jobOf("o", { state: "ended" })
      for (const [job, name, why] of [
        [run, "r", "this is a run"],
        [run, "a", "this is a run"],
        [over, "a", "has ended"]
      ] as const) {
        const { top, wish } = pressed(topOf([job]), key(name))
        assert.strictEqual(wish, undefined)
        assert.include(top.notice ?? "", why)
      }
    })
  })

  describe("the screen of top", () => {
    it("the need of a person is first, with the command to type next", () => {
      const top = topOf([jobOf("opera-1", needing), jobOf("opera-2")], [jobOf("opera-3", { state: "ended" })])
      const lines = drawn(top, 80, 10)
      assert.strictEqual(lines[0], "souffleur  1 needs you · 1 working · 1 ended")
      assert.match(lines[2]!, /^› ! opera-1 {2}needs you: it is held +22:00:00$/u)
      assert.match(lines[3]!, /^ {2}▸ opera-2 {2}working/u)
      assert.match(lines[4]!, /^ {2}■ opera-3 {2}ended/u)
      assert.strictEqual(lines[8], "Next: souffleur go opera-1")
    })
    it("a title stands between the name and the state, and leaves them room", () => {
      const titled = { title: "Work through the plan until all is done" }
      const lines = drawn(topOf([jobOf("opera-1", titled), jobOf("opera-2")]), 80, 10)
      assert.match(lines[2]!, /^› ▸ opera-1 {2}Work through the pl… {2}working/u)
      assert.match(lines[3]!, /^ {2}▸ opera-2 {24}working/u)
    })
    it("a failure and a hold have a word of their own, and a wide screen says the agent and since when", () => {
      const failed = { state: "ended", need: { why: "failed: validation", next: "souffleur why opera-1" } } as const
      const held = { held: true, standing: 'held until "souffleur go"', agent: "codex", since: at - 90_000 } as const
      const top = topOf([jobOf("opera-2", held)], [jobOf("opera-1", failed)])
      assert.match(drawn(top, 80, 10)[2]!, /^› = opera-2 {2}held: held until "souffleur go" /u)
      assert.match(drawn(top, 80, 10)[3]!, /^ {2}✗ opera-1 {2}failed: validation/u)
      assert.match(drawn(top, 140, 10)[2]!, /^› = opera-2 {2}codex S1 1 m 30 s {2,}held/u)
    })
    it("a log that is still read says so, and a key ends the look", () => {
      assert.include(drawn(initialTop, 80, 24).join("\n"), "Reading the log…")
      assert.notInclude(drawn(topOf([]), 80, 24).join("\n"), "Reading")
      assert.strictEqual(pressed(initialTop, key("q")).wish, "quit")
      assert.isUndefined(chosenJob(after(initialTop, "down", "return", "w", "a", "r", "y")))
    })
    it("a line that scrolls away comes back, and the chosen one is always seen", () => {
      const many = topOf(Array.from({ length: 100 }, (_, n) => jobOf(`opera-${n}`)))
      for (const presses of [0, 3, 50, 99, 120]) {
        const top = after(many, ...Array.from({ length: presses }, () => "down"))
        assert.lengthOf(
          drawn(top, 80, 12).filter((line) => line.startsWith(`› ▸ opera-${Math.min(99, presses)} `)),
          1
        )
      }
      const open = { ...after(many, "return"), text: Array.from({ length: 30 }, (_, n) => ({ text: `line ${n}` })) }
      assert.include(drawn(open, 80, 12), "line 0")
      const below = after(open, "pagedown")
      assert.notInclude(drawn(below, 80, 12), "line 9")
      assert.include(drawn(below, 80, 12), "line 10")
    })
    it("a word of others is plain on the screen", () => {
      const hostile = "\u001B]0;title\u0007\u001B[2J\n\u202Eevil"
      const job = jobOf(hostile, {
        ...needing,
        title: hostile,
        standing: hostile,
        need: { why: hostile, next: hostile }
      })
      for (const top of [topOf([job]), { ...after(topOf([job]), "w"), text: [{ text: hostile }] }])
        for (const line of topFrame(top, { columns: 80, rows: 24, now: at, zone: utc })) {
          // oxlint-disable-next-line no-control-regex
          assert.notMatch(writtenLine(line, 80, true).replace(/^\u001B\[\d+m(.*)\u001B\[0m$/u, "$1"), /[\p{Cc}\u202E]/u)
        }
    })
    it("colours are there only where the terminal wants them", () => {
      const line = { text: "x", tone: "yellow" } as const
      assert.deepStrictEqual([writtenLine(line, 9, true), writtenLine(line, 9, false)], ["\u001B[33mx\u001B[0m", "x"])
    })
    it("changed lines alone are written", () => {
      assert.strictEqual(changesOf(["a", "b"], ["a", "b"]), "")
      assert.strictEqual(changesOf(["a", "b"], ["a", "c"]), "\u001B[?2026h\u001B[2;1H\u001B[2Kc\u001B[?2026l")
      assert.include(changesOf([], ["a", ""]), "\u001B[2;1H\u001B[2K")
    })
  })

  it.prop(
    "the screen of top fits into any terminal, whatever the names are",
    [
      Schema.Array(Schema.Tuple([Schema.String, Schema.Literals(["歌劇", "👩‍🚀", "opera", "e\u0301"]), StateWord])),
      Schema.Literals([20, 40, 80, 200]),
      Schema.Literals([1, 2, 3, 10, 24]),
      Schema.Literals(["list", "job", "why", "help"])
    ],
    ([names, columns, rows, view]) => {
      const living = names.map(([name, more, state]) =>
        jobOf(`${name}${more}`, { state, title: more.repeat(30), standing: more.repeat(60) })
      )
      const top: Top = { ...topOf(living), view, text: living.map(({ standing }) => ({ text: standing })) }
      const lines = drawn(top, columns, rows)
      assert.lengthOf(lines, rows)
      for (const line of lines) assert.isAtMost(textColumns(line), columns)
      if (columns < 40 || view !== "list" || names.length === 0) return
      const listed = lines.slice(2).filter((line) => /^[› ] [!…↻▸■✗=] /u.test(line))
      for (const line of listed) assert.match(line, /  (?:needs you|idle|recovering|working|ended)/u)
    }
  )
})
