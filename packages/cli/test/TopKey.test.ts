import { assert, describe, it } from "@effect/vitest"
import { chosenJob, initialTop, jobsIn, keptChosen, paneJob } from "../src/top/Top.ts"
import { pressed } from "../src/top/TopKey.ts"
import { after, at, jobOf, key, needing, topOf } from "./TopStage.ts"

describe("command-line#top", () => {
  describe("keys of top", () => {
    const jobs = ["a", "b", "c"].map((id) => jobOf(id))
    it("a job stays chosen when the order changes, and no key leads out of the list", () => {
      const top = after(topOf(jobs), "down", "down", "down", "up")
      assert.strictEqual(chosenJob(top)?.id, "b")
      assert.strictEqual(chosenJob({ ...top, news: { ...top.news!, living: jobs.toReversed() } })?.id, "b")
      assert.strictEqual(chosenJob(after(top, "home"))?.id, "a")
      assert.strictEqual(chosenJob(after(topOf([]), "down", "return", "w", "a", "r", "x", "h", "o")), undefined)
    })
    it("a job that leaves the filter gives way to the one that was nearest, below it or else above", () => {
      const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => jobOf(id))
      const only = after(keptChosen(topOf([a!, b!, c!, d!])), "/", "w", "o", "r", "k", "return", "down", "down")
      assert.strictEqual(chosenJob(only)?.id, "c")
      const news = (...living: ReadonlyArray<ReturnType<typeof jobOf>>) =>
        keptChosen({ ...only, news: { ...only.news!, living } })
      // What needs a person is at the top of the list by now.
      const left = news(jobOf("c", needing), a!, b!, d!)
      assert.strictEqual(chosenJob(left)?.id, "d")
      assert.strictEqual(chosenJob(news(jobOf("c", needing), jobOf("d", needing), a!, b!))?.id, "b")
      assert.strictEqual(chosenJob(after(left, "escape"))?.id, "d")
      // A filter that finds nothing forgets nothing.
      const none = after(only, "/", "z", "z")
      assert.strictEqual(chosenJob(none), undefined)
      assert.strictEqual(chosenJob(after(none, "escape"))?.id, "c")
    })
    it("what ends something is asked for first by its name, and any other key but y says nothing", () => {
      for (const [name, word] of [
        ["x", "stop"],
        ["l", "release"],
        ["d", "done"],
        ["r", "retry"]
      ] as const) {
        const asking = pressed(topOf(jobs), key(name))
        assert.deepStrictEqual([asking.wish, asking.top.asks], [undefined, { word, id: "a" }])
        assert.deepStrictEqual(pressed(asking.top, key("y")).wish, { word, id: "a" })
        // The list may move between the question and its answer.
        const moved = { ...asking.top, news: { ...asking.top.news!, living: jobs.toReversed() } }
        assert.deepStrictEqual(pressed(moved, key("y")).wish, { word, id: "a" })
        for (const other of ["n", "return", "r", "escape", "q"]) {
          const { top, wish } = pressed(asking.top, key(other))
          assert.deepStrictEqual([wish, top.asks], [undefined, null], other)
        }
        assert.strictEqual(pressed(asking.top, key("c", true)).wish, "interrupt")
      }
    })
    it("pasted text is no key: it answers no question, and goes into a filter that is typed", () => {
      const asking = pressed(topOf(jobs), key("x")).top
      let top = asking
      for (const name of ["paste-start", "y", "h", "q", "return", "d"]) {
        const next = pressed(top, key(name))
        assert.strictEqual(next.wish, undefined, name)
        top = next.top
      }
      assert.strictEqual(pressed(top, key("c", true)).wish, "interrupt")
      assert.deepStrictEqual(after(top, "paste-end"), asking)
      assert.deepStrictEqual(pressed(after(top, "paste-end"), key("y")).wish, { word: "stop", id: "a" })
      const typing = after(topOf(jobs), "/", "paste-start", "b", "paste-end")
      assert.deepStrictEqual([typing.filter, typing.typing, typing.pasting], ["b", true, false])
    })
    it("the text of a job stays that job's where a filter leaves it out by now", () => {
      const top = after(topOf(jobs), "/", "w", "o", "r", "k", "return", "end", "return")
      const living = [...jobs.slice(0, 2), jobOf("c", { held: true })]
      const moved = keptChosen({ ...top, news: { ...top.news!, living } })
      assert.deepStrictEqual([moved.view, chosenJob(moved)?.id], ["job", "c"])
      assert.deepStrictEqual(pressed(moved, key("g")).wish, { word: "go", id: "c" })
    })
    it("a hold and its end are said at once, of a watch and of a run", () => {
      const top = topOf([jobOf("r", { kind: "run" })])
      assert.deepStrictEqual(pressed(top, key("h")).wish, { word: "hold", id: "r" })
      assert.deepStrictEqual(pressed(top, key("g")).wish, { word: "go", id: "r" })
      assert.strictEqual(pressed(top, key("a")).wish, "attach")
      assert.deepStrictEqual(pressed(top, key("x")).top.asks, { word: "stop", id: "r" })
    })
    it("a word that a job cannot have says why", () => {
      const run = jobOf("r", { kind: "run" })
      const over = jobOf("o", { state: "ended" })
      for (const [job, name, why] of [
        [run, "r", "this is a run"],
        [run, "l", "this is a run"],
        [run, "d", "this is a run"],
        [over, "a", "has ended"]
      ] as const) {
        const { top, wish } = pressed(topOf([job]), key(name))
        assert.strictEqual(wish, undefined)
        assert.include(top.notice?.text ?? "", why)
      }
    })
    it("a filter finds what a job is called, where, by whom and in which state, and keys are text meanwhile", () => {
      const top = topOf(
        [jobOf("a", { title: "Quit smoking" }), jobOf("b", { project: "/srv/Quay" }), jobOf("c", { agent: "codex" })],
        [jobOf("d", { state: "ended" })]
      )
      const found = (...typed: ReadonlyArray<string>) => jobsIn(after(top, "/", ...typed)).map(({ id }) => id)
      assert.deepStrictEqual(found("q", "u"), ["a", "b"])
      assert.deepStrictEqual(found("q", "u", "i", "backspace", "a"), ["b"])
      assert.deepStrictEqual(found("c", "o", "d", "e"), ["c"])
      assert.deepStrictEqual(found("e", "n", "d", "e", "d"), ["d"])
      assert.deepStrictEqual(found("q", "escape"), ["a", "b", "c", "d"])
      const kept = after(top, "/", "q", "u", "return", "down")
      assert.deepStrictEqual([kept.typing, kept.filter, chosenJob(kept)?.id], [false, "qu", "b"])
      const all = after(kept, "escape")
      assert.deepStrictEqual([jobsIn(all).length, chosenJob(all)?.id], [4, "b"])
    })
    it("a key leads through the orders, and the chosen job stays chosen", () => {
      const used = (dollars: number, tokens: number) => ({ used: { dollars, tokens } })
      const top = topOf([
        jobOf("a", { begun: at - 1, ...used(2, 9) }),
        jobOf("b", { begun: at - 3, ...used(0, 5) }),
        jobOf("c", { begun: at - 2, ...used(7, 1) })
      ])
      const order = (...keys: ReadonlyArray<string>) => {
        const now = after(top, "down", ...keys)
        assert.strictEqual(chosenJob(now)?.id, "b")
        return [
          now.sort,
          jobsIn(now)
            .map(({ id }) => id)
            .join("")
        ]
      }
      assert.deepStrictEqual(order(), ["state", "abc"])
      assert.deepStrictEqual(order("s"), ["age", "bca"])
      assert.strictEqual(order("s", "s")[0], "context")
      assert.deepStrictEqual(order("s", "s", "s"), ["cost", "cab"])
      assert.deepStrictEqual(order("s", "s", "s", "s"), ["state", "abc"])
    })
    it("an output is read of the chosen job, while it is shown", () => {
      const shown = after(topOf(jobs), "down", "o")
      assert.strictEqual(paneJob(shown)?.id, "b")
      assert.strictEqual(paneJob(after(shown, "up"))?.id, "a")
      assert.isUndefined(paneJob(after(shown, "w")))
      assert.isUndefined(paneJob(after(shown, "o")))
    })
    it("a key with Alt is none of these", () => {
      const input = key("x")
      const { top, wish } = pressed(topOf(jobs), { ...input, key: { ...input.key, meta: true } })
      assert.deepStrictEqual([top.asks, wish], [null, undefined])
    })
    it("a key ends a look whose log is still read", () => {
      assert.strictEqual(pressed(initialTop, key("q")).wish, "quit")
      assert.isUndefined(chosenJob(after(initialTop, "down", "return", "w", "a", "r", "y")))
    })
  })
})
