import { PgClient } from "@effect/sql-pg"
import { HubStore, layerPostgres } from "@souffleur/hub"
import { Console, Context, Effect, FileSystem, Layer, Redacted, Schedule, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { noPostgres, postgresServer } from "../test/fleet/PostgresServer.ts"
import { child, running, souffleur } from "./Child.ts"
import { enrolled, eventsAfter, loadOn, together } from "./HubLoad.ts"
import { restingWatch } from "./Resting.ts"
import { report, timed } from "./Table.ts"
import { shares, used } from "./Used.ts"

/** Events that a host ships between two beats, those of a batch, and those of the backlog for each host. */
const [news, batch, backlog] = [3, 500, 30]
/** Hosts that come back with the backlog. */
const returning = 20
/** Seconds in which each host speaks once. */
const beat = 10
/**
 * A hub may use so much of a core for 10,000 hosts, and so many MB. It may take so many times the processor of a bare
 * INSERT. A watch may take so many times its processor for a shipper beside it.
 */
const limits = { core: 100, times: 12, megabytes: 350, watch: 1.25 }

const Printed = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))

/** Starts a hub on a database, and waits for its address. */
const hubOn = Effect.fnUntraced(function* (database: Redacted.Redacted, folder: string) {
  const { entry } = yield* souffleur
  const handle = yield* running(process.execPath, [entry, "hub", "serve", "--port", "0", "--json"], folder, {
    HOME: folder,
    SOUFFLEUR_HUB_DATABASE: Redacted.value(database)
  })
  const [line = ""] = yield* handle.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.take(1),
    Stream.runCollect
  )
  const { url } = yield* Schema.decodeEffect(Printed)(line)
  return { pid: Number(handle.pid), url }
})

/** The peer: the rows of the backlog by the same driver, in batches of the same size, and nothing else. */
const bareInserts = Effect.fnUntraced(function* (url: Redacted.Redacted, count: number) {
  const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 4 })), SqlClient.SqlClient)
  yield* sql`CREATE TABLE bare (position bigint PRIMARY KEY, stream text, revision bigint, tag text, version bigint, at bigint, data text)`
  const insert = (n: number) => {
    const events = eventsAfter(n * batch, batch)
    const columns = [0, 1, 2, 3, 4, 5, 6].map((column) => events.map((event) => event[column]))
    return sql.unsafe(
      "INSERT INTO bare SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::text[])",
      columns
    )
  }
  const before = process.cpuUsage()
  const seconds = yield* timed(
    Effect.forEach(
      Array.from({ length: count / batch }, (_, n) => n),
      insert,
      { concurrency: 4, discard: true }
    )
  )
  const { system, user } = process.cpuUsage(before)
  return { seconds, processor: (system + user) / 1e6 }
})

/** Measures a watch at rest beside a shipper, and one alone, at the same time; then they change their places. */
const shipped = Effect.fnUntraced(function* (url: string, tokens: ReadonlyArray<string>, seconds: number) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" }))
  const { entry } = yield* souffleur
  const hosts = yield* Effect.forEach(tokens, (token, n) =>
    Effect.gen(function* () {
      const home = `${folder}/${n}`
      const env = { HOME: home, SOUFFLEUR_STATE_DIR: `${home}/state` }
      yield* fs.makeDirectory(home)
      const { pid } = yield* restingWatch(home, ["--no-guardian"])
      yield* child(process.execPath, [entry, "fleet", "join", url, "--project-dir", home], env, `${token}\n`)
      return { env, home, pid }
    })
  )
  const pids = hosts.map(({ pid }) => pid)
  const beside = ({ env, home }: (typeof hosts)[number]) =>
    Effect.gen(function* () {
      const shipper = yield* running(process.execPath, [entry, "fleet", "ship"], home, env)
      // Its start is over by then.
      yield* Effect.sleep("15 seconds")
      return yield* shares([...pids, Number(shipper.pid)], seconds)
    }).pipe(Effect.scoped)
  const [first, second] = [yield* beside(hosts[0]!), yield* beside(hosts[1]!)]
  return {
    alone: first[1]!.percent + second[0]!.percent,
    beside: first[0]!.percent + second[1]!.percent,
    shipper: { percent: (first[2]!.percent + second[2]!.percent) / 2, megabytes: second[2]!.megabytes }
  }
})

/**
 * Measures a hub with simulated hosts on a real Postgres. They ship news and a backlog, and a watch has a shipper beside
 * it. Processor time is compared, because a busy machine makes all else slow. Returns whether each limit is met.
 */
export const hub = (count: number) =>
  Effect.gen(function* () {
    if (noPostgres !== undefined) {
      yield* Console.log(noPostgres)
      return true
    }
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
    const server = yield* postgresServer
    const { name, url: database } = yield* server.database
    const { pid, url } = yield* hubOn(database, folder)
    const store = Context.get(yield* Layer.build(layerPostgres(database)), HubStore)
    const hosts = yield* enrolled(store, count)
    const load = yield* loadOn(url)
    /** Measures the hub while something is done. */
    const measured = Effect.fnUntraced(function* <E, R>(act: Effect.Effect<unknown, E, R>) {
      const before = yield* used(pid)
      const seconds = yield* timed(act)
      return { seconds, processor: (yield* used(pid)).seconds - before.seconds }
    })
    const folded = Effect.repeat(
      server.query(
        "SELECT count(*) FROM logs LEFT JOIN folds USING (log) WHERE logs.position > coalesce(folds.position, 0)",
        name
      ),
      { schedule: Schedule.spaced("500 millis"), until: (left) => left === "0" }
    )

    yield* together(hosts, load.begin)
    const round = (events: number) => together(hosts, (host) => load.ship(host, events))
    yield* round(news)
    yield* folded
    const beats = yield* measured(round(0))
    const spoken = yield* measured(Effect.andThen(round(news), folded))
    const rest = yield* used(pid)
    const events = backlog * count
    const back = hosts.slice(0, returning)
    const batches = events / batch / returning
    const taken = yield* measured(
      together(back, (host) => Effect.repeat(load.ship(host, batch), { times: batches - 1 }))
    )
    const caughtUp = yield* measured(folded)
    const bare = yield* bareInserts(database, events)
    const after = yield* used(pid)
    const rate = (seconds: number) => (events / seconds).toFixed(0)
    const micros = (seconds: number) => ((seconds / events) * 1e6).toFixed(1)
    const scale = 10_000 / count
    const core = (seconds: number) => ((seconds * scale) / beat) * 100
    const met = [
      yield* report(
        [`a hub with ${count} hosts, by 10,000`, "took s", "% of a core"],
        [
          { cells: [`each beats once in ${beat} s`, beats.seconds.toFixed(1)], measured: core(beats.processor) },
          {
            cells: [`each ships ${news} events in ${beat} s, folded`, spoken.seconds.toFixed(1)],
            measured: core(spoken.processor),
            limit: { atMost: limits.core }
          }
        ]
      ),
      yield* report(
        [`a backlog of ${events} events`, "events/s", "µs of processor", "ratio"],
        [
          { cells: ["bare INSERT by the same driver", rate(bare.seconds), micros(bare.processor)], measured: 1 },
          {
            cells: ["taken by the hub", rate(taken.seconds), micros(taken.processor)],
            measured: taken.processor / bare.processor,
            limit: { atMost: limits.times }
          },
          {
            cells: [
              "… and folded",
              rate(taken.seconds + caughtUp.seconds),
              micros(taken.processor + caughtUp.processor)
            ],
            measured: (taken.processor + caughtUp.processor) / bare.processor
          }
        ]
      ),
      yield* report(
        ["the hub", "MB (PSS)"],
        [
          { cells: ["with all hosts"], measured: rest.megabytes },
          { cells: ["after the backlog"], measured: after.megabytes, limit: { atMost: limits.megabytes } }
        ]
      )
    ]
    const tokens = yield* Effect.forEach(["one", "other"], (host) => Effect.map(store.enrol(host), Redacted.value))
    const paid = yield* shipped(url, tokens, 60)
    met.push(
      yield* report(
        ["what a host pays", "alone", "with a shipper", "ratio"],
        [
          {
            cells: ["its watch, % of a core", paid.alone.toFixed(3), paid.beside.toFixed(3)],
            measured: paid.beside / paid.alone,
            limit: { atMost: limits.watch }
          },
          {
            cells: ["the shipper, % of a core and MB", "", paid.shipper.percent.toFixed(3)],
            measured: paid.shipper.megabytes
          }
        ]
      )
    )
    return !met.includes(false)
  })
