import type { Zone } from "@souffleur/domain"

/** When a page is looked at, in epoch ms, and the clock of its reader. */
export interface Seen {
  readonly now: number
  readonly zone: Zone
}
