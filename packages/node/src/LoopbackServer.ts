import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Layer } from "effect"
import type { HttpServer, HttpServerError } from "effect/http"
import { createServer } from "node:http"
import { bounded, type ConnectionBounds } from "./ConnectionBounds.ts"

export type { ConnectionBounds } from "./ConnectionBounds.ts"

/** The port of a server on this machine, and the bounds of its connections. */
export interface LoopbackOptions extends ConnectionBounds {
  /** 0: any free port. */
  readonly port: number
}

/**
 * Bytes of the headers of a request. A browser sends the cookies of every port of a host, at most 180 of 4 KiB, so a
 * site at another port could fill a smaller room, and keep a person out.
 */
const maxHeaderSize = 1 << 20

/**
 * A server that this machine alone can reach. Fails with `ServeError` where the port is taken.
 *
 * @example
 * ```ts
 * import * as LoopbackServer from "@souffleur/node/loopback"
 * import { Effect } from "effect"
 * import { HttpServer } from "effect/http"
 *
 * const address = HttpServer.HttpServer.use((server) => Effect.succeed(server.address)).pipe(
 *   Effect.provide(LoopbackServer.layer({ port: 0 }))
 * )
 * ```
 */
export const layer = ({
  port,
  ...bounds
}: LoopbackOptions): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError> =>
  NodeHttpServer.layerServer(
    () => bounded(createServer({ maxHeaderSize }), bounds),
    // An open feed would hold a longer farewell up to its end.
    { host: "127.0.0.1", port, gracefulShutdownTimeout: "200 millis" }
  )
