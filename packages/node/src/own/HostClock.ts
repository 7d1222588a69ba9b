import type { Moment } from "@souffleur/domain"
import { setTimeout } from "node:timers/promises"

// The time of a process that is without Effect, because it is in memory as long as a watch.

/** Reads both clocks of the host. */
export const hostMoment = (): Moment => ({
  // oxlint-disable-next-line no-restricted-properties
  wall: Date.now(),
  monotonic: Number(process.hrtime.bigint() / 1_000_000n)
})

/** Waits some milliseconds. */
export const waited = (millis: number): Promise<void> => setTimeout(millis)

/** Waits some milliseconds, in a process that lives so long by itself. */
export const waitedBeside = (millis: number): Promise<void> => setTimeout(millis, undefined, { ref: false })
