import { isBetween, latest } from "@souffleur/eventlog"
import { Schema } from "effect"

/*
 * What a number or a time from outside may be. Who reads it asks here, once; behind that border every value is in
 * range, so that no event is ever made that its own schema refuses. In a log anybody may have written: what is only
 * told or waited for is read as the nearest value in range, and what somebody acts upon must be exact.
 */

const day = 86_400_000

/** ms. The longest limit of the service is a week; what says that it takes longer than this is no wait. */
export const longestWait = 8 * day

/**
 * What a tool may take that has no bound of its own, ms: a subagent or a tool of another server may work for an hour
 * and more.
 */
export const toolAllowance = 2 * 3_600_000

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

/**
 * The bound that a call of a tool names itself, ms: the model writes that, and more than a tool may take anyway is not
 * believed.
 */
export const toolLimit = (value: unknown): number | undefined => {
  const millis = count(value)
  return millis === undefined ? undefined : Math.min(millis, toolAllowance)
}
