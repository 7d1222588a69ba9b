import { Duration } from "effect"
import type { Server } from "node:http"

/** The most connections of a server, and the end of idle ones. */
export interface ConnectionBounds {
  /**
   * The time in which a connection must take or send something. A reader that takes nothing is dropped then, and so
   * nothing is kept for it without an end. Default 60 seconds.
   */
  readonly patience?: Duration.Input
  /** The most connections at once. A further one is closed before it is read. Default 10,000. */
  readonly connections?: number
}

/** Returns the patience of a server in milliseconds. */
export const patienceMillis = ({ patience = "60 seconds" }: ConnectionBounds): number =>
  Duration.toMillis(Duration.fromInputUnsafe(patience))

/** Gives a server its bounds. */
export const bounded = <A extends Server>(server: A, bounds: ConnectionBounds): A => {
  server.timeout = patienceMillis(bounds)
  server.maxConnections = bounds.connections ?? 10_000
  return server
}
