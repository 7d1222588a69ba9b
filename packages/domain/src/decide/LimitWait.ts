import { maxWaitMillis } from "../Bounds.ts"

const minute = 60_000

/**
 * Returns the end (epoch ms) of a wait for a usage limit or an outage. A limit's own time counts where it is stated and
 * is a possible wait. Otherwise each wait in a row is twice as long; `waits` counts them so far. The first takes 5
 * minutes, or 1 for an outage, and none more than an hour.
 */
export const limitWaitUntil = (
  at: number,
  waits: number,
  { kind, resetsAt }: { readonly kind: "usage-limit" | "outage"; readonly resetsAt: number | null }
): number =>
  resetsAt === null || resetsAt - at > maxWaitMillis
    ? at + Math.min(60 * minute, (kind === "outage" ? 1 : 5) * minute * 2 ** waits)
    : Math.max(at, resetsAt)
