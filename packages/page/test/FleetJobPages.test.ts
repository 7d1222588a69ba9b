import { assert, describe, it } from "@effect/vitest"
import { type SaidWord, type ToldWord, WordKept } from "@souffleur/fleet"
import { Effect } from "effect"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { copied, copiedRun, hostNamed, jobNamed, type Known, log, makeFleet } from "./FleetPageStage.ts"
import { ask, began, night, reading } from "./PageStage.ts"
import { stuckRun } from "./RunStage.ts"

const evil = `"><img src=x onerror=alert(1)>`

/** A fleet with one watch that works again after a death. */
const known = (change: Partial<Known> = {}): Known & { said: Array<SaidWord & { readonly by: string }> } => ({
  jobs: [jobNamed("opera-0001", { revision: 13, generation: 2 })],
  hosts: [hostNamed("build1")],
  revoked: false,
  events: { "opera-0001": copied("opera-0001", night("/srv/opera")) },
  said: [],
  ...change
})

const stuck = copied("opera-0001", [
  ...night("/srv/opera"),
  { ...examples.RecoveryFailedClosed, at: began + 200 * 60_000, message: evil }
])

/** Opens the page of the watch, and returns its text and its form. */
const opened = Effect.fnUntraced(function* (fleet: Known) {
  const stage = yield* makeFleet(fleet)
  const { cookie, list } = yield* stage.entered
  const address = `${list}${log}/watches/opera-0001`
  const answer = yield* ask(address, { headers: { cookie } })
  const [, secret = ""] = /name="secret" value="([0-9a-f]+)"/u.exec(answer.text) ?? []
  return { ...stage, address, cookie, list, secret, ...answer }
})

describe("fleet#page", () => {
  it.live("a job of the list leads to its page, which tells what its host tells by the same events", () =>
    Effect.gen(function* () {
      const { address, cookie, entered, status, text } = yield* opened(known())
      const list = yield* ask((yield* entered).list, { headers: { cookie } })
      assert.include(list.text, `href="${new URL(address).pathname}"`)
      assert.strictEqual(status, 200)
      for (const part of ["The state now", "History", "What happened", "build1", "/srv/opera"])
        assert.include(text, part)
      assert.match(text, /class="crumb"><a href="[^"]+">Fleet</u)
      assert.include(text, "The agent is dead")
      assert.match(text, /Evidence[^]*Rule/u)
      assert.include(text, "Death of S1")
      assert.notInclude(text, "Download the last export")
      const past = yield* ask(`${address}/then?around=13&at=3`, { headers: { cookie } })
      assert.include(past.text, "at revision 3")
    }).pipe(Effect.scoped)
  )
  it.live("the agent at work is named beside its process", () =>
    Effect.gen(function* () {
      const chosen = { ...examples.AgentChosen, at: began + 190 * 60_000, agent: "codex", from: "claude" }
      const handed = { ...examples.ConductorRelaunched, at: chosen.at + 1000, generation: 3, provider: "handover" }
      const events = copied("opera-0001", [...night("/srv/opera"), chosen, handed])
      const { text } = yield* opened(known({ events: { "opera-0001": events } }))
      assert.match(text, /<dt>Agent<\/dt>\s*<dd>codex, pid \d+<\/dd>/u)
    }).pipe(Effect.scoped)
  )
  it.live("a run of a plan has its tasks there, and no form", () =>
    Effect.gen(function* () {
      const { cookie, list } = yield* opened(
        known({
          jobs: [jobNamed("auth-0001", { kind: "run", state: "needs you" })],
          events: { "run/auth-0001": copiedRun("auth-0001", stuckRun("/srv/auth")) }
        })
      )
      const { status, text } = yield* ask(`${list}${log}/runs/auth-0001`, { headers: { cookie } })
      assert.strictEqual(status, 200)
      for (const part of ["Tasks", "Reviewer, attempt 1", "3f2a9c1d", "What happened"]) assert.include(text, part)
      assert.notInclude(text, "<form")
      const feed = yield* reading(`${list}${log}/runs/auth-0001/live?after=5`, { cookie })
      yield* feed.until((sent) => sent.includes('id="e7"') && sent.includes('id="tasks"'))
    }).pipe(Effect.scoped)
  )
  it.live("a job of a silent host is told as last known, and its host tells no command and no markup", () =>
    Effect.gen(function* () {
      const { text } = yield* opened(
        known({
          jobs: [
            jobNamed("opera-0001", { lastSeenAgo: 300_000, state: "needs you", need: { why: evil, next: "rm -rf ~" } })
          ],
          events: { "opera-0001": stuck }
        })
      )
      assert.include(text, "build1 is silent for 5 m")
      assert.include(text, "last known: &quot;&gt;&lt;img")
      assert.notInclude(text, "<img")
      assert.notInclude(text, "rm -rf")
    }).pipe(Effect.scoped)
  )
  it.live("an operator's word is for the revision that the page showed, and has an end", () =>
    Effect.gen(function* () {
      const fleet = known({ events: { "opera-0001": stuck } })
      const { address, cookie, post, secret, text } = yield* opened(fleet)
      for (const word of ["retry", "release", "done", "hold"]) assert.include(text, `${address.slice(-20)}/${word}"`)
      assert.include(text, 'name="seen" value="14"')
      const answer = yield* post(`${address}/retry`, { secret, seen: "14" }, { cookie })
      assert.deepStrictEqual([answer.status, answer.headers.location], [303, new URL(address).pathname])
      const [said] = fleet.said
      assert.deepInclude(said, { by: "anna", log, watch: "opera-0001", word: "retry", seen: 14 })
      // By the clock of the store, which the hub's own may not agree with.
      assert.strictEqual(said!.until, 1_790_000_120_000)
    }).pipe(Effect.scoped)
  )
  it.live("a word needs the cookie, this origin, the secret of the form, a revision, and an operator", () =>
    Effect.gen(function* () {
      const fleet = known()
      fleet.jobs = [...fleet.jobs, jobNamed("auth-0001", { kind: "run" })]
      const { address, cookie, list, post, secret } = yield* opened(fleet)
      const form = { secret, seen: "13" }
      const tries: ReadonlyArray<readonly [number, Effect.Effect<{ readonly status: number }>]> = [
        [401, post(`${address}/hold`, form, {})],
        [401, post(`${address}/hold`, form, { cookie: "souffleur=" })],
        [403, post(`${address}/hold`, form, { cookie, origin: "https://attacker.example" })],
        [403, post(`${address}/hold`, form, { cookie, origin: "" })],
        [421, post(`${address}/hold`, form, { cookie, host: "attacker.example" })],
        [403, post(`${address}/hold`, { seen: "13" }, { cookie })],
        [403, post(`${address}/hold`, { secret: "0".repeat(64), seen: "13" }, { cookie })],
        [400, post(`${address}/hold`, { secret }, { cookie })],
        [400, post(`${address}/hold`, { secret, seen: "-1" }, { cookie })],
        [404, post(`${address}/adopt`, form, { cookie })],
        [404, post(`${list}${log}/watches/none/hold`, form, { cookie })],
        [404, post(`${list}${log}/watches/${"x".repeat(201)}/hold`, form, { cookie })],
        [404, post(`${list}${log}/watches/run%2Fauth-0001/hold`, form, { cookie })],
        [404, post(`${list}nolog/watches/opera-0001/hold`, form, { cookie })]
      ]
      for (const [status, tried] of tries) assert.strictEqual((yield* tried).status, status)
      fleet.role = "viewer"
      assert.strictEqual((yield* post(`${address}/hold`, form, { cookie })).status, 403)
      fleet.role = "operator"
      fleet.revoked = true
      assert.strictEqual((yield* post(`${address}/hold`, form, { cookie })).status, 401)
      assert.deepStrictEqual(fleet.said, [])
    }).pipe(Effect.scoped)
  )
  it.live("a viewer sees no button, a read-only host has a word in their place, and a refusal of the hub is told", () =>
    Effect.gen(function* () {
      const seen = yield* opened(known({ role: "viewer" }))
      assert.notInclude(seen.text, "<button>Hold it")
      assert.include(seen.text, "What happened")
      const readOnly = yield* opened(known({ jobs: [jobNamed("opera-0001", { takesWords: false })] }))
      assert.notInclude(readOnly.text, "<button>Hold it")
      assert.include(readOnly.text, "build1 takes no words of a fleet: it joined with --read-only")
      const stage = yield* makeFleet(known(), { say: () => new WordKept({ problem: "20 words wait" }) })
      const { cookie, list } = yield* stage.entered
      const address = `${list}${log}/watches/opera-0001`
      const page = yield* ask(address, { headers: { cookie } })
      const [, secret = ""] = /name="secret" value="([0-9a-f]+)"/u.exec(page.text) ?? []
      const { status, text } = yield* stage.post(`${address}/hold`, { secret, seen: "13" }, { cookie })
      assert.deepStrictEqual([status, text.includes("20 words wait")], [409, true])
    }).pipe(Effect.scoped)
  )
  it.live("an open page tells what became of each word", () =>
    Effect.gen(function* () {
      const fleet = known()
      const { address, cookie } = yield* opened(fleet)
      const word: ToldWord = {
        word: "hold",
        seen: 13,
        person: evil,
        said: began,
        outcome: "waiting",
        reason: null,
        note: null,
        left: 60_000
      }
      const after = (change: Partial<ToldWord>) => Effect.sync(() => (fleet.words = [{ ...word, ...change }]))
      yield* after({})
      const feed = yield* reading(`${address}/live?after=13`, { cookie })
      yield* feed.until((sent) => sent.includes("build1 has not answered yet. It counts until"))
      yield* after({ left: -60_000 })
      yield* feed.until((sent) => sent.includes("no answer came from build1 before its end"))
      yield* after({ outcome: "refused", reason: evil, note: null })
      yield* feed.until((sent) => sent.includes("refused: &quot;&gt;&lt;img"))
      yield* after({ outcome: "taken" })
      yield* feed.until((sent) => sent.includes("build1 has taken it"))
      yield* after({ outcome: "taken", note: `no souffleur acts on it ${evil}` })
      yield* feed.until((sent) => sent.includes("has taken it, and no souffleur acts on it &quot;"))
      assert.notInclude(feed.text(), "<img")
    }).pipe(Effect.scoped)
  )
  it.live("an open page gets what is new, and ends after the watch once each word has its answer", () =>
    Effect.gen(function* () {
      const fleet = known()
      const { address, cookie } = yield* opened(fleet)
      const feed = yield* reading(`${address}/live?after=13`, { cookie })
      const ended = [
        ...night("/srv/opera"),
        { ...examples.FleetWordTaken, at: began + 200 * 60_000, by: "anna", word: "release" as const },
        { ...examples.WatchReleased, at: began + 200 * 60_000 }
      ]
      const word = {
        word: "release",
        seen: 13,
        person: "anna",
        said: began,
        reason: null,
        note: null,
        left: 60_000
      } as const
      fleet.words = [{ ...word, outcome: "waiting" }]
      fleet.events = { "opera-0001": copied("opera-0001", ended) }
      yield* feed.until((sent) => sent.includes('id="e15"') && sent.includes("has not answered yet"))
      // An end by the watch alone would come with the first of these.
      for (const person of ["bob", "vera"]) {
        fleet.words = [{ ...word, person, outcome: "waiting" }]
        yield* feed.until((sent) => sent.includes(`by ${person},`))
      }
      fleet.words = [{ ...word, outcome: "taken" }]
      yield* feed.until((sent) => sent.includes("event: over"))
      assert.include(feed.text(), "build1 has taken it")
      assert.isBelow(feed.text().indexOf("build1 has taken it"), feed.text().indexOf("event: over"))
    }).pipe(Effect.scoped)
  )
  it.live("a page shows events up to the first that cannot be read or is missing, and none at all is no page", () =>
    Effect.gen(function* () {
      const events = copied("opera-0001", night("/srv/opera"))
      const [position, stream, revision, tag, version, at] = events[11]!
      const torn = yield* opened(
        known({ events: { "opera-0001": events.with(11, [position, stream, revision, tag, version, at, "{"]) } })
      )
      assert.include(torn.text, 'id="e11"')
      assert.notInclude(torn.text, 'id="e13"')
      const missing = yield* opened(known({ events: { "opera-0001": events.toSpliced(5, 1) } }))
      assert.include(missing.text, "of 5</label>")
      assert.strictEqual((yield* opened(known({ events: {} }))).status, 404)
      const { cookie, list } = yield* opened(known())
      // A run is no watch, also under its stream.
      for (const other of ["runs/opera-0001", "watches/run%2Fopera-0001", "watches/a%00b"])
        assert.strictEqual((yield* ask(`${list}${log}/${other}`, { headers: { cookie } })).status, 404, other)
    }).pipe(Effect.scoped)
  )
})
