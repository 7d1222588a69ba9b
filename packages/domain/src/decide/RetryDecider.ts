import { type Decision, no, ok } from "@souffleur/eventlog"
import { nextWatcher } from "./ExitDecider.ts"
import { isUnwatched, type Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/**
 * An operator's `retry`: what failed closed, or was withheld, is tried again (spec: behaviour#standby). Where nothing
 * was, and the user has set a ceiling, as much again is allowed from now on, also before it is reached: who goes to bed
 * says so in advance. With a permission that is the ceiling of every launch from now on, and nothing else is allowed
 * more of.
 */
export const decideRetry = (
  watch: Watch,
  { by, ceilings = false, now: at, permission }: Extract<WatchCommand, { readonly _tag: "Retry" }>
): Decision<Event.WatchEvent> => {
  if (watch.observe)
    return no("not now", "souffleur only observes here: there is nothing to try again, and nothing is launched")
  if (permission !== undefined && by._tag !== "Operator") return no("never", "only a person's word changes the ceiling")
  const granted =
    permission === undefined || permission === watch.pin.ceiling
      ? []
      : [Event.TrustGiven.make({ at, pin: { ...watch.pin, ceiling: permission }, by: "retry" })]
  // Nobody has looked at the Conductor since: it is watched again, and not recovered.
  if (isUnwatched(watch)) return ok(Event.RecoveryRetried.make({ at, cycle: watch.cycles }), nextWatcher(watch, at))
  if (watch.standby !== undefined) {
    return ok(
      ...granted,
      Event.RecoveryRetried.make({ at, cycle: watch.standby.cycle }),
      Event.RecoveryStarted.make({ at, cycle: watch.cycles + 1, purpose: "relaunch", trigger: watch.standby.trigger })
    )
  }
  if (permission !== undefined) return ok(...granted)
  if (ceilings || watch.ceiling !== undefined) return ok(Event.AllowanceRenewed.make({ at }))
  return no(
    "not now",
    "no recovery has failed closed, and no ceiling is set (MAX_TOKENS, MAX_TIME): there is nothing to try again, or to allow more of"
  )
}
