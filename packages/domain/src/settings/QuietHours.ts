import { Clock, DateTime, Effect, Option, Predicate } from "effect"

/** The part of each day without launches, in minutes of the host's local day. It may go over midnight. */
export interface QuietHours {
  readonly from: number
  readonly to: number
}

const form = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/u

/** Reads a text such as `23:00-07:00`; `None` for anything else, and for an empty part. */
export const parseQuietHours = (text: string): Option.Option<QuietHours> => {
  const match = form.exec(text.trim())
  if (match === null) return Option.none()
  const [from, to] = [Number(match[1]) * 60 + Number(match[2]), Number(match[3]) * 60 + Number(match[4])]
  return from === to ? Option.none() : Option.some({ from, to })
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`
/** Writes quiet hours as a setting does, such as `23:00-07:00`. */
export const formatQuietHours = ({ from, to }: QuietHours): string => `${clock(from)}-${clock(to)}`
/** Recognises quiet hours among the values of settings. */
export const isQuietHours = (value: unknown): value is QuietHours =>
  Predicate.hasProperty(value, "from") && Predicate.hasProperty(value, "to")

const zoneHere = Effect.map(
  Effect.serviceOption(DateTime.CurrentTimeZone),
  Option.getOrElse(() => DateTime.zoneMakeLocal())
)

/**
 * Returns the end of the current quiet hours, epoch ms; `null`: there are none now. `zone` is the time zone of the day.
 */
export const quietUntil = ({ from, to }: QuietHours, now: number, zone: DateTime.TimeZone): number | null => {
  const here = DateTime.makeZonedUnsafe(now, { timeZone: zone })
  const { hour, minute } = DateTime.toParts(here)
  const time = hour * 60 + minute
  const quiet = from < to ? time >= from && time < to : time >= from || time < to
  if (!quiet) return null
  const end = DateTime.setParts(here, { hour: Math.floor(to / 60), minute: to % 60, second: 0, millisecond: 0 })
  return DateTime.toEpochMillis(time < to ? end : DateTime.add(end, { days: 1 }))
}

/**
 * Returns the next moment (epoch ms) at which the host's clock shows such a time of the day; `null`: it is none.
 * `last`: the moment that it meant before. It means that for twelve hours more, since a command may be run again.
 */
export const nextTimeOfDay = Effect.fnUntraced(function* (text: string, last?: number) {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/u.exec(text.trim()) ?? []
  if (hour === undefined) return null
  const now = yield* Clock.currentTimeMillis
  const timeZone = yield* zoneHere
  if (last !== undefined && now - last < 12 * 3_600_000) {
    const parts = DateTime.toParts(DateTime.makeZonedUnsafe(last, { timeZone }))
    if (parts.hour === Number(hour) && parts.minute === Number(minute)) return last
  }
  const here = DateTime.makeZonedUnsafe(now, { timeZone })
  const today = DateTime.setParts(here, { hour: Number(hour), minute: Number(minute), second: 0, millisecond: 0 })
  const next = DateTime.toEpochMillis(today) > now ? today : DateTime.add(today, { days: 1 })
  return DateTime.toEpochMillis(next)
})

/**
 * Returns the same for the current time; `null` without quiet hours. The day is the host's, unless `CurrentTimeZone` is
 * provided.
 */
export const quietUntilNow = Effect.fnUntraced(function* (hours: QuietHours | null) {
  if (hours === null) return null
  return quietUntil(hours, yield* Clock.currentTimeMillis, yield* zoneHere)
})
