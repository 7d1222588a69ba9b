import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { noMark } from "@souffleur/fleet"
import { HubProjection, HubRetention, type JobFold, layerPostgres } from "@souffleur/hub"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { caughtUp, foldAt, jobAt } from "./FoldStage.ts"
import { batchOf, begun, log, Server } from "./HubStage.ts"
import { noPostgres } from "./PostgresServer.ts"

/** A hub with these rules. `forget`: removes the events of jobs that ended 90 days ago. */
const hubOf = Effect.fnUntraced(function* (fold: JobFold, url: Parameters<typeof layerPostgres>[0]) {
  const context = yield* Layer.build(
    Layer.provideMerge(
      Layer.merge(HubProjection.layerSql(fold), HubRetention.layerSql(fold)),
      Layer.fresh(layerPostgres(url))
    )
  )
  const hub = Context.get(context, HubProjection)
  return { ...hub, forget: Context.get(context, HubRetention).forget(Duration.days(90)) }
})

/** A log with three jobs: the first ended a hundred days ago, the second lately, and the third lives. */
const filled = Effect.gen(function* () {
  const all = yield* begun
  const now = Number(yield* all.query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
  const day = 86_400_000
  const events = [
    jobAt(1, { state: "working", at: now - 101 * day }, "old"),
    jobAt(2, { state: "working", at: now - 200 * day }, "living"),
    jobAt(3, { state: "ended", at: now - 100 * day }, "old"),
    jobAt(4, { state: "ended", at: now - 80 * day }, "lately")
  ]
  const mark = yield* all.store.append("one", log, yield* batchOf(noMark, ...events))
  const left = Effect.map(all.store.events(log, 0, 100), (found) => found.map(([position]) => position))
  return { ...all, left, mark, now }
})

describe("fleet#retention", () => {
  if (noPostgres !== undefined) it.skip(`the retention of a hub: ${noPostgres}`, () => {})
  else
    it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
      it.effect("the events of a job that ended long ago go, once they are folded, and its log goes on", () =>
        Effect.gen(function* () {
          const { left, mark, now, store, url } = yield* filled
          const hub = yield* hubOf(foldAt("a"), url)
          assert.strictEqual(yield* hub.forget, 0)
          assert.deepStrictEqual(yield* left, [1, 2, 3, 4], "nothing is folded yet")
          yield* caughtUp(hub)
          // This one is not folded yet.
          const later = jobAt(5, { state: "needs you", at: now }, "old")
          const next = yield* store.append("one", log, yield* batchOf(mark, later))
          assert.strictEqual(yield* hub.forget, 1)
          assert.deepStrictEqual(yield* left, [2, 4, 5])
          assert.strictEqual(yield* hub.forget, 0)
          // The chain goes on behind what is gone, and the job with what was kept of it.
          assert.deepInclude(next, (yield* store.look("one", log)).mark)
          yield* caughtUp(hub)
          assert.strictEqual((yield* hub.find({ search: "old", from: 0, atMost: 1 })).jobs[0]?.standing, "1,3,5")
          const again = jobAt(6, { state: "ended", at: now - 8_640_000_000 }, "old")
          yield* store.append("one", log, yield* batchOf(next, again))
          yield* caughtUp(hub)
          assert.strictEqual(yield* hub.forget, 1)
          assert.deepStrictEqual(yield* left, [2, 4])
        })
      )
      it.effect("a removal waits for a fold, and leaves events that are to be folded again", () =>
        Effect.gen(function* () {
          const { left, query, url } = yield* filled
          const hub = yield* hubOf(foldAt("a"), url)
          yield* caughtUp(hub)
          const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)
          const waiting = Effect.repeat(query("SELECT count(*) FROM pg_locks WHERE NOT granted"), {
            until: (count) => count !== "0"
          })
          const fiber = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT 1 FROM projections FOR UPDATE`
              const fiber = yield* Effect.forkScoped(hub.forget)
              yield* Effect.raceFirst(waiting, Fiber.join(fiber))
              assert.deepStrictEqual(yield* left, [1, 2, 3, 4])
              yield* sql`UPDATE folds SET position = 0`
              return fiber
            })
          )
          yield* Fiber.join(fiber)
          assert.deepStrictEqual(yield* left, [1, 2, 3, 4])
          yield* query("UPDATE jobs SET forgotten = false")
          yield* caughtUp(hub)
          assert.strictEqual(yield* hub.forget, 1)
          assert.deepStrictEqual(yield* left, [2, 4])
        })
      )
      it.effect("nothing goes that a hub with other rules may still fold", () =>
        Effect.gen(function* () {
          const { left, query, url } = yield* filled
          const older = yield* hubOf(foldAt("a"), url)
          yield* caughtUp(older)
          const newer = yield* hubOf(foldAt("b"), url)
          yield* newer.pass
          assert.deepStrictEqual([yield* older.forget, yield* newer.forget], [0, 0])
          assert.deepStrictEqual(yield* left, [1, 2, 3, 4])
          yield* query("DELETE FROM projections WHERE rules = 'a'")
          assert.strictEqual(yield* newer.forget, 1)
          assert.deepStrictEqual(yield* left, [2, 4])
        })
      )
      it.effect("several hubs remove events while others fold and hosts ship", () =>
        Effect.gen(function* () {
          const { left, mark, now, store, url } = yield* filled
          const hubs = yield* Effect.forEach([1, 2, 3], () => hubOf(foldAt("a"), url))
          const gone = now - 8_640_000_000
          let after = mark
          const ships = Effect.gen(function* () {
            for (let n = 0; n < 20; n++) {
              const old = Array.from({ length: 40 }, (_, each) =>
                jobAt(after.position + each + 1, { state: "ended", at: gone }, `o${n}-${each % 8}`)
              )
              after = yield* store.append("one", log, yield* batchOf(after, ...old))
            }
          })
          const works = Effect.forEach(
            hubs,
            ({ forget, pass }) => Effect.repeat(Effect.andThen(pass, forget), { times: 30 }),
            { concurrency: "unbounded" }
          )
          yield* Effect.all([ships, works], { concurrency: 2 })
          yield* caughtUp(hubs[0]!)
          yield* Effect.repeat(hubs[0]!.forget, { until: (jobs) => jobs === 0 })
          assert.deepStrictEqual(yield* left, [2, 4])
          const { jobs } = yield* hubs[0]!.find({ search: "", from: 0, atMost: 10 })
          assert.deepStrictEqual(
            jobs.map(({ id }) => id),
            ["living"]
          )
          assert.strictEqual((yield* store.look("one", log)).mark.position, 804)
        })
      )
    })
})
