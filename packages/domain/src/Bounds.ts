import { isBetween, latest } from "@souffleur/eventlog"
import { Schema } from "effect"

/*
 * The bounds of numbers and times from outside. Each reader checks a value here once, and behind that border it is in
 * range. So no event is made that its own schema refuses. Anyone may have written in a log. A value that is only told
 * or waited for is read as the nearest value in range. A value that is acted upon must be exact.
 */

const day = 86_400_000

/** The longest believable wait, ms. The longest limit of the service is a week, so a longer time is no wait. */
export const maxWaitMillis = 8 * day

/**
 * The time of a tool without a bound of its own, ms. A subagent or a tool of another server may work for more than an
 * hour.
 */
export const maxToolMillis = 2 * 3_600_000

/** A text from outside, of `maxLength` UTF-16 units at most. An empty or longer text is refused. */
export const words = (maxLength: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(maxLength))

/** A process id in the range of Linux (proc(5), pid_max). */
export const Pid = isBetween(1, 4_194_304)
/** The start of a process, as the system counts it. */
export const StartTime = isBetween(0, Number.MAX_SAFE_INTEGER)
/** The longest session id, in characters (spec: behaviour#naming-a-conductor). */
export const sessionIdLength = 128
/** The longest path that the system takes, in bytes (limits.h, PATH_MAX). */
export const pathLength = 4096

/** Reads a count from outside, rounded; `undefined`: it is no count. */
export const count = (value: unknown): number | undefined => {
  const whole = typeof value === "number" ? Math.round(value) : Number.NaN
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

/** Adds counts. The sum is at most the greatest safe integer. */
export const sum = (counts: ReadonlyArray<number>): number =>
  Math.min(
    Number.MAX_SAFE_INTEGER,
    counts.reduce((total, count) => total + count, 0)
  )

/** Reads a moment from outside, epoch ms, from 1970 on; `undefined`: it is no moment. */
export const time = (value: unknown): number | undefined => {
  const at = count(value)
  return at !== undefined && at <= latest ? at : undefined
}

/** Reads a duration from outside that is waited for, ms; `undefined`: it is no believable wait. */
export const wait = (value: unknown): number | undefined => {
  const millis = count(value)
  return millis !== undefined && millis <= maxWaitMillis ? millis : undefined
}

/** Returns the end of a wait that a log states, epoch ms. It is never later than the longest wait after `at`. */
export const waitUntil = (at: number, until: number): number => Math.min(until, at + maxWaitMillis)

/** The longest time that a user's own setting gives a tool or a call to the model, ms. */
const maxSetMillis = day

/** Reads a limit in ms that a user has set, as a number or a text; `undefined`: it is none. It is at most a day. */
export const setLimit = (value: unknown): number | undefined => {
  const millis = count(typeof value === "string" && /^\d+$/u.test(value) ? Number(value) : value)
  return millis === undefined ? undefined : Math.min(millis, maxSetMillis)
}

/**
 * Reads the bound that a tool call states itself, ms. The model writes that bound, so it is cut to the longest time of
 * a tool, or to the longer one that the user has `set`.
 */
export const toolLimit = (value: unknown, set = 0): number | undefined => {
  const millis = count(value)
  return millis === undefined ? undefined : Math.min(millis, Math.max(set, maxToolMillis))
}
