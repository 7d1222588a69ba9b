import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { StateWord } from "@souffleur/domain"
import * as fs from "node:fs"
import { join } from "node:path"
import { fleetStage, killed } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

const fleet = Effect.gen(function* () {
  const server = yield* postgresServer
  const { name, url } = yield* server.database
  return { server, database: name, the: yield* fleetStage(url) }
})

/** How the hub has the log of a host, as `fleet status` tells. */
const statusOf = (host: { readonly ask: (args: ReadonlyArray<string>) => Effect.Effect<{ readonly out: string }> }) =>
  Effect.map(host.ask(["fleet", "status", "--json"]), ({ out }) => JSON.parse(out))

describe("command-line#fleet", () => {
  it.live.skipIf(noPostgres !== undefined)("a host is enrolled, joins, ships its log, is told of, and is revoked", () =>
    Effect.gen(function* () {
      const { database, server, the } = yield* fleet
      yield* the.serve
      const one = the.host("one")
      const enrolled = yield* the.hub(["enrol", "one"])
      assert.match(enrolled.out, /^[0-9a-f]{64}\n$/u)
      assert.strictEqual((yield* the.hub(["enrol", "one"])).code, 1)
      const join1 = ["fleet", "join", the.url]
      assert.strictEqual((yield* one.ask(join1, "no token\n")).code, 2)
      const wrong = yield* one.ask(join1, `${"0".repeat(64)}\n`)
      assert.deepStrictEqual([wrong.code, wrong.errors.includes("does not know this token")], [1, true])
      assert.deepInclude(yield* one.ask(join1, enrolled.out, { CLAUDECODE: "1" }), { code: 2 })
      assert.deepInclude(yield* one.ask(["fleet", "join", "http://hub.example"], enrolled.out), { code: 2 })
      assert.isFalse(fs.existsSync(join(one.folder, "state", "fleet.json")))
      const joined = yield* one.ask(join1, enrolled.out)
      assert.deepStrictEqual([joined.code, joined.out.includes("This host is one, and belongs to")], [0, true])
      assert.strictEqual(fs.statSync(join(one.folder, "state", "fleet.json")).mode & 0o777, 0o600)
      one.write(1234)
      assert.deepInclude(yield* statusOf(one), { problem: null, position: 0, behind: 1000 })
      const shipper = one.ship()
      assert.deepInclude(yield* until(statusOf(one), ({ behind }) => behind === 0), { name: "one", silent: false })
      const [told] = JSON.parse((yield* the.hub(["hosts", "--json"])).out)
      assert.deepInclude(told, { name: "one", position: 1234, forked: false, revoked: false, silent: false })
      assert.deepInclude(yield* the.hub(["revoke", "one"]), { code: 0 })
      one.write(1)
      assert.strictEqual(yield* shipper.code, 1)
      assert.include(shipper.said.errors, "does not know this token, or has revoked it")
      assert.include((yield* the.hub(["hosts"])).out, "revoked")
      yield* server.query("UPDATE logs SET last_seen = last_seen - interval '1 minute'", database)
      assert.match((yield* the.hub(["hosts"])).out, /^one  \S+  \S+  position 1234  .+ ago  silent  revoked$/mu)
      assert.deepInclude(yield* one.ask(["fleet", "leave"]), { code: 0 })
      assert.deepInclude(yield* one.ask(["fleet", "status"]), { code: 2 })
    })
  )
  it.live.skipIf(noPostgres !== undefined)(
    "a copied state folder is a fork: both are refused, and a new name brings the copy into the fleet",
    () =>
      Effect.gen(function* () {
        const { the } = yield* fleet
        yield* the.serve
        const one = yield* the.joined("one")
        one.write(50)
        const shipper = one.ship()
        yield* until(statusOf(one), ({ behind }) => behind === 0)
        const copy = the.host("copy")
        fs.cpSync(join(one.folder, "state"), join(copy.folder, "state"), { recursive: true })
        one.write(1)
        yield* until(statusOf(one), ({ behind }) => behind === 0)
        copy.write(2)
        const forked = copy.ship()
        assert.strictEqual(yield* forked.code, 3)
        assert.include(forked.said.errors, "souffleur fleet rename")
        one.write(1)
        assert.strictEqual(yield* shipper.code, 3)
        assert.deepInclude(yield* copy.ask(["fleet", "rename"]), { code: 0 })
        const renamed = copy.ship()
        yield* until(statusOf(copy), ({ behind, problem }) => behind === 0 && problem === null)
        yield* killed(renamed.child)
        // The original has the way on too.
        assert.deepInclude(yield* statusOf(one), { problem: "another log has this name there" })
        assert.deepInclude(yield* one.ask(["fleet", "rename"]), { code: 0 })
        one.ship()
        yield* until(statusOf(one), ({ behind, problem }) => behind === 0 && problem === null)
      })
  )
})

describe("fleet#a-host", () => {
  it.live.skipIf(noPostgres !== undefined)("a shipper waits for a log that is not there yet, and then ships it", () =>
    Effect.gen(function* () {
      const { the } = yield* fleet
      yield* the.serve
      const one = yield* the.joined("one")
      one.write(5)
      const file = join(one.folder, "state", "souffleur.db")
      fs.renameSync(file, `${file}.away`)
      const { code, errors } = yield* one.ask(["fleet", "status"])
      assert.deepStrictEqual(
        [code, errors.includes("it is not there"), errors.includes("quarantine")],
        [4, true, false]
      )
      const shipper = one.ship()
      yield* until(
        Effect.sync(() => shipper.said.errors),
        (said) => said.includes("\n")
      )
      assert.deepStrictEqual(JSON.parse(shipper.said.errors), { _tag: "NoLog", path: file })
      assert.isNull(shipper.child.exitCode)
      fs.renameSync(`${file}.away`, file)
      yield* until(statusOf(one), ({ behind }) => behind === 0)
      assert.include(shipper.said.errors, "Begun")
      // A host of no fleet does not wait.
      assert.deepInclude(yield* the.host("two").ask(["fleet", "ship"]), { code: 2 })
    })
  )
})

describe("fleet#view", () => {
  it.live.skipIf(noPostgres !== undefined)(
    "status --fleet shows the watches of all hosts, and a silent host's as last known",
    () =>
      Effect.gen(function* () {
        const { database, server, the } = yield* fleet
        yield* the.serve
        const [one, two] = [yield* the.joined("one"), yield* the.joined("two")]
        const anna = yield* the.person("anna", "viewer")
        one.open("night")
        two.open("day")
        const shippers = [one.ship(), two.ship()]
        const shown = Effect.map(anna.ask(["status", "--fleet", "--json"]), ({ out }) => JSON.parse(out))
        const both = yield* until(shown, ({ jobs }) => jobs.length === 2)
        assert.sameDeepMembers(
          both.jobs.map(({ id, project, state }: Record<string, unknown>) => [id, project, state]),
          [
            ["night", "/p/night", "needs you"],
            ["day", "/p/day", "needs you"]
          ]
        )
        assert.deepStrictEqual(
          both.hosts.map(({ name, silent }: Record<string, unknown>) => [name, silent]),
          [
            ["one", false],
            ["two", false]
          ]
        )
        for (const shipper of shippers) yield* killed(shipper.child)
        // The hub may still have a last beat of each in its hand.
        const silence = server.query("UPDATE logs SET last_seen = clock_timestamp() - interval '5 minutes'", database)
        yield* until(Effect.andThen(silence, shown), ({ hosts }) =>
          hosts.every(({ silent }: Record<string, unknown>) => silent)
        )
        for (const { out } of [yield* anna.ask(["status", "--fleet"]), yield* the.hub(["status"])]) {
          assert.match(
            out,
            /^one, silent for \d+ m \d+ s +night +S1 +\d+ +.* last known: needs you: no souffleur looks after it$/mu
          )
          assert.match(
            out,
            /^ {2}on two, silent for \d+ m \d+ s\n {6}day: no souffleur looks after it. There: souffleur resume day$/mu
          )
        }
        // Of its own hub a host learns that its shipper does not run.
        const { out: own } = yield* two.ask(["fleet", "status"])
        assert.match(own, /^two: http.*: copied up to position \d+, 0 events wait\n.*silent for \d+ m \d+ s/u)
        assert.include(own, '"souffleur fleet ship" does not run')
        assert.deepInclude(yield* statusOf(two), { name: "two", silent: true })
        assert.deepInclude(yield* anna.ask(["status", "--fleet", "--all"]), { code: 2 })
        const host = yield* one.ask(["status", "--fleet"])
        assert.deepStrictEqual([host.code, host.out, host.errors.includes("souffleur fleet login")], [2, "", true])
        yield* the.hub(["person", "revoke", "anna"])
        const refused = yield* anna.ask(["status", "--fleet"])
        assert.deepStrictEqual([refused.code, refused.out], [1, ""])
        assert.include(refused.errors, "does not know this token")
      })
  )
})

describe("fleet#retention", () => {
  it.live.skipIf(noPostgres !== undefined)("hub serve --keep removes what ended long ago", () =>
    Effect.gen(function* () {
      const { database, server, the } = yield* fleet
      for (const keep of ["1d", "soon", "Infinity"])
        assert.deepInclude(yield* the.hub(["serve", "--keep", keep]), { code: 2 }, keep)
      const one = yield* Effect.gen(function* () {
        const first = yield* the.serve
        const one = yield* the.joined("one")
        one.open("night")
        const shipper = one.ship()
        yield* until(
          Effect.map(the.hub(["status", "--json"]), ({ out }) => JSON.parse(out).jobs.length),
          (count) => count === 1
        )
        yield* killed(shipper.child)
        yield* killed(first.child)
        return one
      })
      // The job ended, by the clock of its host, in 2026.
      const ended = StateWord.literals.indexOf("ended")
      yield* server.query(`UPDATE jobs SET urgency = ${ended}, at = at - 31536000000`, database)
      yield* the.serveAs(["--keep", "2d"])
      // The next hour begins now. The cluster makes its tables after the hub listens.
      const begins = server.query("UPDATE cluster_messages SET deliver_at = 0 RETURNING 1", database)
      yield* until(
        Effect.orElseSucceed(begins, () => ""),
        (rows) => rows !== ""
      )
      const left = yield* until(server.query("SELECT count(*) FROM events", database), (count) => count === "0")
      assert.strictEqual(left, "0")
      assert.deepInclude(yield* statusOf(one), { problem: null, behind: 0 })
    })
  )
})

describe("fleet#page", () => {
  it.live.skipIf(noPostgres !== undefined)("hub serve has one page over all hosts, for whom the hub gave a token", () =>
    Effect.gen(function* () {
      const { the } = yield* fleet
      assert.deepInclude(yield* the.hub(["serve", "--url", "http://hub.example"]), { code: 2 })
      yield* the.serveAs(["--url", "https://hub.example"])
      const { out: token } = yield* the.hub(["person", "add", "me"])
      for (const name of ["one", "two"]) {
        const host = yield* the.joined(name)
        host.open(`night-${name}`)
        host.ship()
      }
      const enter = (given: string, origin = the.url) =>
        Effect.promise(() =>
          fetch(`${the.url}/`, {
            method: "POST",
            redirect: "manual",
            headers: { origin },
            body: new URLSearchParams({ token: given })
          })
        )
      assert.strictEqual((yield* enter("0".repeat(64))).status, 401)
      assert.strictEqual((yield* enter(token.trim(), "https://attacker.example")).status, 403)
      const { headers, status } = yield* enter(token.trim(), "https://hub.example")
      assert.strictEqual(status, 303)
      const cookie = headers.get("set-cookie")!.split(";", 1)[0]!
      const page = Effect.promise(async () => {
        const answer = await fetch(`${the.url}${headers.get("location")}`, { headers: { cookie } })
        return { status: answer.status, text: await answer.text() }
      })
      const { text } = yield* until(page, (one) => one.text.includes("2 need you") && one.text.includes("night-two"))
      assert.include(text, "night-one")
      assert.match(text, /There: <code>souffleur resume night-one<\/code>/u)
      yield* the.hub(["person", "revoke", "me"])
      const after = yield* page
      assert.deepStrictEqual([after.status, after.text.includes("night")], [401, false])
    })
  )
})

describe("fleet#alarms", () => {
  it.live.skipIf(noPostgres !== undefined)("hub serve --alarms tells a silent host to a channel once", () =>
    Effect.gen(function* () {
      const { database, server, the } = yield* fleet
      const told = join(the.home, "told")
      const write = 'require("node:fs").appendFileSync(process.argv[1], require("node:fs").readFileSync(0))'
      const notify = `command:${JSON.stringify([process.execPath, "-e", write, told])}`
      assert.strictEqual((yield* the.hub(["serve", "--alarms", "--port", "0"])).code, 2)
      yield* the.serveAs(["--alarms"], { SOUFFLEUR_NOTIFY: notify })
      const one = yield* the.joined("one")
      one.open("night")
      const shipper = one.ship()
      const notices = Effect.sync(() =>
        fs.existsSync(told)
          ? fs
              .readFileSync(told, "utf8")
              .trimEnd()
              .split("\n")
              .map((line) => JSON.parse(line))
          : []
      )
      const [need] = yield* until(notices, (all) => all.length === 1)
      assert.deepInclude(need, { kind: "waiting_for_a_person", next: "souffleur hub status" })
      assert.strictEqual(need.text, "1 job needs you: night on one (no souffleur looks after it)")
      yield* killed(shipper.child)
      yield* server.query("UPDATE listening SET since = since - interval '5 minutes'", database)
      // The hub may still have its last beat in its hand.
      const silence = server.query("UPDATE logs SET last_seen = clock_timestamp() - interval '5 minutes'", database)
      const [, silent] = yield* until(Effect.andThen(silence, notices), (all) => all.length === 2)
      assert.deepInclude(silent, { kind: "silent_host", text: "1 host is silent: one" })
      assert.strictEqual(
        yield* until(
          server.query("SELECT count(*) FROM alarms WHERE told IS NOT NULL", database),
          (count) => count === "2"
        ),
        "2"
      )
      // Its service stops it in order.
      const again = one.ship()
      yield* until(server.query("SELECT count(*) FROM alarms", database), (count) => count === "1")
      again.child.kill("SIGTERM")
      yield* again.code
      assert.strictEqual(yield* server.query("SELECT away FROM logs", database), "t")
    })
  )
})
