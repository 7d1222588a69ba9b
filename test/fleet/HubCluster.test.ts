import { assert, describe, it } from "@effect/vitest"
import { HubProjection, type HubPart, layerInOneHub, layerHubCluster, layerPostgres } from "@souffleur/hub"
import { HostHashing } from "@souffleur/node"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { fleetStage, killed, settled } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

const write = 'require("node:fs").appendFileSync(process.argv[1], require("node:fs").readFileSync(0))'

/** Two hubs on one database. Each may do all parts, and both tell one channel. */
const twoHubs = Effect.gen(function* () {
  const server = yield* postgresServer
  const { name, url } = yield* server.database
  const the = yield* fleetStage(url)
  const told = join(the.home, "told")
  const words = ["--alarms", "--keep", "90d"]
  const channel = { SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", write, told])}` }
  const first = yield* the.serveAs(words, channel)
  const second = yield* the.another(words, channel)
  const query = (sql: string) => server.query(sql, name)
  const owner = query("SELECT string_agg(DISTINCT address, ' ') FROM cluster_locks HAVING count(*) = 2")
  const portOf = (address: string) => Number(address.split(":").at(-1))
  const isOne = (address: string) => /^\S+:\d+$/u.test(address)
  const alive = "last_heartbeat > now() - interval '1 minute'"
  yield* until(query(`SELECT count(*) FROM cluster_runners WHERE ${alive}`), (count) => count === "2")
  yield* the.joined("one")
  return {
    the,
    query,
    server,
    /** The hub that does all parts now, and the other one. */
    parts: Effect.map(until(owner, isOne), (address) => {
      const all = [first.child, second.child]
      return portOf(address) === second.port
        ? { address, by: all[1]!, other: all[0]! }
        : { address, by: all[0]!, other: all[1]! }
    }),
    ownedBy: (so: (address: string) => boolean) => until(owner, (address) => isOne(address) && so(address)),
    /** Makes a hub older than its lock, as a minute of silence does. */
    aged: (address: string) =>
      Effect.all([
        query(
          `UPDATE cluster_runners SET last_heartbeat = last_heartbeat - interval '2 minutes' WHERE address = '${address}'`
        ),
        query(`UPDATE cluster_locks SET acquired_at = acquired_at - interval '2 minutes' WHERE address = '${address}'`)
      ]),
    /** Begins an episode: the host is silent. */
    silent: Effect.andThen(
      query("UPDATE listening SET since = since - interval '5 minutes'"),
      query("UPDATE logs SET last_seen = clock_timestamp() - interval '5 minutes'")
    ),
    heard: Effect.andThen(
      query("UPDATE logs SET last_seen = clock_timestamp()"),
      until(query("SELECT count(*) FROM alarms"), (count) => count === "0")
    ),
    /** Waits until so many notices were told, and returns their kinds. */
    notices: (count: number) =>
      Effect.andThen(
        until(query("SELECT count(*) FROM alarms WHERE told IS NOT NULL"), (marked) => marked === "1"),
        Effect.sync(() => {
          const lines = fs.readFileSync(told, "utf8").trimEnd().split("\n")
          assert.lengthOf(lines, count)
          return lines.map((line) => JSON.parse(line).kind)
        })
      )
  }
})

describe("fleet#several-hubs", () => {
  it.live.skipIf(noPostgres !== undefined)(
    "one of two hubs does all parts, the other goes on where it is frozen or killed, and an episode is told once",
    () =>
      Effect.gen(function* () {
        const { aged, heard, notices, ownedBy, parts, query, silent } = yield* twoHubs
        const before = yield* parts
        yield* until(query("SELECT count(*) FROM cluster_locks"), (count) => count === "2")
        before.by.kill("SIGSTOP")
        yield* aged(before.address)
        yield* ownedBy((address) => address !== before.address)
        yield* silent
        assert.deepStrictEqual(yield* notices(1), ["silent_host"])
        before.by.kill("SIGCONT")
        yield* until(
          query("SELECT count(*) FROM cluster_runners WHERE last_heartbeat > now() - interval '1 minute'"),
          (count) => count === "2"
        )
        yield* heard
        yield* silent
        assert.lengthOf(yield* notices(2), 2)
        const after = yield* parts
        yield* killed(after.by)
        yield* aged(after.address)
        yield* ownedBy((address) => address !== after.address)
        yield* heard
        yield* silent
        assert.lengthOf(yield* notices(3), 3)
      })
  )

  it.live.skipIf(noPostgres !== undefined)(
    "a frozen hub holds up no view, and hubs without alarms neither meet nor listen for those with them",
    () =>
      Effect.gen(function* () {
        const server = yield* postgresServer
        const { name, url } = yield* server.database
        const the = yield* fleetStage(url)
        const frozen = yield* the.another()
        yield* the.serve
        const host = yield* the.joined("one")
        const anna = yield* the.person("anna", "viewer")
        host.ship()
        frozen.child.kill("SIGSTOP")
        host.open("night", ...settled)
        yield* until(
          Effect.map(anna.ask(["status", "--fleet", "--json"]), ({ out }) => JSON.parse(out).jobs),
          (jobs: ReadonlyArray<{ readonly id: string }>) => jobs.some(({ id }) => id === "night")
        )
        assert.strictEqual(yield* server.query("SELECT count(*) FROM listening", name), "0")
        assert.strictEqual(yield* server.query("SELECT to_regclass('cluster_runners') IS NULL", name), "t")
      })
  )

  it.live.skipIf(noPostgres !== undefined)("an outage of Postgres delays the parts of the hubs, and no more", () =>
    Effect.gen(function* () {
      const { heard, notices, parts, server, silent } = yield* twoHubs
      yield* parts
      yield* silent
      yield* notices(1)
      yield* server.kill
      yield* server.start
      yield* heard
      yield* silent
      assert.lengthOf(yield* notices(2), 2)
    })
  )

  it.live.skipIf(noPostgres !== undefined)(
    "a part is at a hub that was asked for it, and hubs of two rules have parts of their own",
    () =>
      Effect.gen(function* () {
        const { query, url } = yield* postgresServer.pipe(
          Effect.flatMap((server) =>
            Effect.map(server.database, ({ name, url }) => ({ url, query: (sql: string) => server.query(sql, name) }))
          )
        )
        const does: Array<string> = []
        /** A hub that begins its parts, and has no more of them. */
        const hub = (port: number, rules: string, parts: ReadonlyArray<HubPart>) =>
          Layer.build(
            Layer.mergeAll(
              Layer.empty,
              ...parts.map((part) =>
                layerInOneHub(
                  part,
                  Effect.sync(() => void does.push(`${port} ${part}`))
                )
              )
            ).pipe(
              Layer.provide(layerHubCluster({ host: "here", port, parts })),
              Layer.provide(Layer.mock(HubProjection)({ rules })),
              Layer.provide(Layer.fresh(layerPostgres(url))),
              Layer.provide(HostHashing.layer)
            )
          )
        yield* hub(1, "old", ["sentinel"])
        yield* hub(2, "new", ["retention"])
        yield* hub(3, "new", ["sentinel"])
        yield* hub(4, "old", ["retention"])
        yield* until(query("SELECT count(*) FROM cluster_locks"), (count) => count === "4")
        yield* until(
          Effect.sync(() => does.length),
          (count) => count === 4
        )
        assert.sameMembers(does, ["1 sentinel", "2 retention", "3 sentinel", "4 retention"])
      })
  )
})
