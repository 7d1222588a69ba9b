import { type Decision, no, ok } from "@souffleur/eventlog"
import { Result } from "effect"
import { decideHandover, failedHandover } from "./HandoverDecider.ts"
import { cycleOf, nextWatcher, withheldByHold } from "./ExitDecider.ts"
import { endedWait } from "./HoldDecider.ts"
import { highest } from "./PinDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import { isUnwatched } from "../watch/WatchRole.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/**
 * Decides an operator's `retry`, which tries a failed or withheld recovery again (spec: behaviour#standby), ends the
 * pause of a command, or renews a ceiling of use or a limit of the job, even before it is reached. An agent's word
 * renews none. A permission becomes the ceiling of every launch from now on, and renews no ceiling of use. If a person
 * names another agent, that agent takes the conversation over.
 */
export const decideRetry = (
  watch: Watch,
  {
    by,
    byAgent = false,
    byPhone = false,
    ceilings = false,
    handover,
    headless = false,
    now: at,
    permission
  }: Extract<WatchCommand, { readonly _tag: "Retry" }>
): Decision<Event.WatchEvent> => {
  if (watch.observe)
    return no("not now", "souffleur only observes here: there is nothing to try again, and nothing is launched")
  if (permission !== undefined && by._tag !== "Operator") return no("never", "only a person may change the ceiling")
  const granted =
    permission === undefined || permission === highest(watch)
      ? []
      : [Event.TrustGiven.make({ at, pin: { ...watch.pin, ceiling: permission }, by: "retry" })]
  const { recovery, standby } = watch
  if (recovery?.trigger === "ceiling")
    return no("not now", "a limit of the job is reached, and its agent is being ended")
  const said = byPhone ? "phone" : byAgent ? "agent" : "operator"
  if (said !== "operator" && watch.ceiling !== undefined)
    return no("never", "only a person may allow as much use again")
  if (handover !== undefined)
    return by._tag === "Operator"
      ? Result.map(decideHandover(watch, handover, at), (events) => [...granted, ...events])
      : no("never", "only a person may hand the work to another agent")
  // An end before the role gave up is counted already: a watcher would count it a second time.
  if (standby !== undefined && isUnwatched(watch) && (watch.held !== undefined || !standby.ended))
    return ok(
      Event.RecoveryRetried.make({ at, cycle: watch.cycles, by: said, headless }),
      ...(standby.ended ? [withheldByHold(at, { cycle: watch.cycles, trigger: standby.trigger })] : []),
      nextWatcher(watch, at)
    )
  if (watch.held !== undefined)
    return permission === undefined
      ? no("not now", 'an operator holds the watch, and nothing is launched until they say "go"')
      : ok(...granted)
  const failed = failedHandover(watch)
  if (standby !== undefined && failed?.unfit === true)
    return no(
      "not now",
      `${watch.agent} cannot take the conversation over (${standby.message}): a retry with agent ${watch.handedFrom} has that one go on, and one with agent ${watch.agent} tries again`
    )
  if (standby !== undefined)
    return ok(
      ...granted,
      Event.RecoveryRetried.make({ at, cycle: standby.cycle, by: said, headless }),
      // More is allowed from now on, so the stop that failed is not tried again.
      standby.trigger === "ceiling" ? nextWatcher(watch, at) : cycleOf(watch, at, standby.trigger)
    )
  if (headless) return no("not now", "no recovery has failed closed: there is nothing to launch without a window")
  if (permission !== undefined) return ok(...granted)
  const renewed =
    said === "operator" && (ceilings || (watch.ceiling ?? watch.limits ?? undefined) !== undefined)
      ? [Event.AllowanceRenewed.make({ at })]
      : []
  // A command that has died is run again now.
  if (watch.wait?.kind === "pause")
    return ok(...renewed, ...endedWait({ ...watch, ceiling: undefined }, at, watch.wait))
  if (renewed.length > 0) return ok(...renewed)
  return no(
    "not now",
    "no recovery has failed closed, and no ceiling is set (MAX_TOKENS, MAX_DOLLARS, MAX_TIME): there is nothing to retry, and no allowance to renew"
  )
}
