import { Schema } from "effect"

/** The tags of the events that end a watch (spec: behaviour#ends). No other event ends it. */
export const endTags: ReadonlySet<string> = new Set([
  "ConductorCompleted",
  "WatchReleased",
  "WatchStopped",
  "RetriesExhausted",
  "ValidationExhausted"
])

/** How a watch has ended. `unconfirmed`: its agent ended by itself, and nothing says that the work is done. */
export const WatchEnd = Schema.Literals([
  "completed",
  "unconfirmed",
  "released",
  "stopped",
  "limit reached",
  "retries exhausted",
  "validation exhausted"
])
export type WatchEnd = typeof WatchEnd.Type

/** Returns whether a watch ended with its work, whether or not anything confirms that the work is done. */
export const isFinished = (end: WatchEnd | undefined): boolean => end === "completed" || end === "unconfirmed"
