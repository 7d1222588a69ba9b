import { Clock, Duration, Effect } from "effect"
import { highest, type Pinned, type PinIntent } from "../decide/PinDecider.ts"
import { Agent } from "../port/Agent.ts"
import { nothingSpent } from "../port/AgentSession.ts"
import { type AtLimit, Limited } from "../settings/JobLimits.ts"
import type { Permission } from "../settings/Permission.ts"
import { lower } from "../settings/Pin.ts"
import { CycleSettings, type ResolvedSettings, Settings } from "../settings/Settings.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchRef } from "../watch/WatchRef.ts"
import { capsOf, capUse, loggedAmount } from "./Cap.ts"
import { lookAhead, type LimitAhead, type LimitUse } from "./LimitAhead.ts"
import type { SessionSigns } from "./Signs.ts"

/**
 * Returns the ceiling at this moment: the lowest of the pinned ceiling, the config file's and the caller's own word
 * (spec: behaviour#permission-ceiling). Reports an excess of the file to the watch or run.
 */
export const ceilingNow = Effect.fn("ceilingNow")(function* <State extends Pinned, E, R>(
  dispatch: (intent: Extract<PinIntent, { readonly _tag: "ReportConfig" }>) => Effect.Effect<State, E, R>
) {
  const { maxExternalPermission: ceiling, said } = yield* yield* CycleSettings
  const held = yield* dispatch({
    _tag: "ReportConfig",
    said: { ceiling, limits: said?.limits ?? null, pace: said?.pace ?? null, programs: said?.programs ?? null }
  })
  return lower(highest(held), ceiling) satisfies Permission
})

/** One limit that is in force. */
interface Bound {
  readonly ceiling: Limited
  readonly limit: number
  readonly then: AtLimit
}

/** Returns the limits in force, first those that stop. A job's own outrank the settings. */
const boundsOf = (
  { limits }: Pick<Watch, "limits">,
  { maxDollars, maxTime, maxTokens }: ResolvedSettings
): ReadonlyArray<Bound> => {
  const set = {
    time: maxTime === null ? null : Duration.toMillis(maxTime),
    tokens: maxTokens,
    dollars: maxDollars === null ? null : Math.round(maxDollars * 100)
  }
  return Limited.literals
    .flatMap((ceiling): ReadonlyArray<Bound> => {
      const [own, setting] = [limits?.[ceiling] ?? null, set[ceiling]]
      if (own !== null) return [{ ceiling, limit: own, then: limits?.then ?? "stop" }]
      return setting === null ? [] : [{ ceiling, limit: setting, then: "withhold" }]
    })
    .toSorted((one, other) => Number(one.then === "withhold") - Number(other.then === "withhold"))
}

/** Returns what was used until now of all that is bounded. The records are read only where a bound needs them. */
const usedOf = Effect.fnUntraced(function* (
  { allowedSince, sessions }: Watch,
  bounds: ReadonlyArray<Bound>
): Effect.fn.Return<Record<Limited, number>, never, Agent> {
  const time = (yield* Clock.currentTimeMillis) - allowedSince
  const isCounted = bounds.some(({ ceiling }) => ceiling !== "time")
  const { dollars, tokens } = isCounted ? yield* (yield* Agent).spent(sessions, allowedSince) : nothingSpent
  return { time, tokens, dollars: Math.round(dollars * 100) }
})

/**
 * Foresees each limit that is in use and not reached: those of the service by the agent's `signs`, those of the
 * settings and of the job, and the user's own caps.
 */
export const limitsAhead = Effect.fnUntraced(function* (
  watch: Watch,
  settings: ResolvedSettings,
  signs: SessionSigns | undefined
): Effect.fn.Return<ReadonlyArray<LimitAhead>, never, Agent> {
  const now = yield* Clock.currentTimeMillis
  const agent = yield* Agent
  const { allowedSince, capsSince = allowedSince, ceiling, kind, sessions } = watch
  const bounds = ceiling === undefined ? boundsOf(watch, settings) : []
  const used = yield* usedOf(watch, bounds)
  const caps = ceiling === undefined && kind === "agent" ? capsOf(watch, agent) : []
  const spent = caps.length === 0 ? nothingSpent : yield* agent.spent(sessions, capsSince)
  const capped = capUse(spent, capsSince, now)
  const uses: ReadonlyArray<LimitUse> = [
    ...(signs?.limits ?? []).flatMap(({ at, resetsAt, span, used }) =>
      resetsAt > now ? [{ limit: "usage" as const, used, of: 100, since: resetsAt - span, at, span, resetsAt }] : []
    ),
    ...bounds.map(({ ceiling, limit }) => ({
      limit: ceiling,
      used: used[ceiling],
      of: limit,
      since: allowedSince,
      at: now
    })),
    ...caps.map(({ flag, kind, limit }) => ({
      limit: kind,
      flag,
      used: loggedAmount(kind, capped[kind]),
      of: loggedAmount(kind, limit),
      since: capsSince,
      at: now
    }))
  ]
  return uses
    .filter(({ of, used }) => used < of)
    .map((use) => lookAhead(use, now))
    .filter(({ reachedAt, resetsAt }) => (reachedAt ?? resetsAt) !== null)
})

/**
 * Reports each limit that is reached: the time of the watch, or the tokens or dollars of all its sessions. Returns the
 * milliseconds until the limit of time; `Infinity`: there is none, or it is over.
 */
export const tellLimits = Effect.fnUntraced(function* ({ dispatch, state }: WatchRef) {
  const settings = yield* Settings
  // The state is read again: an operator may have allowed as much again since the caller began.
  const watch = yield* state
  const { allowedSince: since, ceiling: reached } = watch
  const bounds = boundsOf(watch, settings).filter(({ then }) => then === "stop" || reached === undefined)
  if (bounds.length === 0) return Infinity
  const used = yield* usedOf(watch, bounds)
  for (const { ceiling, limit, then } of bounds)
    if (used[ceiling] >= limit)
      yield* dispatch({ _tag: "ReportCeiling", since, ceiling, used: used[ceiling], limit, then })
  const left = (bounds.find(({ ceiling }) => ceiling === "time")?.limit ?? Infinity) - used.time
  return left > 0 ? left : Infinity
})
