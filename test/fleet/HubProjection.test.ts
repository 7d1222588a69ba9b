import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type FleetEvent, FleetView, noMark, troubleOf } from "@souffleur/fleet"
import { HubProjection, type JobFold, layerPostgres } from "@souffleur/hub"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { caughtUp, foldAt, jobAt } from "./FoldStage.ts"
import { batchOf, begun, eventAt, log, other, Server, who } from "./HubStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

const projected = Effect.fnUntraced(function* (fold: JobFold, url: Parameters<typeof layerPostgres>[0]) {
  const layer = Layer.provide(HubProjection.layerSql(fold), Layer.fresh(layerPostgres(url)))
  return Context.get(yield* Layer.build(layer), HubProjection)
})

if (noPostgres !== undefined) it.skip(`the projection of a hub: ${noPostgres}`, () => {})
else
  it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
    describe("fleet#view", () => {
      it.effect("the events of each stream are folded once and in order, by several hubs at once", () =>
        Effect.gen(function* () {
          const { store, url } = yield* begun
          yield* store.begin("one", other, who)
          let marks = [noMark, noMark]
          const folded: Array<number> = []
          const hubs = yield* Effect.forEach([1, 2, 3], () => projected(foldAt("a", folded), url))
          for (let round = 0; round < 10; round++) {
            const events = Array.from({ length: 100 }, (_, n) => eventAt(100 * round + n + 1))
            for (const [n, name] of [log, other].entries())
              marks = marks.with(n, yield* store.append("one", name, yield* batchOf(marks[n]!, ...events)))
            yield* Effect.forEach(hubs, ({ pass }) => pass, { concurrency: "unbounded" })
          }
          yield* Effect.forEach(hubs, caughtUp, { concurrency: "unbounded" })
          const { hosts, jobs, more } = yield* hubs[0]!.view
          const all = Array.from({ length: 1000 }, (_, n) => n + 1).join()
          assert.deepStrictEqual(
            jobs.map(({ standing }) => standing),
            [all, all]
          )
          assert.lengthOf(folded, 2000)
          assert.deepStrictEqual([hosts.length, more], [2, 0])
          // Other rules begin with the first event, beside these.
          const newer = yield* projected(foldAt("b"), url)
          assert.lengthOf((yield* newer.view).jobs, 0)
          yield* caughtUp(newer)
          assert.strictEqual((yield* newer.view).jobs[0]?.standing, all)
          assert.lengthOf(folded, 2000)
        })
      )
      it.effect("a fold that dies with its hub is done again by the next one", () =>
        Effect.gen(function* () {
          const { store, url } = yield* begun
          yield* store.append("one", log, yield* batchOf(noMark, eventAt(1), eventAt(2)))
          const folds = foldAt("a")
          const dying = yield* Deferred.make<Fiber.Fiber<number, unknown>>()
          const killed: JobFold = {
            ...folds,
            fold: (...of) => {
              Effect.runSync(Deferred.await(dying)).interruptUnsafe()
              return folds.fold(...of)
            }
          }
          const hub = yield* projected(killed, url)
          const fiber = yield* Effect.forkChild(hub.pass)
          yield* Deferred.succeed(dying, fiber)
          assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
          const next = yield* projected(folds, url)
          yield* caughtUp(next)
          assert.strictEqual((yield* next.view).jobs[0]?.standing, "1,2")
        })
      )
      it.effect("an event of a transaction that commits late is folded too", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          yield* store.begin("one", other, who)
          const hub = yield* projected(foldAt("a"), url)
          const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), SqlClient.SqlClient)
          const put = (name: string) =>
            `WITH moved AS (UPDATE logs SET position = 1 WHERE log = '${name}') INSERT INTO events (log, position, stream, revision, tag, version, at, data) VALUES ('${name}', 1, 'a', 1, 'X', 1, 0, '{}')`
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(put(log), [])
              yield* query(put(other))
              assert.strictEqual(yield* hub.pass, 1)
            })
          )
          assert.strictEqual(yield* hub.pass, 1)
        })
      )
      it.effect("times of 1970 and of today, and of no size, are folded together", () =>
        Effect.gen(function* () {
          const { store, url } = yield* begun
          const hub = yield* projected(foldAt("a"), url)
          const at = [1000, 1_790_000_000_000, 0, -5, 2 ** 31, Number.MAX_SAFE_INTEGER]
          const events = at.map((time, n): FleetEvent => jobAt(n + 1, { at: time }).with(5, Math.max(0, time)) as never)
          yield* store.append("one", log, yield* batchOf(noMark, ...events))
          assert.strictEqual(yield* hub.pass, at.length)
          assert.sameMembers(
            (yield* hub.view).jobs.map((job) => job.at),
            at
          )
        })
      )
      it.effect(
        "a stream that cannot be folded is told as that, and holds up neither its neighbours nor its host",
        () =>
          Effect.gen(function* () {
            const { store, url } = yield* begun
            yield* store.enrol("two")
            yield* store.begin("two", other, who)
            const folds = foldAt("a")
            const tried: Array<string> = []
            const hub = yield* projected(
              {
                ...folds,
                fold: (stream, before, events) => {
                  tried.push(stream)
                  if (before === JSON.stringify("lost")) return folds.lost(events[0]!)
                  if (stream === "bad") throw new Error("a fold that throws")
                  const of = folds.fold(stream, before, events)
                  // The database takes no such time.
                  return stream === "worse" ? { ...of, job: { ...of.job, at: 0.5 } } : of
                }
              },
              url
            )
            const streams = ["w1", "bad", "w1", "worse", "w2", "bad", "worse", "w2"]
            const mark = yield* store.append(
              "one",
              log,
              yield* batchOf(noMark, ...streams.map((name, n) => jobAt(n + 1, {}, name)))
            )
            yield* store.append("two", other, yield* batchOf(noMark, jobAt(1, {}, "healthy")))
            yield* hub.pass
            assert.include(
              (yield* hub.view).jobs.map(({ id }) => id),
              "healthy",
              "by the first pass"
            )
            yield* caughtUp(hub)
            const shown = Object.fromEntries((yield* hub.view).jobs.map(({ id, standing }) => [id, standing]))
            assert.deepStrictEqual(shown, { w1: "1,3", w2: "5,8", bad: "lost at 6", worse: "lost at 7", healthy: "1" })
            tried.length = 0
            yield* store.append("one", log, yield* batchOf(mark, jobAt(9, {}, "bad"), jobAt(10, {}, "w1")))
            yield* caughtUp(hub)
            assert.deepStrictEqual(tried, ["bad", "w1"], "nothing is tried twice")
            // Other rules begin with the first event, and may understand it.
            const newer = yield* projected(foldAt("b"), url)
            yield* caughtUp(newer)
            assert.include(
              (yield* newer.view).jobs.map(({ standing }) => standing),
              "2,6,9"
            )
          })
      )
      it.effect("a host has its share of each pass, whatever another ships, and the view says who is behind", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          yield* store.enrol("two")
          yield* store.begin("two", other, who)
          const hub = yield* projected(foldAt("a"), url)
          const flood = Array.from({ length: 500 }, (_, n) => jobAt(n + 1, {}, `w${n % 7}`))
          yield* store.append("one", log, yield* batchOf(noMark, ...flood))
          yield* store.append("two", other, yield* batchOf(noMark, jobAt(1, {}, "healthy")))
          yield* query("UPDATE events SET arrived = arrived - interval '1 minute'")
          yield* hub.pass
          const { hosts, jobs } = yield* hub.view
          assert.include(
            jobs.map(({ id }) => id),
            "healthy"
          )
          const behind = Object.fromEntries(hosts.map((host) => [host.name, troubleOf(host)]))
          assert.isUndefined(behind["two"])
          assert.match(behind["one"] ?? "", /^shown as 1 m(?: \d+ s)? ago$/u)
          yield* caughtUp(hub)
          assert.deepStrictEqual((yield* hub.view).hosts.map(troubleOf), [undefined, undefined])
        })
      )
      it.effect("a view has the need of a person first, what ended within a day, and a thousand jobs at most", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const now = Number(yield* query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
          const events = [
            jobAt(1, { state: "working", at: now - 1000 }),
            jobAt(2, { state: "ended", at: now - 3_600_000 }),
            jobAt(3, { state: "ended", at: now - 90_000_000 }),
            jobAt(4, { state: "needs you", at: now - 90_000_000 }),
            jobAt(5, { state: "recovering", at: now - 2000 }),
            jobAt(6, { state: "working", at: now })
          ]
          let mark = yield* store.append("one", log, yield* batchOf(noMark, ...events))
          const hub = yield* projected(foldAt("a"), url)
          yield* caughtUp(hub)
          const { jobs } = yield* hub.view
          assert.deepStrictEqual(
            jobs.map(({ id }) => id),
            ["w4", "w5", "w6", "w1", "w2"]
          )
          for (let batch = 0; batch < 3; batch++) {
            const more = Array.from({ length: 400 }, (_, n) => jobAt(400 * batch + n + 7, {}))
            mark = yield* store.append("one", log, yield* batchOf(mark, ...more))
          }
          yield* caughtUp(hub)
          const many = yield* hub.view
          assert.deepStrictEqual([many.jobs.length, many.more], [1000, 205])
          assert.strictEqual(many.jobs[0]?.id, "w4")
          assert.sameDeepMembers(
            [...(yield* hub.counts)],
            [
              { log, state: "needs you", count: 1 },
              { log, state: "recovering", count: 1 },
              { log, state: "working", count: 1202 },
              { log, state: "ended", count: 1 }
            ]
          )
        })
      )
      it.effect("a view has the logs that spoke last, where there are more than it takes", () =>
        Effect.gen(function* () {
          const { query, url } = yield* begun
          const hub = yield* projected(foldAt("a"), url)
          yield* query(
            "INSERT INTO logs (log, enrolled_host, host, position, digest, last_seen) SELECT gen_random_uuid(), 'one', 'h', 0, repeat('0', 64), clock_timestamp() - interval '1 day' FROM generate_series(1, 10000)"
          )
          const view = yield* hub.view
          assert.isTrue(Schema.is(FleetView)(view))
          assert.isTrue(view.hosts.some((one) => one.log === log))
        })
      )
      it.effect("a pass ends where it has read much, of events and of jobs, and the next one goes on", () =>
        Effect.gen(function* () {
          const { store, url } = yield* begun
          const heavy = foldAt("a")
          const hub = yield* projected(
            {
              ...heavy,
              fold: (stream, before, events) => {
                const { folded, job } = heavy.fold(stream, before?.trim(), events)
                return { job, folded: folded.padEnd(stream === "w1" ? 5_000_000 : 1_500_000) }
              }
            },
            url
          )
          const small = [1, 2, 3, 4, 5].map((position) => jobAt(position, {}))
          let mark = yield* store.append("one", log, yield* batchOf(noMark, ...small))
          assert.strictEqual(yield* hub.pass, 5, "nothing is kept of them yet")
          const again = [jobAt(6, {}, "w1"), ...[2, 3, 4, 5, 5, 5].map((n, at) => jobAt(7 + at, {}, `w${n}`))]
          mark = yield* store.append("one", log, yield* batchOf(mark, ...again))
          const passes = [yield* hub.pass, yield* hub.pass, yield* hub.pass]
          assert.deepStrictEqual(passes, [1, 2, 4], "one at least; a job counts once")
          const large = Array.from({ length: 25 }, (_, n): FleetEvent => {
            const [position, , ...rest] = eventAt(13 + n, "x".repeat(190_000))
            return [position, `l${n}`, ...rest]
          })
          for (const from of [0, 5, 10, 15, 20])
            mark = yield* store.append("one", log, yield* batchOf(mark, ...large.slice(from, from + 5)))
          assert.deepStrictEqual([yield* hub.pass, yield* hub.pass, yield* hub.pass], [21, 4, 0])
          assert.strictEqual((yield* hub.view).jobs.length, 30)
        })
      )
      it.effect("a stream without a name that an address has is left out, and a too large event is not read", () =>
        Effect.gen(function* () {
          const { store, url } = yield* begun
          const events = [
            jobAt(1, {}, "é".repeat(1000)),
            jobAt(2, { standing: "x".repeat(300_000) }),
            jobAt(3, {}, "w".repeat(200)),
            ...["w\u001B[2J", "w\u202Ex", "..", "run/"].map((name, n) => jobAt(4 + n, {}, name))
          ]
          yield* store.append("one", log, yield* batchOf(noMark, ...events))
          const hub = yield* projected(foldAt("a"), url)
          yield* caughtUp(hub)
          const { jobs } = yield* hub.view
          assert.deepStrictEqual(jobs.map(({ standing }) => standing).toSorted(), ["0", "3"])
        })
      )
      it.effect("the view of a restored dump is made of the dump, and of what comes after it", () =>
        Effect.gen(function* () {
          const server = yield* Server
          const { name, store, url } = yield* begun
          const mark = yield* store.append("one", log, yield* batchOf(noMark, eventAt(1)))
          const before = yield* projected(foldAt("a"), url)
          yield* caughtUp(before)
          const restored = yield* postgresServer
          const there = yield* restored.database
          yield* restored.restore(there.name, yield* server.dump(name))
          const after = yield* projected(foldAt("a"), there.url)
          const again = Context.get(yield* Layer.build(Layer.fresh(layerPostgres(there.url))), SqlClient.SqlClient)
          assert.lengthOf((yield* after.view).jobs, 1)
          assert.strictEqual(mark.position, 1)
          yield* again.unsafe(
            `WITH moved AS (UPDATE logs SET position = 2) INSERT INTO events (log, position, stream, revision, tag, version, at, data) VALUES ('${log}', 2, 'app-1', 2, 'X', 1, 0, '{}')`,
            []
          )
          yield* caughtUp(after)
          assert.strictEqual((yield* after.view).jobs[0]?.standing, "1,2")
        })
      )
    })

    describe("fleet#page", () => {
      it.effect("a search finds jobs by host, name and folder, part by part, and as last known of a silent host", () =>
        Effect.gen(function* () {
          const { query, store, url } = yield* begun
          const named = Array.from({ length: 7 }, (_, n) => jobAt(n + 1, { id: `Opera-${n}`, project: "/srv/100%/x" }))
          yield* store.append(
            "one",
            log,
            yield* batchOf(noMark, ...named, jobAt(8, { id: "ballet", state: "needs you" }))
          )
          const hub = yield* projected(foldAt("a"), url)
          yield* caughtUp(hub)
          const find = (search: string, from = 0, atMost = 50) =>
            Effect.map(hub.find({ search, from, atMost }), ({ found, jobs }) => [found, ...jobs.map(({ id }) => id)])
          const all = named.map((_, n) => `Opera-${n}`)
          assert.deepStrictEqual(yield* find(""), [8, "ballet", ...all])
          assert.deepStrictEqual(yield* find("", 3, 2), [8, "Opera-2", "Opera-3"])
          assert.deepStrictEqual(yield* find("OPERA-3  one"), [1, "Opera-3"])
          assert.deepStrictEqual(yield* find("100% -4"), [1, "Opera-4"])
          for (const none of ["opera ballet", "ballet %", "100_", "two"])
            assert.deepStrictEqual(yield* find(none), [0], none)
          yield* query("UPDATE logs SET last_seen = last_seen - interval '5 minutes'")
          const { jobs } = yield* hub.find({ search: "ballet", from: 0, atMost: 1 })
          assert.strictEqual(jobs[0]?.host, "one")
          assert.isAbove(jobs[0]!.lastSeenAgo, 299_000)
          // Postgres takes no such character, and a job shows it in other words.
          assert.deepStrictEqual(yield* find("\u0000"), [0])
        })
      )
    })
  })
