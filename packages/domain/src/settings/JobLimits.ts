import { Count } from "@souffleur/eventlog"
import { Schema } from "effect"

/** What follows at a limit: the agent is ended, and its watch with it, or only nothing more is launched. */
export const AtLimit = Schema.Literals(["stop", "withhold"])
export type AtLimit = typeof AtLimit.Type

/** What may be limited. */
export const Limited = Schema.Literals(["time", "tokens", "dollars"])
export type Limited = typeof Limited.Type

const limit = Schema.NullOr(Count)

/**
 * What one job may use over all its generations, as whoever began it said: milliseconds on the clock, tokens, and
 * hundredths of a dollar; `null`: as much as the settings allow (spec: behaviour#limits-of-a-job).
 */
export const JobLimits = Schema.Struct({ time: limit, tokens: limit, dollars: limit, then: AtLimit })
export type JobLimits = typeof JobLimits.Type

interface LimitedWatch {
  /** When the count of use began, epoch ms. */
  readonly allowedSince: number
  readonly limits: JobLimits | null
}

/** Returns whether a limit of time that stops is over at a moment (epoch ms). */
export const isTimeOver = ({ allowedSince, limits }: LimitedWatch, now: number): boolean =>
  limits?.then === "stop" && limits.time !== null && now - allowedSince >= limits.time
