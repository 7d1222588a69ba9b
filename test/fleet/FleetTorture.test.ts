import { assert, describe, it } from "@effect/vitest"
import { firstArrival, type Arrival, HubStore, layerPostgres } from "@souffleur/hub"
import { Context, Effect, Fiber, Layer, Random, Schedule } from "effect"
import { fleetStage, killed, settled } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

/** How many kills one run has. More take longer: FLEET_KILLS=300. */
const kills = Number(process.env["FLEET_KILLS"] ?? 18)
const seed = process.env["FLEET_SEED"] ?? "fleet"

/** The words to a host in turn. Each fits the state in which the one before it leaves a watch. */
const words = ["hold", "go", "retry", "release", "hold", "go", "retry", "done"] as const
/** How many words a watch gets. The last one ends it. */
const lifetime = 4
/** With a ceiling of use a watch that runs can be retried. */
const variables = { SOUFFLEUR_MAX_TOKENS: "1000000" }

describe("fleet#the-hub", () => {
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
          Effect.map(the.joined(name), (host) => ({ host, shipper: host.ship(variables) }))
        )
        const store = Context.get(yield* Layer.build(layerPostgres(database.url)), HubStore)
        const patiently = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, Schedule.spaced("50 millis"))
        const copied = Effect.map(patiently(store.logs), (logs) =>
          logs.reduce((sum, { mark }) => sum + mark.position, 0)
        )
        type Host = (typeof hosts)[number]["host"]
        const written = () => hosts.reduce((sum, { host }) => sum + host.position(), 0)
        const takenOf = (host: Host) => host.rows("night-*").filter(([, , , tag]) => tag === "FleetWordTaken")
        /** Returns the next word to a host, for its watch as it is now. */
        const next = (host: Host) => {
          const taken = takenOf(host).length
          const watch = `night-${Math.floor(taken / lifetime)}`
          const revisions = () => host.rows(watch).length
          if (revisions() === 0) host.open(watch, ...settled)
          return { watch, word: words[taken % words.length]!, seen: revisions() }
        }
        const open = (host: Host) =>
          patiently(
            query(`SELECT count(*) FROM words JOIN logs USING (log)
            WHERE answered IS NULL AND enrolled_host = '${host.name}'`)
          )
        /**
         * Says a word to a watch at the revision that it has now, until the hub has it. Some words have a rival: another
         * word for the same revision. It may be said more than once.
         */
        const said = Effect.fnUntraced(function* (n: number, host: Host, rivals: number) {
          // Its answer makes another revision, for which a second word would not be.
          if ((yield* open(host)) !== "0") return
          const [log, now] = (yield* patiently(
            query(`SELECT log, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            FROM logs WHERE enrolled_host = '${host.name}'`)
          )).split("|")
          const body = JSON.stringify({ log, ...next(host), until: Number(now) + 3_000_000 })
          const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" }
          for (let rival = 0; rival <= rivals; rival++) {
            const id = `2b1f3c9a-4e52-4a3f-9a7${rival}-${String(n).padStart(12, "0")}`
            yield* patiently(
              Effect.tryPromise(async () => {
                const { status } = await fetch(`${the.url}/v1/fleet/words/${id}`, { method: "PUT", headers, body })
                if (status !== 200) throw new Error(`status ${status}`)
              })
            )
          }
        })
        const counts = { shipper: 0, hub: 0, postgres: 0 }
        const round = Effect.fnUntraced(function* (n: number) {
          const one = hosts[n % hosts.length]!
          yield* until(open(one.host), (count) => count === "0")
          const taken = takenOf(one.host).length
          const saying = yield* Effect.forEach(hosts, ({ host }, at) =>
            Effect.flatMap(Random.nextIntBetween(0, 3), (draw) =>
              Effect.forkScoped(said(n * hosts.length + at, host, draw === 0 ? 1 : 0), { startImmediately: true })
            )
          )
          for (const { host } of hosts) host.write(yield* Random.nextIntBetween(20, 900))
          // A kill comes at once, or while a batch or the answer to a word is on its way.
          const moment = yield* Random.nextIntBetween(0, 3)
          if (moment === 1) {
            const before = yield* copied
            // All of it may have come before that look.
            yield* until(copied, (now) => now > before || now === written())
          } else if (moment === 2) {
            yield* Fiber.joinAll(saying)
            const isTaken = Effect.map(open(one.host), (count) => count === "0" || takenOf(one.host).length > taken)
            yield* until(isTaken, (so) => so)
          }
          const draw = yield* Random.nextIntBetween(0, 9)
          if (draw < 4) {
            counts.shipper++
            // The old one lives beside the new one for a moment, as where a service starts twice.
            const old = one.shipper.child
            one.shipper = one.host.ship(variables)
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
          yield* Fiber.joinAll(saying)
        })
        const night = Effect.gen(function* () {
          for (let n = 0; n < kills; n++) yield* round(n)
          yield* until(query("SELECT count(*) FROM words WHERE answered IS NULL"), (count) => count === "0")
          yield* until(copied, (now) => now === written())
        })
        yield* Effect.raceFirst(night, the.lost)
        const had = hosts
          .flatMap(({ host }) => takenOf(host))
          .map((row): { readonly id: string; readonly word: string } => JSON.parse(String(row.at(-1))))
        assert.deepStrictEqual(
          had.map(({ id }) => id).toSorted(),
          (yield* query("SELECT id FROM words WHERE reason IS NULL ORDER BY id")).split("\n"),
          "each word that is told as taken has one effect, and no other word has one"
        )
        const takenAt = "count(*) FILTER (WHERE reason IS NULL)"
        assert.strictEqual(
          yield* query(
            `SELECT log, stream, seen, ${takenAt} FROM words GROUP BY log, stream, seen HAVING ${takenAt} <> 1`
          ),
          "",
          "of the words for one revision one is taken"
        )
        const byWord = Object.fromEntries(words.map((word) => [word, had.filter((one) => one.word === word).length]))
        // Each kill has a word to one of the hosts, and these words come in turn.
        const rounds = hosts.length * Math.floor((kills - 1) / hosts.length / words.length)
        assert.isAtLeast(Math.min(...Object.values(byWord)), rounds, JSON.stringify(byWord))
        const expected = written()
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
          // An older transaction of a hub may hide the rest for a moment.
          const page = yield* until(store.arrivals(at, 1000), ({ length }) => length > 0)
          for (const { event, log } of page) {
            assert.strictEqual(event[0], (seen.get(log) ?? 0) + 1)
            seen.set(log, event[0])
          }
          count += page.length
          at = page.at(-1)!
        }
        assert.deepStrictEqual(yield* store.arrivals(at, 10), [])
        const all = yield* query("SELECT count(*) FROM words")
        yield* Effect.logInfo(
          `${expected} events, kills: ${JSON.stringify(counts)}, ${all} words, of them taken: ${JSON.stringify(byWord)}`
        )
      }).pipe(Random.withSeed(seed)),
    // It ends a run that hangs. A busy machine takes a hundred times as long as a quiet one.
    kills * 120_000
  )
})
