import { DateTime, Option } from "effect"

/** The most ms from 1970 that a `DateTime` can hold (ECMA-262, Time Values). */
const maxMillis = 8.64e15

/**
 * Writes a time (epoch ms) as ISO 8601 in UTC. Every time becomes text here, since this function is total. A time that
 * no calendar has becomes the nearest possible moment.
 */
export const iso = (at: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(Math.min(maxMillis, Math.max(-maxMillis, at)) || 0))

/** Reads a time as epoch ms, in UTC where it names no zone. `undefined`: it is none that a calendar has. */
export const epochOf = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))
