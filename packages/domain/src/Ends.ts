/** With an event of one of these tags a watch ends (spec §2, Ends); there is no other way. */
export const endTags: ReadonlySet<string> = new Set(["ConductorCompleted", "WatchReleased", "RetriesExhausted", "ValidationExhausted"])
