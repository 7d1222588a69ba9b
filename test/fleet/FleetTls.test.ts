import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import * as https from "node:https"
import { authority, noOpenssl } from "../../packages/node/test/Certificates.ts"
import { fleetStage } from "./FleetStage.ts"
import { until } from "../cli/CliStage.ts"
import { noPostgres, postgresServer } from "./PostgresServer.ts"

describe("fleet#certificate", () => {
  it.live.skipIf((noPostgres ?? noOpenssl) !== undefined)(
    "a hub serves https with a certificate of its own, to hosts that know its authority and to browsers",
    () =>
      Effect.gen(function* () {
        const server = yield* postgresServer
        const the = yield* fleetStage((yield* server.database).url)
        const { ca, certificate } = authority(the.home)
        const { cert, key } = certificate("hub")
        const { port } = new URL(the.url)
        const url = `https://localhost:${port}`
        const words = ["--cert", cert, "--key", key, "--url", url]
        for (const wrong of [words.slice(0, 2), words.slice(2), words.slice(0, 4)])
          assert.deepInclude(yield* the.hub(["serve", ...wrong]), { code: 2 }, wrong.join(" "))
        fs.chmodSync(key, 0o644)
        const open = yield* the.hub(["serve", ...words])
        assert.deepStrictEqual([open.code, open.errors.includes("chmod go-rwx")], [2, true])
        fs.chmodSync(key, 0o600)
        const hub = yield* the.serveAs(words)
        yield* until(
          Effect.sync(() => hub.said.out),
          (out) => out.includes("\n")
        )
        assert.deepStrictEqual(JSON.parse(hub.said.out), { url })
        const one = the.host("one")
        const { out: token } = yield* the.hub(["enrol", "one"])
        const stranger = yield* one.ask(["fleet", "join", url], token)
        assert.deepStrictEqual([stranger.code, stranger.errors.includes("NODE_EXTRA_CA_CERTS")], [1, true])
        const known = { NODE_EXTRA_CA_CERTS: ca }
        assert.deepInclude(yield* one.ask(["fleet", "join", url], token, known), { code: 0 })
        one.write(50)
        one.ship(known)
        const status = Effect.map(one.ask(["fleet", "status", "--json"], "", known), ({ out }) => JSON.parse(out))
        assert.deepInclude(yield* until(status, ({ behind }) => behind === 0), { hub: url, problem: null })
        const { out: mine } = yield* the.hub(["person", "add", "me"])
        const cookie = yield* Effect.callback<string | undefined>((resume) => {
          const headers = { origin: url, "content-type": "application/x-www-form-urlencoded" }
          const request = https.request(`${url}/`, { method: "POST", headers, ca: fs.readFileSync(ca) }, (answer) => {
            answer.resume()
            resume(Effect.succeed(answer.headers["set-cookie"]?.[0]))
          })
          request.on("error", (error) => resume(Effect.die(error)))
          request.end(`token=${mine.trim()}`)
        })
        assert.match(cookie ?? "", /; HttpOnly; Secure; SameSite=Strict$/u)
      })
  )
})
