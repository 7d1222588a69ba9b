import { assert, it } from "@effect/vitest"
import { firstArrival, type Arrival, HubStore, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Fiber, Layer, Random, Schedule } from "effect"
import { fleetStage, killed, settled, until } from "./FleetStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

/** How many kills one run has. More take longer: FLEET_KILLS=300. */
const kills = Number(process.env["FLEET_KILLS"] ?? 30)
const seed = process.env["FLEET_SEED"] ?? "fleet"

it.live.skipIf(noPostgres !== undefined)(
  `the hub has each log byte for byte, and each word one effect, after ${kills} kills of shippers, hub and Postgres under load (seed ${seed})`,
  () =>
    Effect.gen(function* () {
      const server = yield* postgresServer
      const database = yield* server.database
      const the = yield* fleetStage(database.url)
      let hub = yield* the.serve
      const query = (sql: string) => server.query(sql, database.name)
      const { out: token } = yield* the.hub(["person", "add", "anna", "--role", "operator"])
      const hosts = yield* Effect.forEach(["one", "two"], (name) =>
        Effect.map(the.joined(name), (host) => ({ host, shipper: host.ship() }))
      )
      const store = Context.get(yield* Layer.build(layerPostgres(database.url)), HubStore)
      const patiently = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, Schedule.spaced("50 millis"))
      const copied = Effect.map(patiently(store.logs), (logs) => logs.reduce((sum, { mark }) => sum + mark.position, 0))
      for (const { host } of hosts) host.open("night", ...settled)
      const nights = (host: (typeof hosts)[number]["host"]) => host.rows().filter(([, stream]) => stream === "night")
      /** Says a word to a watch at the revision that it has now, until the hub has it. It may be said more than once. */
      const said = Effect.fnUntraced(function* (n: number, word: string) {
        const { host } = hosts[n % hosts.length]!
        const open = `SELECT count(*) FROM words JOIN logs USING (log) WHERE answered IS NULL AND enrolled_host = '${host.name}'`
        // Its answer makes another revision, for which a second word would not be.
        if ((yield* query(open)) !== "0") return
        const now = Number(yield* query("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"))
        const log = yield* query(`SELECT log FROM logs WHERE enrolled_host = '${host.name}'`)
        const body = JSON.stringify({ log, watch: "night", word, seen: nights(host).length, until: now + 3_000_000 })
        const id = `2b1f3c9a-4e52-4a3f-9a77-${String(n).padStart(12, "0")}`
        const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" }
        yield* patiently(
          Effect.tryPromise(async () => {
            const answer = await fetch(`${the.url}/v1/fleet/words/${id}`, { method: "PUT", headers, body })
            // 409: too many words wait.
            if (![200, 409].includes(answer.status)) throw new Error(`status ${answer.status}`)
          })
        )
      })
      const counts = { shipper: 0, hub: 0, postgres: 0 }
      for (let n = 0; n < kills; n++) {
        const [, , , , , , last = ""] =
          nights(hosts[n % hosts.length]!.host).findLast(([, , , tag]) => tag === "FleetWordTaken") ?? []
        // Most words count: a hold, then its end.
        const word =
          (yield* Random.nextIntBetween(0, 9)) === 0 ? "retry" : String(last).includes('"hold"') ? "go" : "hold"
        const saying = yield* Effect.forkScoped(said(n, word), { startImmediately: true })
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
        yield* Fiber.join(saying)
      }
      yield* until(query("SELECT count(*) FROM words WHERE answered IS NULL"), (count) => count === "0")
      const had = hosts.flatMap(({ host }) => nights(host).filter(([, , , tag]) => tag === "FleetWordTaken"))
      assert.deepStrictEqual(
        had.map((row) => JSON.parse(String(row.at(-1))).id).toSorted(),
        (yield* query("SELECT id FROM words WHERE reason IS NULL ORDER BY id")).split("\n"),
        "each word that is told as taken has one effect, and no other word has one"
      )
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
      const words = yield* query("SELECT count(*) FROM words")
      yield* Effect.logInfo(
        `${expected} events, ${words} words, ${had.length} of them taken, kills: ${JSON.stringify(counts)}`
      )
    }).pipe(Random.withSeed(seed)),
  3_600_000
)
