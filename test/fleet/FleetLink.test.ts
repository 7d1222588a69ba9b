import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { HubStore, layerPostgres } from "@souffleur/hub"
import { HostHashing } from "@souffleur/node"
import { Context, Effect, Layer } from "effect"
import { authority, noOpenssl } from "../../packages/node/test/Certificates.ts"
import { type Fault, faultyLink } from "./FaultyLink.ts"
import { fleetStage, killed } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

const fleet = Effect.gen(function* () {
  const server = yield* postgresServer
  const { name, url } = yield* server.database
  const query = (sql: string) => server.query(sql, name)
  const store = Context.get(yield* Layer.build(Layer.provide(layerPostgres(url), HostHashing.layer)), HubStore)
  /** The events of the only host at the hub. */
  const copied = Effect.flatMap(store.logs, (logs) => store.events(logs[0]!.log, 0, 1_000_000))
  const position = Effect.map(query("SELECT coalesce(max(position), 0) FROM logs"), Number)
  return { server, name, query, copied, position, the: yield* fleetStage(url) }
})

const ip = (...words: ReadonlyArray<string>) => void execFileSync("ip", words, { stdio: "ignore" })
const space = `souffleur-${process.pid}`
const [outside, inside] = ["10.213.77.1", "10.213.77.2"]
const ends = [`sfa${process.pid}`, `sfb${process.pid}`] as const

const makesSpaces = () => {
  try {
    ip("netns", "add", space)
    ip("netns", "del", space)
    return true
  } catch {
    return false
  }
}
const noSpaces = makesSpaces() ? undefined : "no network namespace can be made here: it needs root, and iproute2"

/** A network with one host, and the way to cut it. */
const network = Effect.acquireRelease(
  Effect.sync(() => {
    ip("netns", "add", space)
    ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
    ip("link", "set", ends[1], "netns", space)
    ip("addr", "add", `${outside}/24`, "dev", ends[0])
    ip("link", "set", ends[0], "up")
    ip("-n", space, "addr", "add", `${inside}/24`, "dev", ends[1])
    ip("-n", space, "link", "set", ends[1], "up")
    return {
      cut: Effect.sync(() => ip("link", "set", ends[0], "down")),
      heal: Effect.sync(() => ip("link", "set", ends[0], "up"))
    }
  }),
  () => Effect.sync(() => ip("netns", "del", space))
)

describe("fleet#the-hub", () => {
  it.live.skipIf(noPostgres !== undefined)(
    "a log comes whole through a link that is slow, cut in answers, half-open and dead, and no command hangs on it",
    () =>
      Effect.gen(function* () {
        const { copied, position, the } = yield* fleet
        yield* the.serve
        const link = yield* faultyLink(Number(new URL(the.url).port))
        const one = the.host("one")
        const { out: token } = yield* the.hub(["enrol", "one"])
        assert.deepInclude(yield* one.ask(["fleet", "join", link.url], token), { code: 0 })
        const shipper = one.ship()
        const told = Effect.sync(() => shipper.said.errors.split("\n").filter((line) => line.includes('"Away"')).length)
        for (const [fault, hits] of [
          ["slow", 20],
          ["cut", 3],
          ["deaf", 2],
          ["dead", 2]
        ] satisfies ReadonlyArray<readonly [Fault, number]>) {
          const before = yield* told
          yield* link.set(fault)
          one.write(700)
          yield* until(link.hits, (count) => count >= hits)
          if (fault === "dead") {
            // It gives the silent hub up, and asks it again.
            yield* until(told, (now) => now > before)
            const status = yield* one.ask(["fleet", "status", "--json"])
            assert.strictEqual(JSON.parse(status.out).problem, "the hub gives no answer: it takes too long")
            const joined = yield* one.ask(["fleet", "join", link.url], token)
            assert.deepStrictEqual([joined.code, joined.errors.includes("it takes too long")], [1, true])
          }
          yield* link.set("none")
          yield* until(position, (now) => now === one.rows().length)
        }
        assert.isNull(shipper.child.exitCode)
        assert.strictEqual(JSON.stringify(yield* copied), JSON.stringify(one.rows()))
      })
  )

  it.live.skipIf(noPostgres !== undefined)(
    "a hub that was restored from an older dump gets from its hosts what the dump lacks, byte for byte",
    () =>
      Effect.gen(function* () {
        const { copied, name, position, server, the } = yield* fleet
        const hub = yield* the.serve
        const one = yield* the.joined("one")
        const shipper = one.ship()
        const shipped = (rows: number) => {
          one.write(rows)
          return until(position, (now) => now === one.rows().length)
        }
        yield* shipped(700)
        const dump = yield* server.dump(name)
        yield* shipped(900)
        yield* killed(hub.child)
        yield* server.query(`DROP DATABASE ${name} WITH (FORCE)`)
        yield* server.query(`CREATE DATABASE ${name}`)
        yield* server.restore(name, dump)
        assert.strictEqual(yield* position, 700)
        // The old one still knows where the hub was, and this one asks.
        one.write(5)
        yield* the.serve
        yield* until(position, (now) => now === one.rows().length)
        yield* shipped(10)
        assert.isNull(shipper.child.exitCode, "it is no fork")
        assert.strictEqual(JSON.stringify(yield* copied), JSON.stringify(one.rows()))
      })
  )
  it.live.skipIf((noPostgres ?? noOpenssl ?? noSpaces) !== undefined)(
    "a host whose network is cut in mid-load is silent once each time, and its hub has all of it after that",
    () =>
      Effect.gen(function* () {
        const { copied, position, query, the } = yield* fleet
        const { cut, heal } = yield* network
        const { ca, certificate } = authority(the.home, outside)
        const { cert, key } = certificate("hub")
        const url = `https://${outside}:${new URL(the.url).port}`
        const heard = join(the.home, "told")
        const write = 'require("node:fs").appendFileSync(process.argv[1], require("node:fs").readFileSync(0))'
        yield* the.serveAs(["--alarms", "--cert", cert, "--key", key, "--url", url], {
          SOUFFLEUR_NOTIFY: `command:${JSON.stringify([process.execPath, "-e", write, heard])}`
        })
        const one = the.host("one", ["ip", "netns", "exec", space])
        const known = { NODE_EXTRA_CA_CERTS: ca }
        const { out: token } = yield* the.hub(["enrol", "one"])
        assert.deepInclude(yield* one.ask(["fleet", "join", url], token, known), { code: 0 })
        one.ship(known)
        for (let episode = 1; episode <= 2; episode++) {
          const before = yield* position
          one.write(3000)
          yield* until(position, (now) => now > before)
          yield* cut
          one.write(500)
          // A beat that was on its way may still arrive.
          const silence = Effect.andThen(
            query("UPDATE logs SET last_seen = clock_timestamp() - interval '5 minutes'"),
            Effect.andThen(
              query("UPDATE listening SET since = since - interval '5 minutes'"),
              query("SELECT count(*) FROM alarms WHERE told IS NOT NULL")
            )
          )
          yield* until(silence, (count) => count === "1")
          assert.lengthOf(fs.readFileSync(heard, "utf8").trimEnd().split("\n"), episode)
          yield* heal
          yield* until(position, (now) => now === one.rows().length)
          yield* until(query("SELECT count(*) FROM alarms"), (count) => count === "0")
        }
        assert.strictEqual(JSON.stringify(yield* copied), JSON.stringify(one.rows()))
      })
  )
})
