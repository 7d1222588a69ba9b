import { type WatchEvent, watches } from "@souffleur/domain"
import { Effect, Option } from "effect"
import type { NamedWatch } from "../watching/FindWatch.ts"

/** A recovery, with what it came from and what came of it. */
export interface LastRecovery {
  /** The event that it followed from; `undefined`: it is not known. */
  readonly reason: WatchEvent | undefined
  /** Its result, or its begin while it runs. */
  readonly came: WatchEvent
}

/** The events that a recovery follows from. */
const reasons: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "ContextRecoveryRequested",
  "ContextExhausted",
  "HandoffRequested",
  "TurnEnded",
  "EndedEarly",
  "RecoveryRetried",
  "AgentChosen"
])
const isReason = (event: WatchEvent) => reasons.has(event._tag) || (event._tag === "WaitEnded" && event.how === "over")

/** The events that end a recovery. */
const results: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorRelaunched",
  "RecoveryFailedClosed",
  "RetriesExhausted"
])

/** Returns the last recovery of a watch. `None`: there was none. It reads the newest events alone. */
export const lastRecoveryOf = Effect.fn("lastRecoveryOf")(function* ({ id, watch }: NamedWatch) {
  if (watch.cycles === 0) return Option.none<LastRecovery>()
  const events = yield* watches.tail(id, watch.revision, (events) => {
    const started = events.findLastIndex(({ _tag }) => _tag === "RecoveryStarted")
    return events.slice(0, Math.max(0, started)).some(isReason)
  })
  const started = events.findLastIndex(({ _tag }) => _tag === "RecoveryStarted")
  if (started === -1) return Option.none<LastRecovery>()
  const came = events.slice(started).find(({ _tag }) => results.has(_tag)) ?? events[started]!
  return Option.some<LastRecovery>({ reason: events.slice(0, started).findLast(isReason), came })
})
