import { latest, Measure, Text, Time } from "@souffleur/eventlog"
import { Duration, Schema } from "effect"
import { CeilingKind } from "./Cap.ts"

/**
 * A limit that is not reached, and when it will be at the rate of now. `usage`: a limit of the service, in per cent, by
 * the agent's own records. The others are a person's, and counted as in `CeilingReached`.
 */
export const LimitAhead = Schema.Struct({
  limit: Schema.Literals(["usage", ...CeilingKind.literals]),
  /** The agent's own flag, where the user caps it; `null`: it is no cap. */
  flag: Schema.NullOr(Text),
  used: Measure,
  of: Measure,
  /** The ms after which a limit of the service begins anew, and when it does so next, epoch ms. */
  span: Schema.NullOr(Measure),
  resetsAt: Schema.NullOr(Time),
  /** Epoch ms. `null`: it is not reached before it begins anew, or nothing is used. */
  reachedAt: Schema.NullOr(Time),
  /** A limit of time is reached at its time. Any other depends on the rate. */
  basis: Schema.Literals(["exact", "estimated"])
})
export type LimitAhead = typeof LimitAhead.Type

/** A limit that will be reached. */
export interface ComingLimit extends LimitAhead {
  readonly reachedAt: number
}

/** What tells one limit from another, and the end of the window in which it was told. */
export const ToldLimit = Schema.Struct({
  limit: LimitAhead.fields.limit,
  flag: LimitAhead.fields.flag,
  span: LimitAhead.fields.span,
  resetsAt: LimitAhead.fields.resetsAt
})
export type ToldLimit = typeof ToldLimit.Type

/** How much of a limit was used from one moment to another, both epoch ms. */
export interface LimitUse extends Pick<LimitAhead, "limit" | "used" | "of"> {
  readonly since: number
  readonly at: number
  readonly flag?: string
  readonly span?: number
  readonly resetsAt?: number
}

/** Foresees when a limit is reached if its use goes on as it did so far (spec: behaviour#limits-that-come). */
export const lookAhead = (use: LimitUse, now: number): LimitAhead => {
  const { at, flag = null, limit, of, resetsAt = null, since, span = null, used } = use
  const rate = limit === "time" ? 1 : at > since ? Math.max(0, used) / (at - since) : 0
  const reached = Math.max(now, since + of / rate)
  return {
    limit,
    flag,
    used: Math.floor(used),
    of,
    span,
    resetsAt,
    reachedAt: reached < (resetsAt ?? latest) ? Math.round(reached) : null,
    basis: limit === "time" ? "exact" : "estimated"
  }
}

/** How long before its limit a person is told, ms. */
const leadMillis = Duration.toMillis("30 minutes")

/** Returns whether a person is told of a limit now: little of it is left, or half of it is used and it is soon over. */
export const isComing = (one: LimitAhead, now: number): one is ComingLimit =>
  one.reachedAt !== null &&
  (one.used >= one.of * 0.9 || (one.used >= one.of * 0.5 && one.reachedAt - now <= leadMillis))

/** Returns whether two are the same limit, whatever is used of it. */
const isSameLimit = (one: ToldLimit, other: ToldLimit): boolean =>
  one.limit === other.limit && one.flag === other.flag && one.span === other.span

/** Returns whether a limit was told, and has not begun anew since. `at`: epoch ms. */
export const isTold = (told: ReadonlyArray<ToldLimit>, limit: ToldLimit, at: number): boolean =>
  told.some((one) => isSameLimit(one, limit) && (one.resetsAt === null || one.resetsAt > at))

/** Remembers that a limit was told. */
export const withTold = (
  told: ReadonlyArray<ToldLimit>,
  { flag, limit, resetsAt, span }: ToldLimit
): ReadonlyArray<ToldLimit> => {
  const now = { flag, limit, resetsAt, span }
  return [...told.filter((one) => !isSameLimit(one, now)), now]
}
