import { assert, describe, it } from "@effect/vitest"
import { type CopiedLog, memberships, noMark } from "@souffleur/fleet"
import * as LoopbackServer from "@souffleur/node/loopback"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { TestConsole } from "effect/testing"
import { cli } from "../src/Cli.ts"
import { place, services, watching } from "./mcp/McpPlace.ts"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"

/** A hub with one log. It answers any token. */
const hubWith = (copied: CopiedLog) =>
  HttpRouter.serve(HttpRouter.add("GET", "/v1/logs/:log", HttpServerResponse.json(copied)), {
    disableListenLog: true,
    disableLogger: true
  }).pipe(Layer.provideMerge(LoopbackServer.layer({ port: 0 })))

describe("command-line#fleet", () => {
  it.layer(services)((it) => {
    it.effect("fleet status is told on lines of its own, whatever its hub says", () =>
      Effect.gen(function* () {
        const { as, project, stateDir, watch } = yield* place({ comms: false })
        yield* watch("w", watching({ project, comms: null }))
        const { address } = yield* HttpServer.HttpServer
        const url = HttpServer.formatAddress(address)
        const token = Redacted.make("a".repeat(64))
        yield* memberships.keep(stateDir, { version: 1, url, token, log, readOnly: true })
        yield* as("")(cli(["fleet", "status", "--project-dir", project]))
        const [first, second, ...more] = yield* TestConsole.logLines
        assert.strictEqual(first, `one\nother: ${url}, log ${log}: copied up to position 0, 6 events wait`)
        assert.match(String(second), /^The hub has not heard of this host: silent for 1 m 0 s\. /u)
        assert.deepStrictEqual(more, [], "one call is one line, and so no word of the hub begins another")
      }).pipe(Effect.provide(hubWith({ mark: noMark, name: "one\nother", forked: false, lastSeenAgo: 60_000 })))
    )
  })
})
