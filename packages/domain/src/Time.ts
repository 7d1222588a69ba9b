import { DateTime } from "effect"

/** ms around 1970 that a `DateTime` can say (ECMA-262, Time Values). */
const most = 8.64e15

/**
 * A time (epoch ms) as ISO 8601 in UTC: the only place where one becomes text, as it is total. What no calendar has is
 * told as the nearest moment that one does.
 */
export const iso = (at: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(Math.min(most, Math.max(-most, at)) || 0))
