import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { ask, began, enter, layerStage, makeStage, night, reading } from "./PageStage.ts"

const sessionId = "3f2a0b9d-ff2e-42cb-8275-f2cdd9cea75a"
const successor = "4f2a0b9d-ff2e-42cb-8275-f2cdd9cea75b"
const time = "2026-03-01T22:10:00.000Z"

const user = (content: unknown) => `${JSON.stringify({ type: "user", timestamp: time, message: { content } })}\n`
const agent = (...content: ReadonlyArray<object>) =>
  `${JSON.stringify({ type: "assistant", timestamp: time, message: { content } })}\n`
const spoken = (text: string) => agent({ type: "text", text })

const conversation = [
  user("go\nwrite <b>a file</b>"),
  agent(
    { type: "text", text: "I write it.\u001b[31m red \u202e" },
    { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls -la\npwd", timeout: 5 } }
  ),
  user([{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "no <such> folder" }]),
  `${JSON.stringify({ type: "system", subtype: "compact_boundary", timestamp: time })}\n`,
  user("Go on.\n\nHand-off 4f0c\n"),
  spoken("[a link](https://evil.example) **bold**")
].join("")

/** A page with a watch whose session has these records. */
const staged = Effect.fnUntraced(function* (records: string) {
  const fs = yield* FileSystem.FileSystem
  const { home, project, serve, tell } = yield* makeStage()
  const folder = `${home}/.claude/projects/-opera`
  yield* fs.makeDirectory(folder, { recursive: true })
  const file = `${folder}/${sessionId}.jsonl`
  yield* fs.writeFileString(file, records, { mode: 0o600 })
  yield* tell(
    "opera-0001",
    night(project).map((event) => ("sessionId" in event ? { ...event, sessionId } : event))
  )
  const { cookie, list } = yield* enter(yield* serve)
  const view = (query = "") => ask(`${list}watches/opera-0001/conversation${query}`, { headers: { cookie } })
  const other = (records: string) => fs.writeFileString(`${folder}/${successor}.jsonl`, records, { mode: 0o600 })
  const more = (records: string) => fs.writeFileString(file, records, { flag: "a" })
  return { cookie, list, more, other, tell, view }
})

describe("command-line#page", () => {
  it.live("a conversation shows who says what, folds tools and results, and none of it is markup", () =>
    Effect.gen(function* () {
      const { view } = yield* staged(conversation)
      const { status, text } = yield* view()
      assert.strictEqual(status, 200)
      for (const words of [
        "go\nwrite &lt;b&gt;a file&lt;/b&gt;",
        "I write it. red \\u202e",
        '<code>Bash</code> <span class="brief">ls -la pwd</span>',
        "Error of Bash",
        "no &lt;such&gt; folder",
        "The conversation was compacted",
        "souffleur hands over: a generation begins",
        "[a link](https://evil.example) **bold**",
        "The session begins"
      ])
        assert.include(text, words)
      assert.notInclude(text, '<a href="https://evil')
      assert.notInclude(text, "\u001b")
      assert.match(text, /aria-current="page">Conversation</u)
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("its earlier parts are reached from its end, and only its end is live", () =>
    Effect.gen(function* () {
      const { cookie, list, view } = yield* staged(Array.from({ length: 230 }, (_, n) => spoken(`word ${n}.`)).join(""))
      const end = yield* view()
      assert.include(end.text, "word 229.")
      assert.notInclude(end.text, "word 129.")
      const [, earlier = ""] = /href="([^"]+)">Earlier</u.exec(end.text) ?? []
      const before = yield* ask(new URL(earlier.replaceAll("&amp;", "&"), list).href, { headers: { cookie } })
      assert.include(before.text, "word 129.")
      assert.notInclude(before.text, "word 130.")
      assert.match(end.text, /data-live="[^"]+\/conversation\/live\?from=0-\d+"/u)
      assert.notInclude(before.text, "data-live")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("what is said is appended to an open page, once, and a page that was away gets what it missed", () =>
    Effect.gen(function* () {
      const { cookie, list, more, view } = yield* staged(conversation)
      const [, live = ""] = /data-live="([^"]+)"/u.exec((yield* view()).text) ?? []
      const url = new URL(live, list).href
      const feed = yield* reading(url, { cookie })
      yield* more(spoken("One more."))
      yield* feed.until((text) => text.includes("One more."))
      assert.match(feed.text(), /event: said/u)
      assert.notInclude(feed.text(), "a file")
      const [id = ""] = /(?<=id: )0-\d+/u.exec(feed.text()) ?? []
      feed.close()
      yield* more(spoken("Meanwhile."))
      const again = yield* reading(url, { cookie, "last-event-id": id })
      yield* again.until((text) => text.includes("Meanwhile."))
      assert.notInclude(again.text(), "One more.")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a conversation goes on in the session of a successor, and leads back to the one before", () =>
    Effect.gen(function* () {
      const { cookie, list, other, tell, view } = yield* staged(conversation)
      const [, live = ""] = /data-live="([^"]+)"/u.exec((yield* view()).text) ?? []
      const feed = yield* reading(new URL(live, list).href, { cookie })
      yield* other(spoken("I am the successor."))
      yield* tell(
        "opera-0001",
        [{ ...examples.ConductorRelaunched, at: began + 20_000_000, generation: 3, sessionId: successor }],
        13
      )
      yield* feed.until((text) => text.includes("I am the successor."))
      assert.match(feed.text(), new RegExp(`id: 1-\\d+[^]+Session 2 of 2[^]+${successor}`, "u"))
      const { text } = yield* view()
      assert.include(text, "I am the successor.")
      assert.notInclude(text, "go\nwrite")
      assert.match(text, /session=1#end">Earlier session</u)
      const first = yield* view("?session=1")
      assert.include(first.text, "go\nwrite")
      assert.notInclude(first.text, "data-live")
      assert.match(first.text, /session=2#end">Later session</u)
      assert.include(first.text, "The session ends here.")
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
  it.live("a watch without a session that can be read says so, and a command has no conversation", () =>
    Effect.gen(function* () {
      const { project, serve, tell } = yield* makeStage()
      yield* tell("opera-0001", night(project))
      yield* tell(
        "make-0002",
        night(project).map((event) => (event._tag === "WatchOpened" ? { ...event, kind: "command" } : event))
      )
      const { cookie, list } = yield* enter(yield* serve)
      const none = yield* ask(`${list}watches/opera-0001/conversation`, { headers: { cookie } })
      assert.include(none.text, "There is no session file that can be read.")
      const changes = yield* ask(`${list}watches/opera-0001/changes`, { headers: { cookie } })
      assert.include(changes.text, "Its folder is in no git repository.")
      const command = yield* ask(`${list}watches/make-0002`, { headers: { cookie } })
      assert.notInclude(command.text, "/conversation")
      for (const odd of ["?session=9999", "?before=99999999999999", "?before=-1", "?before=7&before=8"])
        assert.strictEqual(
          (yield* ask(`${list}watches/opera-0001/conversation${odd}`, { headers: { cookie } })).status,
          200
        )
    }).pipe(Effect.scoped, Effect.provide(layerStage))
  )
})
