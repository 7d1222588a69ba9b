import { compactAttempts } from "@souffleur/domain"
import { type Duration, Schedule } from "effect"

/** Polls each `interval` while a compact session runs (spec: behaviour#standard_compact), until the timeout. */
export const boundaryPoll = (interval: Duration.Duration) => Schedule.spaced(interval)

/**
 * Limits the wait for the summary, which the agent writes after its boundary. A session that ends between the two has
 * lost it.
 */
export const summaryTimeout = "5 seconds"

/** Polls a Conductor that gets time to beat once more. */
export const beatPoll = Schedule.spaced("5 seconds")

/**
 * Retries a compaction once, then the cycle fails closed. `compactAttempts` names the attempts. After a crash the log
 * is the count: `forbidden` in CycleDecider.ts refuses what this schedule would grant again.
 */
export const compactOnceMore = Schedule.recurs(compactAttempts.length - 1)
