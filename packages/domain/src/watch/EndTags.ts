/** The tags of the events that end a watch (spec: behaviour#ends). No other event ends it. */
export const endTags: ReadonlySet<string> = new Set([
  "ConductorCompleted",
  "WatchReleased",
  "WatchStopped",
  "RetriesExhausted",
  "ValidationExhausted"
])
