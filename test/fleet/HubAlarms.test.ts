import { assert, describe, it } from "@effect/vitest"
import { noMark } from "@souffleur/fleet"
import { type Alarm, HubAlarms, HubProjection, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer } from "effect"
import { batchOf, begun, log, other, Server, who } from "./HubStage.ts"
import { caughtUp, foldAt, jobAt } from "./FoldStage.ts"
import { noPostgres } from "./PostgresServer.ts"

/** The alarms of a hub of its own on a database, after all events are folded. */
const alarmed = Effect.fnUntraced(function* (url: Parameters<typeof layerPostgres>[0]) {
  const fold = foldAt("a")
  const layer = Layer.merge(HubProjection.layerSql(fold), HubAlarms.layerSql(fold))
  const all = yield* Layer.build(Layer.provide(layer, Layer.fresh(layerPostgres(url))))
  const alarms = Context.get(all, HubAlarms)
  const projection = Context.get(all, HubProjection)
  return { ...alarms, projection, look: Effect.andThen(caughtUp(projection), alarms.take) }
})

/** Makes the hubs have listened for more minutes than they have. */
const listened = (minutes: number) => `UPDATE listening SET since = since - interval '${minutes} minutes'`

const names = (alarms: ReadonlyArray<Alarm>) => alarms.map(({ host, job, kind }) => [kind, host, job])

describe("fleet#alarms", () => {
  if (noPostgres !== undefined) it.skip(`the alarms of a hub: ${noPostgres}`, () => {})
  else
    it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
      it.effect("a silent host is told once, and again when it was heard and is silent again", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const hub = yield* alarmed(url)
          const since = (minutes: number, name = log) =>
            query(`UPDATE logs SET last_seen = clock_timestamp() - interval '${minutes} minutes' WHERE log = '${name}'`)
          yield* hub.take
          yield* query(listened(5))
          yield* since(1)
          assert.deepStrictEqual(yield* hub.take, [])
          yield* since(3)
          const first = yield* hub.take
          assert.deepStrictEqual(names(first), [["silent", "one", null]])
          assert.deepStrictEqual(yield* hub.take, [], "it is on its way")
          yield* query("UPDATE alarms SET taken = taken - interval '2 minutes'")
          const second = yield* hub.take
          assert.deepStrictEqual(second, first, "the hub that was on its way is dead")
          yield* hub.told(second)
          yield* query("UPDATE alarms SET taken = taken - interval '2 minutes'")
          assert.deepStrictEqual(yield* hub.take, [])
          yield* since(0)
          assert.deepStrictEqual(yield* hub.take, [])
          yield* since(3)
          const again = yield* hub.take
          assert.lengthOf(again, 1)
          yield* hub.told(first)
          yield* query("UPDATE alarms SET taken = taken - interval '2 minutes'")
          assert.deepStrictEqual(yield* hub.take, again, "a late word about the first alarm says nothing of this one")
          // It goes on under a new name.
          yield* store.begin("one", other, who)
          assert.deepStrictEqual(yield* hub.take, [])
          assert.strictEqual(yield* query("SELECT count(*) FROM alarms"), "0")
          yield* since(5, other)
          assert.lengthOf(yield* hub.take, 1)
          yield* store.revoke("one")
          yield* hub.take
          assert.strictEqual(yield* query("SELECT count(*) FROM alarms"), "0")
          yield* store.enrol("one")
          yield* since(20_000)
          yield* since(20_000, other)
          assert.deepStrictEqual(yield* hub.take, [], "it is away for good")
        })
      )
      it.effect("a laptop that sleeps for eight hours is one alarm, which its first beat ends", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const hub = yield* alarmed(url)
          const working = yield* batchOf(noMark, jobAt(1, { state: "working" }, "w"))
          const mark = yield* store.append("one", log, working)
          yield* hub.look
          yield* query(listened(600))
          const told: Array<Alarm> = []
          for (const minutes of [1, 3, 60, 240, 480]) {
            yield* query(`UPDATE logs SET last_seen = clock_timestamp() - interval '${minutes} minutes'`)
            const alarms = yield* hub.look
            yield* hub.told(alarms)
            told.push(...alarms)
          }
          assert.deepStrictEqual(names(told), [["silent", "one", null]])
          const asleep = yield* hub.projection.view
          assert.isFalse(asleep.hosts[0]!.away, "it said no goodbye")
          assert.isAbove(asleep.hosts[0]!.lastSeenAgo, 479 * 60_000)
          assert.deepStrictEqual(
            asleep.jobs.map(({ state }) => state),
            ["working"],
            "its last known state"
          )
          yield* store.append("one", log, yield* batchOf(mark))
          assert.deepStrictEqual(yield* hub.look, [])
          assert.strictEqual(yield* query("SELECT count(*) FROM alarms"), "0")
          assert.isBelow((yield* hub.projection.view).hosts[0]!.lastSeenAgo, 30_000)
        })
      )
      it.effect("a host is silent only after hubs have listened for two minutes, and stays so without them", () =>
        Effect.gen(function* () {
          const { query, url } = yield* begun
          const hub = yield* alarmed(url)
          yield* query("UPDATE logs SET last_seen = clock_timestamp() - interval '5 minutes'")
          assert.deepStrictEqual(yield* hub.take, [], "the hub has begun to listen")
          yield* query(listened(1))
          assert.deepStrictEqual(yield* hub.take, [])
          yield* query(listened(2))
          yield* query("UPDATE listening SET looked = looked - interval '40 seconds'")
          assert.deepStrictEqual(yield* hub.take, [], "no hub looked for a while")
          yield* query(listened(3))
          yield* query("UPDATE listening SET looked = looked - interval '20 seconds'")
          const first = yield* hub.take
          assert.deepStrictEqual(names(first), [["silent", "one", null]])
          yield* hub.told(first)
          yield* query("UPDATE listening SET looked = looked - interval '1 hour'")
          assert.deepStrictEqual(yield* hub.take, [])
          assert.strictEqual(yield* query("SELECT count(*) FROM alarms"), "1", "its silence has no end yet")
        })
      )
      it.effect("a host is away after a goodbye, and is told after an hour where jobs live there", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const hub = yield* alarmed(url)
          const since = (minutes: number) =>
            query(`UPDATE logs SET last_seen = clock_timestamp() - interval '${minutes} minutes'`)
          yield* hub.take
          yield* query(listened(120))
          const mark = yield* store.append("one", log, yield* batchOf(noMark, jobAt(1, { state: "ended" }, "w")))
          const goodbye = Effect.fnUntraced(function* (after: typeof mark) {
            yield* store.append("one", log, { ...(yield* batchOf(after)), away: true })
          })
          yield* goodbye(mark)
          yield* since(300)
          assert.deepStrictEqual(yield* hub.look, [])
          const later = yield* store.append("one", log, yield* batchOf(mark, jobAt(2, { state: "working" }, "w2")))
          yield* goodbye(later)
          yield* since(50)
          assert.deepStrictEqual(yield* hub.look, [])
          assert.isTrue((yield* hub.projection.view).hosts[0]!.away)
          yield* since(70)
          assert.deepStrictEqual(names(yield* hub.look), [["silent", "one", null]])
        })
      )
      it.effect("a job that needs a person is told once as long as it does, and not of a forked log", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const hub = yield* alarmed(url)
          const need = { why: "it is held", next: "souffleur go w" }
          let mark = noMark
          const shipped = Effect.fnUntraced(function* (words: Parameters<typeof jobAt>[1]) {
            const next = yield* batchOf(mark, jobAt(mark.position + 1, words, "w"))
            mark = yield* store.append("one", log, next)
            return yield* hub.look
          })
          assert.deepStrictEqual(yield* shipped({}), [])
          const first = yield* shipped({ state: "needs you", need })
          assert.deepStrictEqual(
            first.map(({ host, job, why }) => [host, job, why]),
            [["one", "w", "it is held"]]
          )
          yield* hub.told(first)
          assert.deepStrictEqual(yield* shipped({ state: "needs you", need }), [])
          const other = yield* shipped({ state: "needs you", need: { ...need, why: "it waits for a person" } })
          assert.deepStrictEqual(
            other.map(({ why }) => why),
            ["it waits for a person"]
          )
          yield* hub.told(other)
          assert.deepStrictEqual(yield* shipped({}), [])
          assert.lengthOf(yield* shipped({ state: "needs you", need }), 1)
          assert.deepStrictEqual(yield* shipped({ state: "ended", need, at: 5 }), [], "it ended long ago")
          assert.lengthOf(yield* shipped({ state: "needs you", need }), 1)
          assert.lengthOf((yield* hub.projection.view).jobs, 1)
          yield* store.fork("one", log)
          yield* hub.take
          assert.strictEqual(yield* query("SELECT count(*) FROM alarms"), "0")
          assert.lengthOf((yield* hub.projection.view).jobs, 0)
        })
      )
      it.effect("hubs of two versions tell one need once, though each has its own words for it", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const one = yield* alarmed(url)
          const need = { why: "it is held", next: "souffleur go w" }
          yield* store.append("one", log, yield* batchOf(noMark, jobAt(1, { state: "needs you", need }, "w")))
          yield* one.told(yield* one.look)
          yield* query("UPDATE alarms SET rules = 'others', why = 'it is held up'")
          for (let looks = 0; looks < 3; looks++) assert.deepStrictEqual(yield* one.look, [])
          assert.strictEqual(yield* query("SELECT why FROM alarms"), "it is held up")
        })
      )
      it.effect("several hubs tell each alarm once between them", () =>
        Effect.gen(function* () {
          const { query, url } = yield* begun
          const hubs = yield* Effect.forEach([1, 2, 3], () => alarmed(url))
          yield* query(
            "INSERT INTO hosts (name, token_digest) SELECT 'h' || n, 'd' || n FROM generate_series(1, 100) AS n"
          )
          yield* query(
            `INSERT INTO logs (log, enrolled_host, host, position, digest, last_seen)
            SELECT gen_random_uuid(), 'h' || n, 'h', 0, '', clock_timestamp() - interval '1 hour' FROM generate_series(1, 100) AS n`
          )
          yield* hubs[0]!.take
          yield* query(listened(5))
          const rounds = yield* Effect.forEach(
            Array.from({ length: 30 }, (_, n) => hubs[n % 3]!),
            ({ take, told }) => Effect.tap(take, told),
            { concurrency: "unbounded" }
          )
          const hosts = rounds.flat().map(({ host }) => host)
          assert.deepStrictEqual([hosts.length, new Set(hosts).size], [100, 100])
        })
      )
    })
})
