import { assert, describe, it } from "@effect/vitest"
import { HostServices } from "@souffleur/node"
import { Effect, Exit, Fiber, FileSystem, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { FleetDesk, Hub, HubAway, maxWaiting, noMark } from "../src/index.ts"
import { eventAt } from "./FleetWorld.ts"

const log = "0b0e9a54-96b1-4a6f-9f4e-4a30a2b6f3c1"

/** A server on loopback in the place of a hub, such as a proxy that knows none. */
const inPlaceOfAHub = (
  answer: http.RequestListener,
  files: (port: number) => Layer.Layer<FileSystem.FileSystem> = () => Layer.orDie(HostServices.layer)
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<http.Server>((resume) => {
        const server = http.createServer(answer)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => {
      const { port } = server.address() as AddressInfo
      const address = {
        url: `http://127.0.0.1:${port}`,
        token: Redacted.make("a".repeat(64))
      }
      return Layer.provide(Layer.merge(Hub.layerHttp(address), FleetDesk.layerHttp(address)), files(port))
    }
  )

const looked = Effect.flip(Hub.use((hub) => hub.look(log)))
const batch = (data: string) => ({ after: noMark, digest: noMark.digest, events: [eventAt(1, data)], now: 0 })

describe("fleet#membership", () => {
  it.live(
    "no token goes over http to the port of another user, of a host or of a person; root's and one's own hear it",
    () =>
      Effect.gen(function* () {
        const row = (n: number, port: number, state: string, uid: number) =>
          `   ${n}: 0100007F:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 4242 1 0 100 0 0 10 0`
        /** The kernel of a user 1000, with the listener of a uid at the port. */
        const kernel = (uid: number) => (port: number) =>
          FileSystem.layerNoop({
            stat: () => Effect.succeed({ uid: Option.some(1000) } as FileSystem.File.Info),
            readFileString: (file) =>
              Effect.succeed(
                ["  sl  local_address rem_address   st"]
                  .concat(
                    file.endsWith("tcp")
                      ? [row(0, port + 1, "0A", 61_002), row(1, port, "01", 61_002), row(2, port, "0A", uid)]
                      : []
                  )
                  .join("\n")
              )
          })
        const heard: Array<string | undefined> = []
        for (const uid of [61_002, 1000, 0]) {
          const layer = yield* inPlaceOfAHub(({ headers }, response) => {
            heard.push(headers.authorization)
            response.writeHead(502).end()
          }, kernel(uid))
          const problems = yield* Effect.provide(
            Effect.all([looked, Effect.flip(FleetDesk.use(({ view }) => view))]),
            layer
          )
          for (const { message } of problems)
            assert.include(message, uid === 61_002 ? "is taken by another user (uid 61002)" : "HTTP status 502")
          assert.lengthOf(heard.splice(0), uid === 61_002 ? 0 : 2)
        }
      })
  )
})

/** Another user of this machine. */
const stranger = { uid: 61_002, gid: 61_002 }
/** Says why no program of another user can be tried here; `undefined`: it can. */
const noStranger =
  process.getuid?.() !== 0
    ? "only root starts a program of another user"
    : !existsSync("/proc/self/net/tcp")
      ? "no kernel tells who listens"
      : spawnSync(process.execPath, ["--version"], { ...stranger, cwd: "/" }).status !== 0
        ? "another user cannot run this Node"
        : undefined

/** Takes a port of this machine, and says each token that comes. */
const taking = `const { createServer } = require("node:http")
const server = createServer(({ headers }, answer) => { console.log("token", headers.authorization); answer.end("{}") })
server.listen(0, "127.0.0.1", () => console.log("port", server.address().port))`

describe("fleet#membership", () => {
  if (noStranger !== undefined) it.skip(`a real user at the port of the hub: ${noStranger}`, () => {})
  else
    it.live("a real user who takes the port of the hub hears no token", () =>
      Effect.gen(function* () {
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(process.execPath, ["-e", taking], { ...stranger, cwd: "/", env: {} })),
          (child) => Effect.sync(() => child.kill())
        )
        let said = ""
        const port = yield* Effect.callback<string>((resume) => {
          child.stdout.setEncoding("utf8").on("data", (text: string) => {
            said += text
            const [, port] = /^port (\d+)$/mu.exec(said) ?? []
            if (port !== undefined) resume(Effect.succeed(port))
          })
        })
        const address = { url: `http://127.0.0.1:${port}`, token: Redacted.make("a".repeat(64)) }
        const layer = Layer.provide(Hub.layerHttp(address), HostServices.layer)
        const { message } = yield* Effect.provide(looked, layer)
        assert.include(message, "is taken by another user (uid 61002)")
        // It hears all that comes: this request is answered.
        yield* Effect.promise(() => fetch(address.url))
        assert.notInclude(said, "Bearer")
      }).pipe(Effect.scoped)
    )
})

describe("fleet#a-host", () => {
  it.live("an answer that is none of the contract says its status, and may pass", () =>
    Effect.gen(function* () {
      for (const status of [302, 400, 404, 409, 413, 502]) {
        const layer = yield* inPlaceOfAHub((_, response) => {
          response.writeHead(status, { "content-type": "text/html", location: "https://elsewhere.example" })
          response.end("<h1>Too Large</h1>")
        })
        assert.deepInclude(yield* Effect.provide(looked, layer), { _tag: "HubAway", problem: `HTTP status ${status}` })
      }
      const closed = yield* inPlaceOfAHub((request) => request.socket.destroy())
      assert.deepInclude(yield* Effect.provide(looked, closed), { _tag: "HubAway", problem: "it cannot be reached" })
    })
  )
  it.live("an answer to a host is short, and as many words as may wait fit into it", () =>
    Effect.gen(function* () {
      const waiting = (body: string) =>
        Effect.flatMap(
          inPlaceOfAHub((_, response) => {
            response.writeHead(200, { "content-type": "application/json" })
            response.end(body)
          }),
          (layer) => Effect.provide(Effect.exit(Hub.use((hub) => hub.words(log))), layer)
        )
      const name = "\u0001".repeat(200)
      const word = { id: log, watch: name, word: "release", seen: 1e15, person: name.slice(0, 64), left: 3_600_000 }
      const words = JSON.stringify(Array.from({ length: maxWaiting }, () => word))
      assert.isTrue(Exit.isSuccess(yield* waiting(words)))
      assert.isTrue(Exit.isFailure(yield* waiting(`${" ".repeat(100_000)}${words}`)))
    })
  )

  it.effect("an answer has ten seconds, and a batch has more with its size", () =>
    Effect.gen(function* () {
      const layer = yield* inPlaceOfAHub(() => {})
      /** The seconds until a request is given up, by a step of one second. */
      const patience = <A, E>(request: Effect.Effect<A, E, Hub>) =>
        Effect.gen(function* () {
          const asking = yield* Effect.forkChild(Effect.flip(Effect.provide(request, layer)))
          let seconds = 0
          while (asking.pollUnsafe() === undefined) {
            yield* TestClock.adjust("1 second")
            seconds++
          }
          assert.deepStrictEqual<unknown>(yield* Fiber.join(asking), new HubAway({ problem: "it takes too long" }))
          return seconds
        })
      assert.strictEqual(yield* patience(Hub.use((hub) => hub.look(log))), 10)
      const sent = (data: string) => patience(Hub.use((hub) => hub.append(log, batch(data))))
      assert.strictEqual(yield* sent("{}"), 11)
      assert.strictEqual(yield* sent("x".repeat(1_000_000)), 60)
    })
  )
})

describe("fleet#contract", () => {
  it.live("an answer of the contract is taken at its word", () =>
    Effect.gen(function* () {
      const layer = yield* inPlaceOfAHub((_, response) => {
        response.writeHead(404, { "content-type": "application/json" })
        response.end('{"_tag":"NoSuchLog"}')
      })
      assert.deepInclude(yield* Effect.provide(looked, layer), { _tag: "NoSuchLog" })
    })
  )
  it.live("a view that is too large, or is none, is no answer", () =>
    Effect.gen(function* () {
      const answered = (body: () => string) =>
        Effect.flatMap(
          inPlaceOfAHub((_, response) => {
            response.writeHead(200, { "content-type": "application/json" })
            response.end(body())
          }),
          (layer) => Effect.provide(Effect.exit(FleetDesk.use(({ view }) => view)), layer)
        )
      assert.isTrue(Exit.isSuccess(yield* answered(() => '{"now":0,"hosts":[],"jobs":[],"more":0}')))
      assert.isTrue(Exit.isFailure(yield* answered(() => '{"now":0,"hosts":[],"jobs":[{}],"more":0}')))
      assert.isTrue(
        Exit.isFailure(yield* answered(() => `${" ".repeat(17_000_000)}{"now":0,"hosts":[],"jobs":[],"more":0}`))
      )
    })
  )
})
