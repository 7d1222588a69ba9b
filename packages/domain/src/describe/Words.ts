import type { ProcessEnd } from "../port/Process.ts"
import { day, moment, time, utc, type Zone } from "../Time.ts"

export { day, makeDates, moment, time } from "../Time.ts"

/** Writes a duration in ms for a person, such as `4 m 10 s`. `null` and `undefined` are unknown. */
export const duration = (millis: number | null | undefined): string => {
  if (millis === null || millis === undefined) return "unknown"
  const seconds = Math.floor(millis / 1000)
  if (seconds < 1) return `${Math.max(0, Math.round(millis))} ms`
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3600),
    Math.floor((seconds % 3600) / 60)
  ]
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} m`
  return minutes > 0 ? `${minutes} m ${seconds % 60} s` : `${seconds} s`
}

/** `toLocaleString` would load its languages first, which takes a tenth of the time of a short command. */
const grouped = (digits: string) => digits.replaceAll(/\B(?=(?:\d{3})+(?!\d))/gu, ",")

/** Writes a whole number with separators, such as `2,000,400`. */
export const count = (number: number): string => grouped(String(number))

/** Writes an amount in hundredths of a dollar, such as `$2.50`. */
export const dollars = (hundredths: number): string => `$${grouped((hundredths / 100).toFixed(2))}`

/** Writes a number of things, such as `1 task` or `2 tasks`. */
export const many = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

/** Writes a future time as it is said at `from`, both epoch ms. The text says UTC where the zone is UTC. */
export const deadline = (at: number, from: number, zone: Zone = utc): string =>
  `${moment(at, from, zone)}${zone === utc ? " UTC" : ""}`

/** Writes the date and the time of day of a time (epoch ms). The text says UTC where the zone is UTC. */
export const dateAndTime = (at: number, zone: Zone = utc): string =>
  `${day(at, zone)} ${time(at, zone)}${zone === utc ? " UTC" : ""}`

/** Says how a process ended, after a verb: `with exit code 3`, or `by SIGKILL`. */
export const ended = (end: ProcessEnd): string =>
  end._tag === "Exited" ? `with exit code ${end.code}` : `by ${end.signal}`

/** Ends a sentence with a full stop where it has no end yet. */
export const sentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`)

/** Makes the first letter a capital. */
export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** The reason why souffleur gives up (spec: behaviour#retries). */
export const threeEnds = "three ends without progress"

/** Says how many of the ends in a row that are allowed were without progress. */
export const ofAllowed = (retries: number): string => `${retries} of 3 without progress`

/** Says the same in brackets. Empty at 0: a death after progress is only a death. */
export const withoutProgress = (retries: number, what = ""): string =>
  retries === 0 ? "" : ` (${what}${ofAllowed(retries)})`
