import { Schema, SchemaTransformation } from "effect"

/*
 * What a number or a time from outside may be. Who reads it asks here, once; behind that border every value is in range, so that no event
 * is ever made that its own schema refuses. In a log anybody may have written: what is only told or waited for is read as the nearest value
 * in range, and what somebody acts upon must be exact.
 */

/** The earliest moment that a clock was ever set to, epoch ms. */
const earliest = Date.UTC(1900, 0, 1)
/** The latest moment that is told with a year of four digits, epoch ms. */
export const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const day = 86_400_000

/** ms. The longest limit of the service is a week; what says that it takes longer than this is no wait. */
export const longestWait = 8 * day

/** What a tool may take that has no bound of its own, ms: a subagent or a tool of another server may work for an hour and more. */
export const toolAllowance = 2 * 3_600_000

const within = (number: number, least: number, most: number): number => Math.min(most, Math.max(least, Math.trunc(number))) || 0

/** A whole number that somebody else states, within these bounds; any other is refused. */
export const isBetween = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Words of somebody else, of so many UTF-16 units at most; none, or more, are refused. */
export const words = (most: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(most))

/** A process id as Linux gives them (proc(5), pid_max). */
export const Pid = isBetween(1, 4_194_304)
/** A process' start time, in clock ticks since the boot. */
export const StartTime = isBetween(0, Number.MAX_SAFE_INTEGER)
/** Characters of a session id (spec: behaviour#naming-a-conductor). */
export const sessionIdLength = 128
/** A path as the system takes one (limits.h, PATH_MAX). */
export const pathLength = 4096

/** A count that somebody acts upon, such as a fence or the number of a role: exact, or the event cannot be read. */
export const Count = isBetween(0, Number.MAX_SAFE_INTEGER)

const toldBetween = (minimum: number, maximum: number) =>
  Schema.Number.pipe(
    Schema.decodeTo(
      isBetween(minimum, maximum),
      SchemaTransformation.transform({ decode: (number) => within(number, minimum, maximum), encode: (number) => number })
    )
  )

/** A moment, epoch ms, from 1900 to 9999. Any number in a log is read as the nearest of them. */
export const Time = toldBetween(earliest, latest)

/** What was measured and is only told: tokens, or ms, negative where a clock was set back. Any number in a log is read as the nearest. */
export const Measure = toldBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** A number of things as somebody else counted them, rounded; `undefined`: it is none. */
export const count = (value: unknown): number | undefined => {
  const whole = typeof value === "number" ? Math.round(value) : Number.NaN
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

/** Counts together, as far as they can be counted. */
export const sum = (counts: ReadonlyArray<number>): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((all, one) => all + one, 0)
  )

/** A moment that somebody else states, epoch ms, from 1970 on; `undefined`: there is no such moment. */
export const time = (value: unknown): number | undefined => {
  const at = count(value)
  return at !== undefined && at <= latest ? at : undefined
}

/** How long somebody else says that he waits, ms; `undefined`: that is no wait. */
export const wait = (value: unknown): number | undefined => {
  const millis = count(value)
  return millis !== undefined && millis <= longestWait ? millis : undefined
}

/** Until when something in a log is waited for, epoch ms: never longer than a wait takes, whatever stands there. */
export const waitUntil = (at: number, until: number): number => Math.min(until, at + longestWait)

/** The bound that a call of a tool names itself, ms: the model writes that, and more than a tool may take anyway is not believed. */
export const toolLimit = (value: unknown): number | undefined => {
  const millis = count(value)
  return millis === undefined ? undefined : Math.min(millis, toolAllowance)
}
