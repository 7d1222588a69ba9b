import { Duration } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The most connections of a server, and the end of idle ones. */
export interface ConnectionBounds {
  /**
   * The time in which a connection must take or send something. A reader that takes nothing is dropped then, and so
   * nothing is kept for it without an end. Default 60 seconds.
   */
  readonly patience?: Duration.Input
  /** The most connections at once. A further one is closed before it is read. Default 10,000. */
  readonly connections?: number
  /**
   * The most connections without a request that is being answered. The oldest of more is closed, so that nobody keeps
   * others out with connections that ask for nothing. A browser asks at once. Default: as many as `connections`.
   */
  readonly idle?: number
}

/** Returns the patience of a server in milliseconds. */
export const patienceMillis = ({ patience = "60 seconds" }: ConnectionBounds): number =>
  Duration.toMillis(Duration.fromInputUnsafe(patience))

/** Closes the oldest of too many connections that wait for a request. */
const boundIdle = (server: Server, most: number): void => {
  const idle = new Set<Socket>()
  const waits = (socket: Socket) => {
    if (!socket.destroyed) idle.add(socket)
    if (idle.size > most) for (const oldest of [...idle].slice(0, 1)) oldest.destroy()
  }
  server.on("connection", (socket: Socket) => {
    waits(socket)
    socket.once("close", () => idle.delete(socket))
  })
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    idle.delete(socket)
    response.once("close", () => waits(socket))
  })
}

/**
 * Keeps the requests that come between a server's first moment and the program behind it, and gives them to that
 * program. Node drops them without an answer, and a page that connects again would wait for ever.
 */
const keepEarly = (server: Server): void => {
  const early: Array<[IncomingMessage, ServerResponse]> = []
  const keep = (...asked: [IncomingMessage, ServerResponse]) => void early.push(asked)
  server.on("request", keep)
  const give = (name: string | symbol) => {
    if (name !== "request") return
    server.off("newListener", give).off("request", keep)
    queueMicrotask(() => early.splice(0).forEach((asked) => server.emit("request", ...asked)))
  }
  server.on("newListener", give)
}

/** Gives a server its bounds, and loses no request that comes early. */
export const bounded = <A extends Server>(server: A, bounds: ConnectionBounds): A => {
  server.timeout = patienceMillis(bounds)
  server.maxConnections = bounds.connections ?? 10_000
  if (bounds.idle !== undefined) boundIdle(server, bounds.idle)
  keepEarly(server)
  return server
}
