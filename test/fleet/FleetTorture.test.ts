import { assert, it } from "@effect/vitest"
import { firstArrival, type Arrival, HubStore, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Layer, Random, Schedule } from "effect"
import { fleetStage, killed, until } from "./FleetStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

/** How many kills one run has. More take longer: FLEET_KILLS=300. */
const kills = Number(process.env["FLEET_KILLS"] ?? 30)
const seed = process.env["FLEET_SEED"] ?? "fleet"

it.live.skipIf(noPostgres !== undefined)(
  `the hub has each log byte for byte after ${kills} kills of shippers, hub and Postgres under load (seed ${seed})`,
  () =>
    Effect.gen(function* () {
      const server = yield* postgresServer
      const database = yield* server.database
      const the = yield* fleetStage(database.url)
      let hub = yield* the.serve
      const hosts = yield* Effect.forEach(["one", "two"], (name) =>
        Effect.map(the.joined(name), (host) => ({ host, shipper: host.ship() }))
      )
      const store = Context.get(yield* Layer.build(layerPostgres(database.url)), HubStore)
      const patiently = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, Schedule.spaced("50 millis"))
      const copied = Effect.map(patiently(store.logs), (logs) => logs.reduce((sum, { mark }) => sum + mark.position, 0))
      const counts = { shipper: 0, hub: 0, postgres: 0 }
      for (let n = 0; n < kills; n++) {
        for (const { host } of hosts) host.write(yield* Random.nextIntBetween(20, 900))
        // Half of the kills hit a batch on its way, at a place that the draw decides.
        if (yield* Random.nextBoolean) {
          const before = yield* copied
          yield* until(copied, (now) => now > before)
        }
        const draw = yield* Random.nextIntBetween(0, 9)
        if (draw < 4) {
          const one = hosts[n % hosts.length]!
          counts.shipper++
          // The old one lives beside the new one for a moment, as where a service starts twice.
          const old = one.shipper.child
          one.shipper = one.host.ship()
          yield* killed(old)
        } else if (draw < 7) {
          counts.hub++
          yield* killed(hub.child)
          hub = yield* the.serve
        } else {
          counts.postgres++
          yield* server.kill
          for (const { host } of hosts) host.write(50)
          yield* server.start
        }
      }
      const expected = hosts.reduce((sum, { host }) => sum + host.rows().length, 0)
      yield* until(copied, (now) => now === expected)
      assert.isAbove(Math.min(...Object.values(counts)), 0, JSON.stringify(counts))
      const logs = yield* store.logs
      for (const { host } of hosts) {
        const rows = host.rows()
        const log = logs.find(({ mark, enrolledHost }) => enrolledHost === host.name && mark.position === rows.length)
        assert.isDefined(log)
        const there = yield* store.events(log!.log, 0, rows.length + 1)
        assert.strictEqual(JSON.stringify(there), JSON.stringify(rows), "none lost, none doubled, byte for byte")
      }
      // A reader of all logs sees each event once, and those of one log in their order.
      const seen = new Map<string, number>()
      let at: Arrival = firstArrival
      for (let count = 0; count < expected;) {
        const page = yield* store.arrivals(at, 1000)
        assert.isNotEmpty(page)
        for (const { event, log } of page) {
          assert.strictEqual(event[0], (seen.get(log) ?? 0) + 1)
          seen.set(log, event[0])
        }
        count += page.length
        at = page.at(-1)!
      }
      assert.deepStrictEqual(yield* store.arrivals(at, 10), [])
      yield* Effect.logInfo(`${expected} events, kills: ${JSON.stringify(counts)}`)
    }).pipe(Random.withSeed(seed)),
  3_600_000
)
