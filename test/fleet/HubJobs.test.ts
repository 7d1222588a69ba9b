import { assert, describe, it } from "@effect/vitest"
import type { FleetEvent } from "@souffleur/fleet"
import { HubJobs, HubProjection, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer, Option } from "effect"
import { caughtUp, foldAt } from "./FoldStage.ts"
import { batchOf, begun, eventAt, log, other, Server } from "./HubStage.ts"
import { noPostgres } from "./PostgresServer.ts"

/** The events of two jobs in turn. */
const two = (count: number, data = "{}"): ReadonlyArray<FleetEvent> =>
  Array.from({ length: count }, (_, n) => {
    const [position, , , tag, version, at] = eventAt(n + 1)
    return [position, n % 2 === 0 ? "app-1" : "app-2", Math.floor(n / 2) + 1, tag, version, at, data] as const
  })

/** A hub that has folded these events of a host. */
const having = Effect.fnUntraced(function* (events: ReadonlyArray<FleetEvent>) {
  const all = yield* begun
  const layer = Layer.merge(HubJobs.layerSql(foldAt("1")), HubProjection.layerSql(foldAt("1")))
  const context = yield* Layer.build(Layer.provide(layer, Layer.fresh(layerPostgres(all.url))))
  const ship = Effect.fnUntraced(function* (more: ReadonlyArray<FleetEvent>) {
    const { mark } = yield* all.store.look("one", log)
    yield* all.store.append("one", log, yield* batchOf(mark, ...more))
  })
  yield* ship(events)
  yield* caughtUp(Context.get(context, HubProjection))
  return { ...all, ship, jobs: Context.get(context, HubJobs) }
})

describe("fleet#page", () => {
  if (noPostgres !== undefined) it.skip(`the jobs of a hub: ${noPostgres}`, () => {})
  else
    it.layer(Server.layer, { timeout: 300_000, excludeTestServices: true })((it) => {
      it.effect("a job has its own events as its host has them, from one revision to another", () =>
        Effect.gen(function* () {
          const events = two(12)
          const { jobs, query, ship } = yield* having(events)
          const own = events.filter(([, stream]) => stream === "app-2")
          const all = { after: 0, upTo: Number.MAX_SAFE_INTEGER, behind: 0 }
          assert.deepStrictEqual(yield* jobs.events(log, "app-2", all), own)
          for (const behind of [0, own[1]![0]])
            assert.deepStrictEqual(yield* jobs.events(log, "app-2", { after: 2, upTo: 4, behind }), own.slice(2, 4))
          assert.deepStrictEqual(yield* jobs.events(log, "app-2", { ...all, behind: own[3]![0] }), own.slice(4))
          // An event that is not folded yet would contradict the state beside it.
          yield* ship(two(14).slice(12))
          assert.deepStrictEqual(yield* jobs.events(log, "app-2", all), own)
          for (const [of, stream] of [
            [log, "app-3"],
            [other, "app-2"]
          ] as const)
            assert.deepStrictEqual(yield* jobs.events(of, stream, all), [])
          yield* query("DELETE FROM events WHERE stream = 'app-2' AND revision = 3")
          assert.deepStrictEqual(yield* jobs.events(log, "app-2", { after: 2, upTo: 4, behind: 0 }), own.slice(3, 4))
        })
      )
      it.effect("one read takes data up to its bound, and events beyond it have none", () =>
        Effect.gen(function* () {
          const { jobs } = yield* having(Array.from({ length: 30 }, (_, n) => eventAt(n + 1, "x".repeat(190_000))))
          const lengths = Effect.fnUntraced(function* (after: number) {
            return (yield* jobs.events(log, "app-1", { after, upTo: 1000, behind: 0 })).map((event) => event[6].length)
          })
          const [room, all] = [Math.floor(4_000_000 / 190_000), Array.from({ length: 30 }, () => 190_000)]
          assert.deepStrictEqual(yield* lengths(0), all.fill(0, room))
          assert.deepStrictEqual(yield* lengths(room), all.slice(room).fill(190_000))
        })
      )
      it.effect(
        "a job is found with its host, and none of a forked log, of a revoked host, or without its events",
        () =>
          Effect.gen(function* () {
            const { jobs, query, store } = yield* having(two(4))
            const found = Option.getOrThrow(yield* jobs.job(log, "app-1"))
            assert.deepInclude(found, { host: "one", id: "app-1", log, takesWords: true })
            assert.isTrue(Option.isNone(yield* jobs.job(log, "app-3")))
            const gone = Effect.map(jobs.job(log, "app-1"), Option.isNone)
            assert.isFalse(yield* gone)
            yield* query("UPDATE jobs SET forgotten = true")
            assert.isTrue(yield* gone)
            yield* query("UPDATE jobs SET forgotten = false; UPDATE logs SET forked = true")
            assert.isTrue(yield* gone)
            yield* query("UPDATE logs SET forked = false")
            assert.isFalse(yield* gone)
            yield* store.revoke("one")
            assert.isTrue(yield* gone)
          })
      )
    })
})
