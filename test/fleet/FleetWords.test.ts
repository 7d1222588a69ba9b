import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { fleetStage, settled } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

const fleet = Effect.gen(function* () {
  const server = yield* postgresServer
  const { name, url } = yield* server.database
  const query = (sql: string) => server.query(sql, name)
  return { query, the: yield* fleetStage(url) }
})

type Asking = (
  args: ReadonlyArray<string>,
  input?: string,
  more?: Readonly<Record<string, string>>
) => Effect.Effect<{ readonly code: number | null; readonly out: string; readonly errors: string }>

/** The events of a watch, as its host tells them. */
const eventsOf = ({ ask }: { readonly ask: Asking }, watch: string) =>
  Effect.map(ask(["log", watch, "--json"]), ({ out }) =>
    out
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line))
  )
/** The words that a host took for a watch, and their speakers. */
const takenBy = (host: { readonly ask: Asking }, watch: string) =>
  Effect.map(eventsOf(host, watch), (all) =>
    all.flatMap(({ event, _tag, by, word, ...one }) => {
      const found = (event ?? { _tag, by, word, ...one }) as Record<string, unknown>
      return found["_tag"] === "FleetWordTaken" ? [[found["by"], found["word"]]] : []
    })
  )
/** Waits until the hub shows a watch to a person. */
const seen = (person: { readonly ask: Asking }, watch: string) =>
  until(
    Effect.map(person.ask(["status", "--fleet", "--json"]), ({ out }) => JSON.parse(out).jobs),
    (jobs: ReadonlyArray<{ readonly id: string }>) => jobs.some(({ id }) => id === watch)
  )

describe("command-line#fleet", () => {
  it.live.skipIf(noPostgres !== undefined)(
    "an operator's word is decided on by its host: taken with its speaker, or refused with the host's reason",
    () =>
      Effect.gen(function* () {
        const { the } = yield* fleet
        yield* the.serve
        const one = yield* the.joined("one")
        const anna = yield* the.person("anna", "operator")
        const vera = yield* the.person("vera", "viewer")
        one.open("night", ...settled)
        one.ship()
        yield* seen(vera, "night")
        const held = yield* anna.ask(["fleet", "hold", "one/night"])
        assert.deepInclude(held, { code: 0, out: "one has taken it: hold\n" })
        assert.match(held.errors, /^hold to one\/night, at revision 3 \(.+\)\n/u)
        assert.include(held.errors, 'warning: no souffleur acts on it there: "souffleur resume night" on that host')
        assert.deepStrictEqual(yield* takenBy(one, "night"), [["anna", "hold"]])
        assert.include((yield* one.ask(["log", "night"])).out, "Operator anna said hold through the fleet")
        // She looked before the hold.
        const late = yield* anna.ask(["fleet", "release", "one/night", "--revision", "3", "--json"])
        assert.strictEqual(late.code, 2)
        assert.deepInclude(JSON.parse(late.out), { outcome: "refused", word: "release" })
        assert.include(late.out, "the word was for revision 3")
        assert.lengthOf(yield* takenBy(one, "night"), 1)
        // The hub or the command refuses these at once.
        const viewer = yield* vera.ask(["fleet", "release", "one/night"])
        assert.deepStrictEqual([viewer.code, viewer.errors.includes("that of a viewer")], [1, true])
        assert.deepInclude(yield* anna.ask(["fleet", "go", "one/night"], "", { CLAUDECODE: "1" }), { code: 2, out: "" })
        for (const name of ["one/day", "two/night", "night", "one/"])
          assert.deepInclude(yield* anna.ask(["fleet", "go", name]), { code: 2, out: "" })
        assert.deepInclude(yield* anna.ask(["fleet", "go", "one/night", "--within", "2h"]), { code: 2, out: "" })
        assert.deepInclude(yield* one.ask(["fleet", "go", "one/night"]), { code: 2, out: "" })
        yield* the.hub(["person", "revoke", "anna"])
        const revoked = yield* anna.ask(["fleet", "go", "one/night"])
        assert.deepStrictEqual([revoked.code, revoked.errors.includes("does not know this token")], [1, true])
        assert.match((yield* the.hub(["person", "list"])).out, /^anna {2}revoked\nvera {2}viewer$/mu)
      })
  )
})

describe("fleet#words", () => {
  it.live.skipIf(noPostgres !== undefined)(
    "a host that joined with --read-only takes no word, whatever a hub says",
    () =>
      Effect.gen(function* () {
        const { query, the } = yield* fleet
        yield* the.serve
        const one = yield* the.joined("one", ["--read-only"])
        const anna = yield* the.person("anna", "operator")
        one.open("night", ...settled)
        one.ship()
        yield* seen(anna, "night")
        const told = yield* anna.ask(["fleet", "release", "one/night"])
        assert.deepStrictEqual([told.code, told.errors.includes("--read-only")], [1, true])
        assert.include((yield* the.hub(["hosts"])).out, "takes no words")
        const due = {
          id: "2b1f3c9a-4e52-4a3f-9a77-0c6f1f3f5a11",
          watch: "night",
          word: "release",
          seen: 3,
          person: "anna"
        }
        const order = `${JSON.stringify({ ...due, until: Number.MAX_SAFE_INTEGER })}\n`
        const forced = yield* one.ask(["fleet", "take"], order)
        assert.include(JSON.parse(forced.out).reason, "takes no words")
        assert.deepStrictEqual([yield* takenBy(one, "night"), yield* query("SELECT count(*) FROM words")], [[], "0"])
        // An agent's session takes none either, and leaves it to another shipper of this host.
        const two = yield* the.joined("two")
        two.open("night", ...settled)
        assert.deepInclude(yield* two.ask(["fleet", "take"], order, { CLAUDECODE: "1" }), { code: 2, out: "" })
        // A watch that cannot be read is an answer too.
        two.write(1)
        const damaged = yield* two.ask(["fleet", "take"], order.replace('"night"', '"load-two"'))
        assert.deepStrictEqual([damaged.code, typeof JSON.parse(damaged.out).reason], [0, "string"])
        assert.deepInclude(yield* two.ask(["fleet", "take"], "no word\n"), { code: 2, out: "" })
        assert.deepStrictEqual(JSON.parse((yield* two.ask(["fleet", "take"], order)).out), { reason: null, note: null })
        assert.deepStrictEqual(yield* takenBy(two, "night"), [["anna", "release"]])
      })
  )

  it.live.skipIf(noPostgres !== undefined)("a word that its host did not get in time has no effect when it comes", () =>
    Effect.gen(function* () {
      const { query, the } = yield* fleet
      yield* the.serve
      const one = yield* the.joined("one")
      const anna = yield* the.person("anna", "operator")
      one.open("night", ...settled)
      const shipper = one.ship()
      yield* seen(anna, "night")
      shipper.child.kill("SIGSTOP")
      const unheard = yield* anna.ask(["fleet", "hold", "one/night", "--within", "10s", "--json"])
      assert.strictEqual(unheard.code, 1)
      assert.deepInclude(JSON.parse(unheard.out), { outcome: "no answer", reason: null })
      shipper.child.kill("SIGCONT")
      const reason = yield* until(query("SELECT reason FROM words WHERE answered IS NOT NULL"), (told) => told !== "")
      assert.strictEqual(reason, "the word came after its end")
      assert.deepStrictEqual(yield* takenBy(one, "night"), [])
    })
  )

  it.live.skipIf(noPostgres !== undefined)("a word has one effect where a hub was frozen on its way and thaws", () =>
    Effect.gen(function* () {
      const { query, the } = yield* fleet
      yield* the.serve
      const frozen = yield* the.another()
      const one = yield* the.joined("one")
      const anna = yield* the.person("anna", "operator")
      one.open("night", ...settled)
      one.ship()
      yield* seen(anna, "night")
      const log = yield* query("SELECT log FROM logs")
      const now = Number(yield* query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
      const said = (hub: string, n: number, word: string, millis: number) =>
        Effect.promise(async () => {
          const answer = await fetch(`${hub}/v1/fleet/words/2b1f3c9a-4e52-4a3f-9a77-00000000000${n}`, {
            method: "PUT",
            headers: { authorization: `Bearer ${anna.token}`, "content-type": "application/json" },
            body: JSON.stringify({ log, watch: "night", word, seen: 3, until: now + millis })
          })
          return { status: answer.status, body: (await answer.json()) as unknown }
        })
      frozen.child.kill("SIGSTOP")
      const late = yield* Effect.forkScoped(
        Effect.all([said(frozen.url, 1, "hold", 600_000), said(frozen.url, 2, "release", 1)], {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      assert.deepInclude(yield* said(the.url, 1, "hold", 600_000), { status: 200 })
      yield* until(query("SELECT count(*) FROM words WHERE answered IS NOT NULL"), (count) => count === "1")
      frozen.child.kill("SIGCONT")
      const [again, over] = yield* Fiber.join(late)
      assert.deepInclude(again.body, { outcome: "taken" })
      assert.strictEqual(over.status, 409, "its end had passed")
      assert.strictEqual(yield* query("SELECT count(*) FROM words"), "1")
      assert.deepStrictEqual(yield* takenBy(one, "night"), [["anna", "hold"]])
      assert.strictEqual((yield* eventsOf(one, "night")).length, 5)
    })
  )
})
