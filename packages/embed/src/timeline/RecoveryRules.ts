import type { Watch, WatchEvent } from "@souffleur/domain"
import { Schema } from "effect"

/**
 * The end of a recovery. `taken`: the hand-off was taken. `launched`: a command runs again. `untaken`: the successor
 * ended before it took the hand-off. `overruled`: a person named a process, or ended the watch.
 */
export const RecoveryOutcome = Schema.Literals([
  "taken",
  "launched",
  "untaken",
  "failed closed",
  "withheld",
  "exhausted",
  "overruled"
])
export type RecoveryOutcome = typeof RecoveryOutcome.Type

/** The events that a recovery follows from. Its time begins there. */
const causes: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorDied",
  "EndedEarly",
  "ContextExhausted",
  "ContextRecoveryRequested",
  "HandoffRequested",
  "TurnEnded"
])

/** Returns whether a recovery may follow from an event. */
export const isCause = ({ _tag }: WatchEvent): boolean => causes.has(_tag)

/** Returns whether an event begins a recovery, or withholds it. A stop brings nothing back. */
export const beginsRecovery = (
  event: WatchEvent
): event is Extract<WatchEvent, { readonly _tag: "RecoveryStarted" | "RecoveryWithheld" }> =>
  event._tag === "RecoveryWithheld" || (event._tag === "RecoveryStarted" && event.purpose !== "stop")

/**
 * Returns when a recovery that began at `from` was ended by an event. The work is back with the first answer, which the
 * watcher finds at its next look, up to a minute later.
 */
export const endsAt = (from: number, event: WatchEvent): number =>
  event._tag === "HandoffTaken" ? Math.min(event.at, Math.max(from, event.takenAt)) : event.at

/** A running recovery, as far as its end depends on it. */
export interface Running {
  readonly kind: Watch["kind"]
  /** True if its successor is launched. */
  readonly launched: boolean
  /** True if the event ends the watch. */
  readonly over: boolean
}

/** Returns how an event ends a running recovery; `null` if it does not. */
export const outcomeAfter = (event: WatchEvent, { kind, launched, over }: Running): RecoveryOutcome | null => {
  switch (event._tag) {
    case "ConductorRelaunched":
      return kind === "command" ? "launched" : null
    case "HandoffTaken":
      return "taken"
    case "RecoveryFailedClosed":
      return "failed closed"
    case "RecoveryWithheld":
      return "withheld"
    case "RetriesExhausted":
      return "exhausted"
    case "ConductorAdopted":
      return "overruled"
    case "RecoveryStarted":
      return event.purpose === "stop" ? "overruled" : "untaken"
    default:
      if (over) return "overruled"
      return launched && isCause(event) ? "untaken" : null
  }
}
