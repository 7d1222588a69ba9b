import { type Duration, Schedule } from "effect"

/** Each second while a compact session runs (spec: behaviour#standard_compact); how long is the timeout's to say. */
export const boundaryPoll = (every: Duration.Duration) => Schedule.spaced(every)

/** The agent writes the summary after its boundary: a session that is ended between the two has lost what was said. */
export const summaryWithin = "5 seconds"

/** How often a Conductor is looked at that gets time to beat once more. */
export const beatPoll = Schedule.spaced("5 seconds")

/** Retry once, then fail closed: only a compaction that failed, and whose session is proven gone. The log keeps the count. */
export const compactOnceMore = Schedule.recurs(1)
