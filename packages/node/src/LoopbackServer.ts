import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Duration, Layer } from "effect"
import { Duration as Span } from "effect"
import type { HttpServer, HttpServerError } from "effect/http"
import { createServer } from "node:http"

/** The port of a server on this machine, and the end of its idle connections. */
export interface LoopbackOptions {
  /** 0: any free port. */
  readonly port: number
  /**
   * The time in which a connection must take or send something. A reader that takes nothing is dropped then, and so
   * nothing is kept for it without an end. Default 60 seconds.
   */
  readonly patience?: Duration.Input
}

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
  patience = "60 seconds",
  port
}: LoopbackOptions): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError> =>
  NodeHttpServer.layerServer(
    () => {
      const server = createServer()
      server.timeout = Span.toMillis(Span.fromInputUnsafe(patience))
      return server
    },
    // An open feed would hold a longer farewell up to its end.
    { host: "127.0.0.1", port, gracefulShutdownTimeout: "200 millis" }
  )
