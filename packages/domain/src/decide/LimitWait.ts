import { longestWait } from "../Bounds.ts"

const minute = 60_000

/**
 * Until when (epoch ms) a usage limit or an outage of the service is waited out: a limit's own time; where nobody says
 * it, or it is no wait, one that doubles with each in a row (`waits` so far): from 5 minutes, or 1 for an outage, up to
 * an hour.
 */
export const limitWaitUntil = (
  at: number,
  waits: number,
  { kind, resetsAt }: { readonly kind: "usage-limit" | "outage"; readonly resetsAt: number | null }
): number =>
  resetsAt === null || resetsAt - at > longestWait
    ? at + Math.min(60 * minute, (kind === "outage" ? 1 : 5) * minute * 2 ** waits)
    : Math.max(at, resetsAt)
