import { assert, describe, it } from "@effect/vitest"
import { type SaidWord, longestWord, maxWaiting } from "@souffleur/fleet"
import { HubPeople, HubWords, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { begun, log, other, Server, who } from "./HubStage.ts"
import { noPostgres } from "./PostgresServer.ts"

const id = (n: number) => `2b1f3c9a-4e52-4a3f-9a77-${String(n).padStart(12, "0")}`

/** A hub of its own on a database. */
const hubOn = Effect.fnUntraced(function* (url: Parameters<typeof layerPostgres>[0]) {
  const layer = Layer.merge(HubPeople.layerSql, HubWords.layerSql)
  const all = yield* Layer.build(Layer.provide(layer, Layer.fresh(layerPostgres(url))))
  return { people: Context.get(all, HubPeople), words: Context.get(all, HubWords) }
})

/** A hub with a log, and the operator anna. `said`: a word that counts for some ms by the clock of the database. */
const speaking = Effect.gen(function* () {
  const all = yield* begun
  const hub = yield* hubOn(all.url)
  /** Adds a person, as the hub knows them by their token. */
  const added = Effect.fnUntraced(function* (name: string, role: "viewer" | "operator") {
    return Option.getOrThrow(yield* hub.people.personOf(yield* hub.people.add(name, role)))
  })
  const anna = yield* added("anna", "operator")
  const said = Effect.fnUntraced(function* (millis = 60_000, change: Partial<SaidWord> = {}) {
    const now = Number(yield* all.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
    return { log, watch: "app-1", word: "hold", seen: 6, until: now + millis, ...change } satisfies SaidWord
  })
  return { ...all, ...hub, added, anna, said }
})

const problem = <A, E extends { readonly message: string }>(act: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(act), ({ message }) => message)

if (noPostgres !== undefined) it.skip(`the words of a hub: ${noPostgres}`, () => {})
else
  it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
    describe("fleet#words", () => {
      it.effect("the same word is one, through however many hubs, and has the first answer", () =>
        Effect.gen(function* () {
          const { anna, query, said, url, words } = yield* speaking
          const hubs = [words, ...(yield* Effect.forEach([1, 2], () => hubOn(url))).map((one) => one.words)]
          const word = yield* said()
          const standings = yield* Effect.forEach(
            Array.from({ length: 12 }, (_, n) => hubs[n % 3]!),
            (hub) => hub.say(id(1), anna, word),
            { concurrency: "unbounded" }
          )
          assert.isTrue(standings.every(({ left, outcome }) => outcome === "waiting" && left > 0 && left <= 60_000))
          assert.strictEqual(yield* query("SELECT count(*) FROM words"), "1")
          const [waiting] = yield* words.waiting("one", log)
          const { watch, word: name, seen } = word
          assert.deepInclude(waiting, { id: id(1), watch, word: name, seen, person: "anna" })
          const note = "no souffleur acts on it there"
          yield* words.answer("one", log, id(1), { reason: null, note })
          yield* hubs[1]!.answer("one", log, id(1), { reason: "it has moved on", note: null })
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
          for (const standing of [yield* words.standing(id(1)), yield* hubs[2]!.say(id(1), anna, word)])
            assert.deepInclude(standing, { outcome: "taken", reason: null, note })
          // The id of one word says no other.
          assert.include(yield* problem(words.say(id(1), anna, { ...word, word: "release" })), "another word")
          assert.strictEqual((yield* Effect.flip(words.standing(id(9))))._tag, "NoSuchWord")
        })
      )
      it.effect("a word that comes after its end, or far before it, is kept from its host", () =>
        Effect.gen(function* () {
          const { anna, said, words } = yield* speaking
          for (const millis of [-1, longestWord + 60_000])
            assert.include(yield* problem(words.say(id(1), anna, yield* said(millis))), "its end is past")
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
        })
      )
      it.effect("a host gets a word after its end too, and says what became of it, for a day", () =>
        Effect.gen(function* () {
          const { anna, query, said, words } = yield* speaking
          yield* words.say(id(1), anna, yield* said())
          yield* query("UPDATE words SET until = until - interval '1 hour'")
          // A word that still counts comes first, however many others wait for their answer.
          for (let n = 2; n <= maxWaiting + 3; n++) {
            yield* words.say(id(n), anna, yield* said())
            if (n < maxWaiting + 3)
              yield* query(`UPDATE words SET until = until - interval '1 hour' WHERE id = '${id(n)}'`)
          }
          const [fresh, late] = yield* words.waiting("one", log)
          assert.strictEqual(fresh!.id, id(maxWaiting + 3))
          assert.isBelow(late!.left, -3_000_000)
          assert.deepInclude(yield* words.standing(id(1)), { outcome: "waiting" })
          yield* query("UPDATE words SET until = until - interval '2 days'")
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
        })
      )
      it.effect("a word reaches the host of its log alone, and only that host answers it", () =>
        Effect.gen(function* () {
          const { anna, said, store, words } = yield* speaking
          yield* store.enrol("two")
          yield* store.begin("two", other, who)
          yield* words.say(id(1), anna, yield* said())
          assert.deepStrictEqual([yield* words.waiting("two", log), yield* words.waiting("two", other)], [[], []])
          yield* words.answer("two", log, id(1), { reason: null, note: null })
          yield* words.answer("two", other, id(1), { reason: null, note: null })
          assert.deepInclude(yield* words.standing(id(1)), { outcome: "waiting" })
        })
      )
      it.effect("a host that takes no words gets none, and any other host gets a few at most", () =>
        Effect.gen(function* () {
          const { anna, said, store, words } = yield* speaking
          const refused = (n: number) => Effect.flatMap(said(), (word) => problem(words.say(id(n), anna, word)))
          yield* store.begin("one", log, { ...who, takesWords: false })
          assert.include(yield* refused(1), "--read-only")
          yield* store.begin("one", log, who)
          for (let n = 1; n <= maxWaiting; n++) yield* words.say(id(n), anna, yield* said())
          assert.include(yield* refused(99), "wait for that host already")
          yield* words.answer("one", log, id(1), { reason: null, note: null })
          yield* words.say(id(99), anna, yield* said())
          // There is room for another word, which the fork refuses.
          yield* words.answer("one", log, id(2), { reason: null, note: null })
          yield* store.fork("one", log)
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
          assert.include(yield* refused(100), "forked")
          yield* store.begin("one", other, who)
          yield* store.revoke("one")
          assert.include(
            yield* problem(words.say(id(101), anna, yield* said(60_000, { log: other }))),
            "the token of that host was revoked"
          )
          assert.include(yield* problem(words.say(id(102), anna, yield* said(60_000, { log: id(7) }))), "no such log")
        })
      )
      it.effect("hostile names of watches and people are texts", () =>
        Effect.gen(function* () {
          const { added, query, said, words } = yield* speaking
          const name = "'); DROP TABLE words; --"
          const odd = yield* added(name, "operator")
          const watch = "\u001B[31m' OR 1=1 --\n\u202E"
          yield* words.say(id(1), odd, yield* said(60_000, { watch }))
          assert.deepInclude((yield* words.waiting("one", log))[0], { watch, person: name })
          assert.strictEqual(yield* query("SELECT count(*) FROM words"), "1")
        })
      )
    })

    describe("fleet#people", () => {
      it.effect("a viewer and a revoked operator say no word, and what waits of them is kept from the host", () =>
        Effect.gen(function* () {
          const { added, anna, people, query, said, words } = yield* speaking
          const vera = yield* added("vera", "viewer")
          for (const one of [vera, { ...anna, name: "nemo" }, { ...anna, name: "anna'; DROP TABLE words; --" }]) {
            yield* Effect.flip(words.say(id(1), one, yield* said()))
            assert.strictEqual(yield* query("SELECT count(*) FROM words"), "0")
          }
          const word = yield* said()
          yield* words.say(id(2), anna, word)
          assert.isTrue(yield* people.revoke("anna"))
          assert.isFalse(yield* people.revoke("anna"))
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
          yield* Effect.flip(words.say(id(3), anna, word))
          yield* people.add("anna", "viewer")
          assert.deepStrictEqual(yield* words.waiting("one", log), [], "she comes back with another role")
          assert.deepInclude(yield* words.standing(id(2)), { outcome: "refused" })
        })
      )
      it.effect("the words of a revoked token count no more, also where its person gets another one", () =>
        Effect.gen(function* () {
          const { added, anna, people, said, words } = yield* speaking
          const word = yield* said()
          for (let n = 1; n <= maxWaiting; n++) yield* words.say(id(n), anna, word)
          yield* people.revoke("anna")
          const again = yield* added("anna", "operator")
          assert.deepStrictEqual(yield* words.waiting("one", log), [])
          const withdrawn = yield* words.standing(id(1))
          assert.deepInclude(withdrawn, {
            outcome: "refused",
            reason: "the token of its speaker was revoked",
            note: null
          })
          // They leave room for the words of the new token.
          yield* words.say(id(99), again, word)
          // A hub that was frozen since it knew the old token says nothing by it.
          yield* Effect.flip(words.say(id(98), anna, word))
          assert.deepStrictEqual(
            (yield* words.waiting("one", log)).map((one) => one.id),
            [id(99)]
          )
          // The host had one of them before, and its answer is the truth.
          yield* words.answer("one", log, id(1), { reason: null, note: null })
          assert.deepInclude(yield* words.standing(id(1)), { outcome: "taken", reason: null, note: null })
        })
      )
      it.effect("the token of a person is kept as a digest, and is worth nothing once it is revoked", () =>
        Effect.gen(function* () {
          const { people, query, store } = yield* speaking
          const token = yield* people.add("vera", "viewer")
          assert.deepInclude(Option.getOrThrow(yield* people.personOf(token)), { name: "vera", role: "viewer" })
          assert.notInclude(yield* query("SELECT * FROM people"), Redacted.value(token))
          assert.strictEqual((yield* Effect.flip(people.add("vera", "operator")))._tag, "AlreadyKnown")
          // A person is no host, and a host no person.
          const host = yield* store.enrol("two")
          assert.deepStrictEqual(
            [yield* store.hostOf(token), yield* people.personOf(host)],
            [Option.none(), Option.none()]
          )
          yield* people.revoke("vera")
          assert.deepStrictEqual(yield* people.personOf(token), Option.none())
          const again = yield* people.add("vera", "operator")
          assert.deepStrictEqual(yield* people.personOf(token), Option.none())
          assert.deepInclude(Option.getOrThrow(yield* people.personOf(again)), { name: "vera", role: "operator" })
          assert.deepInclude((yield* people.all)[1], { name: "vera", role: "operator", revoked: false })
        })
      )
    })

    describe("fleet#page", () => {
      it.effect("people are told the newest words to a watch, each with what became of it", () =>
        Effect.gen(function* () {
          const { anna, query, said, words } = yield* speaking
          for (const [n, change] of [{}, { word: "retry" }, { word: "go" }, { watch: "app-2" }].entries())
            yield* words.say(id(n), anna, yield* said(60_000, change as Partial<SaidWord>))
          yield* words.answer("one", log, id(0), { reason: null, note: null })
          yield* words.answer("one", log, id(1), { reason: "it has moved on", note: null })
          const fates = (all: Effect.Success<ReturnType<typeof words.toWatch>>) =>
            all.map(({ outcome, person, reason, seen, word }) => [word, person, seen, outcome, reason])
          assert.deepStrictEqual(fates(yield* words.toWatch(log, "app-1")), [
            ["go", "anna", 6, "waiting", null],
            ["retry", "anna", 6, "refused", "it has moved on"],
            ["hold", "anna", 6, "taken", null]
          ])
          const [one] = yield* words.toWatch(log, "app-2")
          const at = Number(
            yield* query(
              "SELECT (extract(epoch FROM said) * 1000)::bigint FROM words WHERE word = 'hold' AND stream = 'app-2'"
            )
          )
          assert.strictEqual(one!.said, at)
          assert.deepStrictEqual(yield* words.toWatch(other, "app-1"), [])
          yield* query("UPDATE words SET said = said - interval '25 hours' WHERE word = 'hold'")
          assert.lengthOf(yield* words.toWatch(log, "app-1"), 2)
        })
      )
    })
  })
