import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { TrustedFiles } from "@souffleur/node"
import * as LoopbackServer from "@souffleur/node/loopback"
import * as TlsServer from "@souffleur/node/tls"
import { Context, Effect, FileSystem, Layer, Logger } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as nodeFs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"
import { authority, noOpenssl } from "./Certificates.ts"

const layerHost = Layer.provideMerge(TrustedFiles.layer, NodeServices.layer)

const stage = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { ca, certificate } = authority(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-tls-" }))
  return { ca: nodeFs.readFileSync(ca), certificate, link: (from: string, to: string) => nodeFs.symlinkSync(from, to) }
})

/** Returns the serial number of the certificate that a server shows now. */
const shownAt = (port: number, ca: Buffer) =>
  Effect.callback<string>((resume) => {
    const socket = tls.connect({ port, host: "localhost", ca }, () => {
      resume(Effect.succeed(socket.getPeerCertificate().serialNumber))
      socket.destroy()
    })
    socket.on("error", (error) => resume(Effect.die(error)))
  })

/** Opens a connection that says nothing. */
const opened = (port: number) =>
  Effect.callback<net.Socket>((resume) => {
    const socket = net.connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
    socket.on("error", () => {})
  })

/** Asks a server for something. Returns `false` where it closes the connection without an answer. */
const isAnswered = (port: number, ca: Buffer | undefined) =>
  Effect.callback<boolean>((resume) => {
    const socket = ca === undefined ? net.connect(port, "127.0.0.1") : tls.connect({ port, host: "localhost", ca })
    socket.on("error", () => {}).on("close", () => resume(Effect.succeed(false)))
    socket.once("data", () => (resume(Effect.succeed(true)), socket.destroy()))
    socket.write("GET / HTTP/1.1\r\nhost: here\r\n\r\n")
  })

describe("fleet#certificate", () => {
  it.effect.skipIf(noOpenssl !== undefined)(
    "a renewed certificate is shown within an hour, and a broken one is not",
    () => {
      const logged: Array<unknown> = []
      return Effect.gen(function* () {
        const { ca, certificate } = yield* stage
        const [first, second] = [certificate("first"), certificate("second")]
        const files = { cert: first.cert, key: first.key }
        const server = Context.get(yield* Layer.build(TlsServer.layer({ port: 0, files })), HttpServer.HttpServer)
        yield* server.serve(Effect.succeed(HttpServerResponse.text("here")))
        const { port } = server.address as { readonly port: number }
        const before = yield* shownAt(port, ca)
        nodeFs.copyFileSync(second.cert, files.cert)
        const later = Effect.andThen(TestClock.adjust("1 hour"), shownAt(port, ca))
        yield* Effect.repeat(later, { until: () => logged.length > 0 })
        assert.strictEqual(yield* shownAt(port, ca), before, "the key is still that of the old one")
        nodeFs.copyFileSync(second.key, files.key)
        nodeFs.appendFileSync(files.cert, "-----BEGIN CERTIFICATE-----\nMIIB\n")
        yield* Effect.repeat(later, { until: () => `${logged.at(-1)}`.includes("not all of it") })
        assert.strictEqual(yield* shownAt(port, ca), before, "the next certificate of the file is half-written")
        nodeFs.copyFileSync(second.cert, files.cert)
        const after = yield* Effect.repeat(later, { until: (shown) => shown !== before })
        assert.notStrictEqual(after, before)
      }).pipe(Effect.provide([layerHost, Logger.layer([Logger.make(({ message }) => void logged.push(message))])]))
    }
  )

  it.effect.skipIf(noOpenssl !== undefined)(
    "a key is of this user alone and of its certificate, and a link leads to it",
    () =>
      Effect.gen(function* () {
        const { certificate, link } = yield* stage
        const [one, other] = [certificate("one"), certificate("other")]
        const opened = (files: TlsServer.CertificateFiles) =>
          Effect.scoped(Layer.build(TlsServer.layer({ port: 0, files }))).pipe(
            Effect.as("served"),
            Effect.catchTag("CertificateRefused", ({ message }) => Effect.succeed(message))
          )
        assert.include(yield* opened({ cert: one.cert, key: other.key }), "it is not the key of")
        assert.include(yield* opened({ cert: one.key, key: one.key }), "it is no certificate in PEM")
        assert.include(yield* opened({ cert: one.cert, key: one.cert }), "others may look into it")
        assert.include(yield* opened({ cert: one.cert, key: `${one.key}.none` }), "it is not there")
        nodeFs.writeFileSync(`${one.cert}.half`, `${nodeFs.readFileSync(one.cert)}-----BEGIN CERTIFICATE-----\nMIIB\n`)
        assert.include(yield* opened({ cert: `${one.cert}.half`, key: one.key }), "not all of it is certificates")
        link(one.key, `${one.key}.newest`)
        assert.strictEqual(yield* opened({ cert: one.cert, key: `${one.key}.newest` }), "served")
        nodeFs.chmodSync(one.key, 0o640)
        assert.include(yield* opened(one), "others may look into it")
        nodeFs.chmodSync(one.key, 0o600)
        nodeFs.writeFileSync(one.key, "no key")
        assert.include(yield* opened(one), "it is no private key in PEM")
      }).pipe(Effect.provide(layerHost))
  )
  it.live.skipIf(noOpenssl !== undefined)("a server has so many connections at once, and closes a further one", () =>
    Effect.gen(function* () {
      const { ca, certificate } = yield* stage
      const bounds = { port: 0, connections: 2 }
      for (const [layer, authority] of [
        [LoopbackServer.layer(bounds), undefined],
        [TlsServer.layer({ ...bounds, files: certificate("one") }), ca]
      ] as const) {
        const server = Context.get(yield* Layer.build(layer), HttpServer.HttpServer)
        yield* server.serve(Effect.succeed(HttpServerResponse.text("here")))
        const { port } = server.address as { readonly port: number }
        const [first, second] = [yield* opened(port), yield* opened(port)]
        assert.isFalse(yield* isAnswered(port, authority))
        assert.deepStrictEqual([first.readyState, second.readyState], ["open", "open"])
        first.destroy()
        yield* Effect.repeat(isAnswered(port, authority), { until: (answered) => answered })
        second.destroy()
      }
    }).pipe(Effect.provide(layerHost))
  )
})
