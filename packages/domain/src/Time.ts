import { Clock, DateTime, Effect, Option } from "effect"
import { isWaitOver, type WaitSpan } from "./decide/LimitWait.ts"

/** Most ms between two looks at the clock: a machine that slept is late by no more. */
const lookMillis = 60_000

/**
 * Sleeps until a wait is over by the wall clock. The clock is read again at the end, because it is not what a timer
 * counts. A timer may ring a millisecond early by it, and rests while the machine sleeps.
 */
export const sleepUntil = Effect.fnUntraced(function* (wait: WaitSpan) {
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    if (isWaitOver(wait, now)) return
    yield* Effect.sleep(Math.min(wait.until - now, lookMillis))
  }
})

/** The most ms from 1970 that a `DateTime` can hold (ECMA-262, Time Values), and the ms of a day. */
const [maxMillis, dayMillis] = [8.64e15, 86_400_000]

/** Returns the nearest moment that a calendar has. */
const possible = (at: number, most = maxMillis): number => Math.min(most, Math.max(-most, at)) || 0

/**
 * Writes a time (epoch ms) as ISO 8601 in UTC. Every time becomes text here, since this function is total. A time that
 * no calendar has becomes the nearest possible moment.
 */
export const iso = (at: number): string => DateTime.formatIso(DateTime.makeUnsafe(possible(at)))

/** Reads a time as epoch ms, in UTC where it names no zone. `undefined`: it is none that a calendar has. */
export const epochOf = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))

/** The zone in which a time is written for a person. Returns how many ms its clock is ahead of UTC, at an epoch ms. */
export type Zone = (at: number) => number

/** The zone of programs, logs and agents. */
export const utc: Zone = () => 0

/** Asks the calendar of JavaScript, because Effect's zones load `Intl`: 9 MB, and half as long as a bare start. */
const hostZone: Zone = (at) => -60_000 * new Date(at).getTimezoneOffset()

/** Makes a zone of one of Effect's. */
const zoneFrom =
  (zone: DateTime.TimeZone): Zone =>
  (at) =>
    DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))

/** The zone of a person: `CurrentTimeZone` where it is provided, else the host's, which `TZ` sets. */
export const personsZone: Effect.Effect<Zone> = Effect.map(
  Effect.serviceOption(DateTime.CurrentTimeZone),
  Option.match({ onNone: () => hostZone, onSome: zoneFrom })
)

/** Writes the clock of a zone at a time (epoch ms), as ISO 8601 without the zone. */
const clockOf = (at: number, zone: Zone): string => {
  const shown = possible(at, maxMillis - dayMillis)
  return iso(shown + zone(shown))
}

/** Writes the date of a time (epoch ms), such as `2026-03-01`. */
export const day = (at: number, zone: Zone = utc): string => clockOf(at, zone).slice(0, 10)

/** Writes the time of day of a time (epoch ms), such as `14:05:09`. */
export const time = (at: number, zone: Zone = utc): string => clockOf(at, zone).slice(11, 19)

/**
 * Reads a time by the clock of a zone: `20:48`, `20:48:30` or `2026-03-01 20:48`. Without a date it is the last such
 * time before `now`. The result is epoch ms; `undefined`: it is no time of a clock.
 */
export const clockBefore = (text: string, now: number, zone: Zone): number | undefined => {
  const [, date, hour, minute, second = "00"] =
    /^(?:(\d{4}-\d\d-\d\d)[ T])?(\d\d?):(\d\d)(?::(\d\d))?$/u.exec(text.trim()) ?? []
  if (hour === undefined) return undefined
  const on = (date: string) => {
    const clock = epochOf(`${date}T${hour.padStart(2, "0")}:${minute}:${second}Z`)
    return clock === undefined ? undefined : clock - zone(clock - zone(clock))
  }
  const today = on(date ?? day(now, zone))
  return date === undefined && today !== undefined && today > now ? on(day(now - dayMillis, zone)) : today
}

/** Writes a time (epoch ms) as it is said at `from`: with its date where that is another day. */
export const moment = (at: number, from: number, zone: Zone = utc): string =>
  day(at, zone) === day(from, zone) ? time(at, zone) : `${day(at, zone)} ${time(at, zone).slice(0, 5)}`

/**
 * Makes the dates of a list of times. Each call returns the date of a time where it differs from the one before. The
 * first one is compared with `from`. `undefined`: it is the same day.
 */
export const makeDates = (from: number, zone: Zone) => {
  let last = day(from, zone)
  return (at: number): string | undefined => {
    const now = day(at, zone)
    if (now === last) return undefined
    last = now
    return now
  }
}
