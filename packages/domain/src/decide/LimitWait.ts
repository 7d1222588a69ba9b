import { Schema } from "effect"
import { maxWaitMillis } from "../Bounds.ts"

const minute = 60_000
const day = 86_400_000
/** The longest limit that a service may state: of a month. */
const maxLimit = 32 * day

/** A wait of a watch or a run, from its beginning to its end (epoch ms). */
export interface WaitSpan {
  readonly since: number
  readonly until: number
}

/**
 * Returns whether a wait is over at a time (epoch ms; spec: behaviour#limits-and-waits). A clock that was set back to
 * before the wait ends the wait too, which would otherwise last as long as the clock was set back.
 */
export const isWaitOver = ({ since, until }: WaitSpan, now: number): boolean => now >= until || now < since

/** The waits that the service's own end of a turn begins. */
export const ServiceWait = Schema.Literals(["usage-limit", "outage", "unknown-error"])
export type ServiceWait = typeof ServiceWait.Type
/** Tells whether the service began a wait. */
export const isServiceWait = Schema.is(ServiceWait)

/** A limit as the service stated it; `resetsAt` in epoch ms, `null` where it is not stated. */
interface Limit {
  readonly kind: ServiceWait
  readonly resetsAt: number | null
}

/**
 * Returns a wait for a usage limit or an outage (spec: behaviour#limits-and-waits). `until` is its end, epoch ms.
 * `resetsAt` is the stated time; `null`: it is missing, or no statement. A limit's own time and `margin` (ms) after it
 * count, where that is a possible wait. A limit that lasts longer is tried again each day, since a person may mend it
 * meanwhile. A time that is over counts once, since the service still refuses after it.
 * Otherwise each wait in a row is twice as long; `waits` counts them so far. The first takes 5 minutes, or 1 for
 * another error than a limit, and none more than an hour.
 */
export const limitWait = (
  at: number,
  waits: number,
  { kind, resetsAt }: Limit,
  margin = 0
): { readonly resetsAt: number | null; readonly until: number } =>
  resetsAt !== null && resetsAt - at <= maxLimit && (resetsAt > at || waits === 0)
    ? {
        resetsAt,
        until: resetsAt - at > maxWaitMillis ? at + day : Math.round(Math.max(at, resetsAt) + margin)
      }
    : { resetsAt: null, until: at + Math.min(60 * minute, (kind === "usage-limit" ? 5 : 1) * minute * 2 ** waits) }

/**
 * Returns the end (epoch ms) of a pause. It is `pause` (ms) after the first of the deaths in a row, and five times as
 * long after each further one. It is five minutes at most.
 */
export const pauseUntil = (at: number, retries: number, pause: number): number =>
  Math.round(at + Math.min(5 * minute, pause * 5 ** Math.max(0, retries - 1)))
