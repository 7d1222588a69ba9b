import { compactAttempts } from "@souffleur/domain"
import { type Duration, Schedule } from "effect"

/** Polls each `interval` while a compact session runs (spec: behaviour#standard_compact), until the timeout. */
export const boundaryPoll = (interval: Duration.Duration) => Schedule.spaced(interval)

/**
 * Limits the wait for the summary, which the agent writes after its boundary. A session that ends between the two has
 * lost it.
 */
export const summaryTimeout = "5 seconds"

/** Polls for a successor that the user's program has launched. */
export const successorPoll = Schedule.spaced("1 second")

/** Limits the wait for that successor. A launch by souffleur has as long to take its receipt. */
export const successorTimeout = "15 seconds"

/** Asks the user's program once more, if it has launched nothing. */
export const askOnceMore = Schedule.recurs(1)

/** Polls a Conductor that gets time to beat once more. */
export const beatPoll = Schedule.spaced("5 seconds")

/**
 * Retries a compaction once, then the cycle fails closed. `compactAttempts` names the attempts. After a crash the log
 * is the count: `forbidden` in CycleDecider.ts refuses what this schedule would grant again.
 */
export const compactOnceMore = Schedule.recurs(compactAttempts.length - 1)
