/** With an event of one of these tags a watch ends (spec: behaviour#ends); there is no other way. */
export const endTags: ReadonlySet<string> = new Set([
  "ConductorCompleted",
  "WatchReleased",
  "RetriesExhausted",
  "ValidationExhausted"
])
