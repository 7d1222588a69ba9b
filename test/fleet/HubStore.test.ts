import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type FleetEvent, noMark } from "@souffleur/fleet"
import { firstArrival, HubQuota, HubStore, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../cli/CliStage.ts"
import { batchOf, begun, eventAt, fresh, log, other, Server, who } from "./HubStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

/** Waits until no older transaction, as of autovacuum, hides one of so many events. Returns them. */
const arrived = (store: Context.Service.Shape<typeof HubStore>, count: number) =>
  until(store.arrivals(firstArrival, 1000), ({ length }) => length === count)

if (noPostgres !== undefined) it.skip(`the store of a hub: ${noPostgres}`, () => {})
else
  it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
    describe("fleet#append", () => {
      it.effect("a batch is appended once and whole, where the mark is the hub's by place and digest", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const first = yield* batchOf(noMark, eventAt(1), eventAt(2), eventAt(5))
          const { words, ...mark } = yield* store.append("one", log, first)
          assert.deepStrictEqual([mark, words], [{ position: 5, digest: first.digest }, false])
          // Its reply was lost: nothing is doubled, and the hub says where it is.
          const again = yield* Effect.flip(store.append("one", log, first))
          assert.deepInclude(again, { _tag: "OtherMark", mark, forked: false })
          // A place that is right with another history before it, and a place beyond the hub's.
          const forged = yield* batchOf({ ...mark, digest: "f".repeat(64) }, eventAt(6))
          assert.deepInclude(yield* Effect.flip(store.append("one", log, forged)), { _tag: "OtherMark", mark })
          const ahead = yield* batchOf({ ...mark, position: 7 }, eventAt(8))
          assert.deepInclude(yield* Effect.flip(store.append("one", log, ahead)), { _tag: "OtherMark", mark })
          assert.deepStrictEqual(yield* store.events(log, 0, 10), first.events)
          const beat = yield* batchOf(mark)
          assert.deepInclude(yield* store.append("one", log, beat), mark)
        })
      )
      it.effect("one of many equal appends at once counts", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const batch = yield* batchOf(noMark, eventAt(1), eventAt(2))
          const tries = yield* Effect.forEach(
            Array.from({ length: 20 }),
            () => Effect.option(store.append("one", log, batch)),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(tries.filter(Option.isSome), 1)
          assert.deepStrictEqual(yield* store.events(log, 0, 10), batch.events)
        })
      )
      it.effect("a batch that contradicts itself is refused: its digest, or the order of its positions", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const good = yield* batchOf(noMark, eventAt(1), eventAt(2))
          const wrong = [
            { ...good, digest: "0".repeat(64) },
            { ...good, events: [eventAt(1)] },
            yield* batchOf(noMark, eventAt(2), eventAt(1)),
            yield* batchOf({ ...noMark, position: 3 }, eventAt(3))
          ]
          for (const one of wrong)
            assert.strictEqual((yield* Effect.flip(store.append("one", log, one)))._tag, "BrokenBatch")
          assert.deepStrictEqual(yield* store.events(log, 0, 10), [])
        })
      )
    })

    describe("fleet#quota", () => {
      it.effect("a host ships so many bytes a day, is refused more, and beats on; the next day takes the rest", () =>
        Effect.gen(function* () {
          const { query, store } = yield* Effect.provideService(begun, HubQuota, 2000)
          yield* store.begin("one", other, who)
          const [first, second] = [eventAt(1, "x".repeat(1500)), eventAt(2, "é".repeat(300))]
          const mark = yield* store.append("one", log, yield* batchOf(noMark, first))
          const more = yield* batchOf(mark, second)
          for (const [name, batch] of [
            [log, more],
            [other, yield* batchOf(noMark, second)]
          ] as const) {
            const refused = yield* Effect.flip(store.append("one", name, batch))
            assert.deepInclude(refused, { _tag: "QuotaReached", quota: 2000 })
            assert.include(refused.message, "2,000 bytes of this host in a day")
          }
          assert.deepStrictEqual(
            (yield* store.logs).map(({ full }) => full),
            [true, true]
          )
          // It lives, and what it has still counts.
          assert.strictEqual((yield* store.append("one", log, yield* batchOf(mark))).position, 1)
          yield* query("UPDATE hosts SET day = day - 1, refused = refused - 1")
          assert.strictEqual((yield* store.append("one", log, more)).position, 2)
          assert.deepStrictEqual(
            (yield* store.logs).map(({ full }) => full),
            [false, false]
          )
        })
      )
    })

    describe("fleet#the-hub", () => {
      it.effect("the data of an event stays byte for byte, whatever JSON it is", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const data = ['{"b":1,  "a":1.0,"a":2}', String.raw`{"t":"\u0000\ud800"}`, '{"t":"é\u{1F600}\\n"}', "no JSON"]
          const batch = yield* batchOf(noMark, ...data.map((one, n) => eventAt(n + 1, one)))
          yield* store.append("one", log, batch)
          assert.deepStrictEqual(
            (yield* store.events(log, 0, 10)).map((event) => event[6]),
            data
          )
        })
      )
      it.effect("a hub works on the schema of a newer one, and leaves it as it is", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          yield* query("ALTER TABLE logs ADD COLUMN newer text NOT NULL DEFAULT 'as it is'")
          yield* query("INSERT INTO souffleur_migrations (migration_id, name) VALUES (9999, 'newer')")
          const older = Context.get(yield* Layer.build(Layer.fresh(layerPostgres(url))), HubStore)
          const batch = yield* batchOf(noMark, eventAt(1))
          const mark = yield* older.append("one", log, batch)
          assert.strictEqual((yield* older.begin("one", other, who)).position, 0)
          assert.deepStrictEqual((yield* store.look("one", log)).mark.position, mark.position)
          assert.strictEqual(yield* query("SELECT max(migration_id) FROM souffleur_migrations"), "9999")
          assert.strictEqual(yield* query("SELECT count(*) FROM logs WHERE newer = 'as it is'"), "2")
        })
      )
      it.effect("several hubs that start at once bring one database to its schema", () =>
        Effect.gen(function* () {
          const { database } = yield* Server
          const { url } = yield* database
          const stores = yield* Effect.forEach(
            Array.from({ length: 4 }),
            () => Effect.map(Layer.build(Layer.fresh(layerPostgres(url))), (context) => Context.get(context, HubStore)),
            { concurrency: "unbounded" }
          )
          const token = yield* stores[0]!.enrol("one")
          for (const store of stores) assert.deepStrictEqual(yield* store.hostOf(token), Option.some("one"))
        })
      )
    })

    describe("fleet#tokens", () => {
      it.effect("a log belongs to the host and the machine that began it", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          yield* store.enrol("two")
          const batch = yield* batchOf(noMark, eventAt(1))
          for (const stranger of [
            store.begin("two", log, who),
            store.begin("one", log, { ...who, machine: "m2" }),
            store.append("two", log, batch),
            store.fork("two", log)
          ])
            assert.strictEqual(
              (yield* Effect.flip(stranger as Effect.Effect<unknown, { readonly _tag: string }>))._tag,
              "LogOfAnother"
            )
          for (const unknown of [store.append("one", other, batch), store.look("one", other), store.fork("one", other)])
            assert.strictEqual(
              (yield* Effect.flip(unknown as Effect.Effect<unknown, { readonly _tag: string }>))._tag,
              "NoSuchLog"
            )
          assert.deepStrictEqual(yield* store.begin("one", log, { ...who, host: "renamed" }), noMark)
          assert.deepStrictEqual(
            (yield* store.logs).map(({ enrolledHost, host, log }) => [enrolledHost, host, log]),
            [["one", "renamed", log]]
          )
        })
      )
      it.effect("a token is kept as a digest, and is worth nothing once it is revoked", () =>
        Effect.gen(function* () {
          const { query, store } = yield* fresh
          const token = yield* store.enrol("one")
          const hex = Redacted.value(token)
          assert.match(hex, /^[0-9a-f]{64}$/u)
          assert.notInclude(yield* query("SELECT * FROM hosts"), hex)
          assert.deepStrictEqual(yield* store.hostOf(token), Option.some("one"))
          assert.isTrue(Option.isNone(yield* store.hostOf(Redacted.make("0".repeat(64)))))
          assert.deepInclude(yield* Effect.flip(store.enrol("one")), { _tag: "AlreadyEnrolled" })
          yield* store.begin("one", log, who)
          assert.isTrue(yield* store.revoke("one"))
          assert.isFalse(yield* store.revoke("one"))
          assert.isTrue(Option.isNone(yield* store.hostOf(token)))
          // A request that was let in before the revocation appends nothing after it.
          const batch = yield* batchOf(noMark, eventAt(1))
          assert.deepInclude(yield* Effect.flip(store.append("one", log, batch)), { _tag: "OtherMark" })
          const renewed = yield* store.enrol("one")
          assert.isTrue(Option.isNone(yield* store.hostOf(token)))
          assert.deepStrictEqual(yield* store.hostOf(renewed), Option.some("one"))
          assert.deepInclude((yield* store.logs)[0], { revoked: false, enrolledHost: "one" })
        })
      )
    })

    describe("fleet#forks", () => {
      it.effect("a forked log takes nothing more, from whichever of the two", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const batch = yield* batchOf(noMark, eventAt(1))
          const { position, digest } = yield* store.append("one", log, batch)
          const mark = { position, digest }
          yield* store.fork("one", log)
          const next = yield* batchOf(mark, eventAt(2))
          assert.deepInclude(yield* Effect.flip(store.append("one", log, next)), {
            _tag: "OtherMark",
            mark,
            forked: true
          })
          assert.deepInclude(yield* Effect.flip(store.begin("one", log, who)), { _tag: "OtherMark", forked: true })
          assert.deepStrictEqual(yield* store.events(log, 0, 10), batch.events)
        })
      )
    })

    describe("fleet#view", () => {
      it.effect("a goodbye is the last word of a host at its mark, until its next one", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const away = Effect.map(store.logs, ([one]) => one!.away)
          const mark = yield* store.append("one", log, yield* batchOf(noMark, eventAt(1)))
          const goodbye = { ...(yield* batchOf(mark)), away: true }
          assert.isFalse(yield* away)
          yield* store.append("one", log, goodbye)
          assert.isTrue(yield* away)
          yield* store.append("one", log, yield* batchOf(mark))
          assert.isFalse(yield* away)
          yield* store.append("one", log, goodbye)
          yield* store.begin("one", log, who)
          assert.isFalse(yield* away)
          const late = { ...(yield* batchOf(noMark)), away: true }
          assert.strictEqual((yield* Effect.flip(store.append("one", log, late)))._tag, "OtherMark")
          assert.isFalse(yield* away, "it was of an earlier mark")
        })
      )
    })

    describe("fleet#readers", () => {
      it.effect("a reader of all logs sees the events of a log in their order, page by page", () =>
        Effect.gen(function* () {
          const { store } = yield* begun
          const events = Array.from({ length: 120 }, (_, n) => eventAt(n + 1))
          yield* store.append("one", log, yield* batchOf(noMark, ...events))
          const seen: Array<FleetEvent> = []
          yield* arrived(store, events.length)
          for (let at = firstArrival; seen.length < events.length;) {
            const page = yield* store.arrivals(at, 7)
            assert.isNotEmpty(page)
            seen.push(...page.map(({ event }) => event))
            at = page.at(-1)!
          }
          assert.deepStrictEqual(seen, events)
        })
      )
      it.effect("a reader of all logs misses no event of a transaction that commits late", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          yield* store.begin("one", other, who)
          const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)
          const row = (name: string) =>
            `INSERT INTO events (log, position, stream, revision, tag, version, at, data) VALUES ('${name}', 1, 'a', 1, 'X', 1, 0, '{}')`
          // It takes the lower number first, and is still open while the other one commits.
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(row(log), [])
              yield* query(row(other))
              assert.lengthOf(yield* store.events(other, 0, 10), 1, "it is there")
              assert.deepStrictEqual(yield* store.arrivals(firstArrival, 10), [], "and is not told yet")
            })
          )
          const told = yield* arrived(store, 2)
          assert.deepStrictEqual(
            told.map((one) => one.log),
            [log, other]
          )
          assert.deepStrictEqual(yield* store.arrivals(told[1]!, 10), [])
          assert.deepStrictEqual(
            (yield* store.arrivals(told[0]!, 10)).map((one) => one.log),
            [other]
          )
        })
      )
      it.effect("a dump that is restored into another server is read whole and in order, and new events after it", () =>
        Effect.gen(function* () {
          const server = yield* Server
          const { name, store } = yield* begun
          // Its transactions have greater numbers than a fresh server has.
          yield* server.query(
            "DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$",
            name
          )
          const events = Array.from({ length: 30 }, (_, n) => eventAt(n + 1))
          let mark = noMark
          for (const event of events) mark = yield* store.append("one", log, yield* batchOf(mark, event))
          const [last] = (yield* arrived(store, events.length)).slice(-1)
          const restored = yield* postgresServer
          const there = yield* restored.database
          yield* restored.restore(there.name, yield* server.dump(name))
          const after = Context.get(yield* Layer.build(Layer.fresh(layerPostgres(there.url))), HubStore)
          const more = eventAt(31)
          yield* after.append("one", log, yield* batchOf(mark, more))
          yield* arrived(after, 31)
          for (const at of [firstArrival, last!])
            assert.deepStrictEqual(
              (yield* after.arrivals(at, 100)).map(({ event }) => event),
              [...events, more]
            )
          const again = Context.get(yield* Layer.build(Layer.fresh(layerPostgres(there.url))), HubStore)
          const [first] = yield* again.arrivals(firstArrival, 1)
          assert.strictEqual(first!.epoch, 2, "once")
          assert.lengthOf(yield* again.arrivals(first!, 100), 30)
        })
      )
    })

    describe("fleet#contract", () => {
      it.effect("a host begins a thousand logs at most, and its own goes on", () =>
        Effect.gen(function* () {
          const { query, store } = yield* begun
          yield* query(
            "INSERT INTO logs (log, enrolled_host, host, position, digest) SELECT gen_random_uuid(), 'one', 'h', 0, '' FROM generate_series(1, 999)"
          )
          assert.strictEqual((yield* Effect.flip(store.begin("one", other, who)))._tag, "TooManyLogs")
          assert.deepStrictEqual(yield* store.begin("one", log, who), noMark)
          yield* store.enrol("two")
          assert.deepStrictEqual(yield* store.begin("two", other, who), noMark)
        })
      )
    })
  })
