import { type JobLimits, type ResolvedSettings, Words } from "@souffleur/domain"
import { Duration } from "effect"
import type { Run } from "../run/Run.ts"

/** Returns what all agents of a run may use together, by the settings; `null`: as much as they like. */
const allowedBy = ({
  maxDollars,
  maxTime,
  maxTokens
}: Pick<ResolvedSettings, "maxDollars" | "maxTime" | "maxTokens">): Omit<JobLimits, "then"> => ({
  time: maxTime === null ? null : Duration.toMillis(maxTime),
  tokens: maxTokens,
  dollars: maxDollars === null ? null : Math.round(maxDollars * 100)
})

/**
 * Says which ceiling of use a run has reached at a moment (epoch ms; spec: behaviour#allowance-of-a-run); `undefined`:
 * none.
 */
export const ceilingReached = (
  { allowedSince, used }: Run,
  settings: Parameters<typeof allowedBy>[0],
  now: number
): string | undefined => {
  const { dollars, time, tokens } = allowedBy(settings)
  if (tokens !== null && used.tokens >= tokens)
    return `${Words.count(used.tokens)} of ${Words.count(tokens)} tokens are used`
  if (dollars !== null && used.dollars >= dollars)
    return `${Words.dollars(used.dollars)} of ${Words.dollars(dollars)} are spent`
  const passed = now - allowedSince
  return time !== null && passed >= time
    ? `the run has gone on for ${Words.duration(passed)} of ${Words.duration(time)}`
    : undefined
}

/** Returns whether no further task of a run begins, as its time is up. */
export const isDeadlineOver = ({ chosen }: Run, now: number): boolean => now >= (chosen?.deadline ?? Infinity)
