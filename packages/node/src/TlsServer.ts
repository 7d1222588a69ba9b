import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { readTrusted, type TrustedFiles } from "@souffleur/process"
import { Effect, FileSystem, Layer, Schema } from "effect"
import type { HttpServer, HttpServerError } from "effect/http"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { createServer } from "node:https"
import { createSecureContext } from "node:tls"
import { bounded, patienceMillis } from "./ConnectionBounds.ts"
import type { LoopbackOptions } from "./LoopbackServer.ts"

/** The files of a certificate, with those between it and its authority, and of its private key. Both are PEM. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** A file is no certificate or no key, cannot be read safely, or belongs to another pair. */
export class CertificateRefused extends Schema.TaggedError<CertificateRefused>()("CertificateRefused", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.path}: ${this.problem}`
  }
}

/** The most bytes of such a file. */
const atMost = 1_000_000

/** The pause between two looks at a certificate that may have been renewed. */
const look = "1 hour"

const text = Effect.fnUntraced(function* (named: string, others: "read" | "nothing") {
  const fs = yield* FileSystem.FileSystem
  // A program that renews certificates keeps a link to the newest.
  const path = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
  const bytes = yield* Effect.mapError(
    readTrusted(path, { others, atMost }),
    ({ problem }) => new CertificateRefused({ path: named, problem })
  )
  return new TextDecoder().decode(bytes)
})

/** Reads a certificate and its key. This user alone may read the key. Fails with `CertificateRefused`. */
const pairOf = Effect.fnUntraced(function* (files: CertificateFiles) {
  const pair = { cert: yield* text(files.cert, "read"), key: yield* text(files.key, "nothing") }
  const certificate = yield* Effect.try({
    try: () => new X509Certificate(pair.cert),
    catch: () => new CertificateRefused({ path: files.cert, problem: "it is no certificate in PEM" })
  })
  const key = yield* Effect.try({
    try: () => createPrivateKey(pair.key),
    catch: () =>
      new CertificateRefused({ path: files.key, problem: "it is no private key in PEM without a passphrase" })
  })
  if (!certificate.checkPrivateKey(key))
    return yield* new CertificateRefused({ path: files.key, problem: `it is not the key of ${files.cert}` })
  // The server would throw at a later certificate of the file, which may be half-written.
  yield* Effect.try({
    try: () => createSecureContext(pair),
    catch: () => new CertificateRefused({ path: files.cert, problem: "not all of it is certificates in PEM" })
  })
  return pair
})

/**
 * A server with TLS on every address of this machine. It looks at its files each hour, and takes up a renewed
 * certificate. Fails with `CertificateRefused`, and with `ServeError` if the port is taken.
 *
 * @example
 * ```ts
 * import * as TlsServer from "@souffleur/node/tls"
 *
 * const layer = TlsServer.layer({ port: 443, files: { cert: "fullchain.pem", key: "privkey.pem" } })
 * ```
 */
export const layer = ({
  files,
  port,
  ...bounds
}: LoopbackOptions & { readonly files: CertificateFiles }): Layer.Layer<
  HttpServer.HttpServer,
  CertificateRefused | HttpServerError.ServeError,
  FileSystem.FileSystem | TrustedFiles
> =>
  Layer.unwrap(
    Effect.gen(function* () {
      let kept = yield* pairOf(files)
      const server = bounded(createServer({ ...kept, handshakeTimeout: patienceMillis(bounds) }), bounds)
      const renew = Effect.tap(pairOf(files), (pair) =>
        Effect.sync(() => {
          if (pair.cert === kept.cert && pair.key === kept.key) return
          server.setSecureContext(pair)
          kept = pair
        })
      )
      yield* renew.pipe(
        Effect.catch((error) => Effect.logWarning(`the certificate is not renewed: ${error.message}`)),
        Effect.delay(look),
        Effect.forever,
        Effect.forkScoped
      )
      return NodeHttpServer.layerServer(() => server, { port, gracefulShutdownTimeout: "200 millis" })
    })
  )
