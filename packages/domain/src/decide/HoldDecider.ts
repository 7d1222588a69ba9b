import { type Decision, no, ok } from "@souffleur/eventlog"
import { nextWatcher, recoveryOf, withheldByHold } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Returns whether a process of the running recovery may be running already, or will be. */
const isLaunching = ({ recovery }: Watch): boolean =>
  Object.values(recovery?.steps ?? {}).some(
    ({ _tag, kind, prepared }) => (kind === "launch" && _tag !== "Failed") || (prepared && _tag === "Started")
  )

/**
 * Decides a `hold`. A running recovery ends where it is, and begins again after the hold. It is refused
 * once that recovery launches: then nothing could be promised (spec: behaviour#hold).
 */
export const decideHold = (
  watch: Watch,
  { byAgent = false, now: at }: Extract<WatchCommand, { readonly _tag: "Hold" }>
): Decision<Event.WatchEvent> => {
  const { recovery } = watch
  if (watch.phase === "Validating") return no("not now", "the watch is not validated yet")
  if (watch.observe) return no("not now", "souffleur only observes here: nothing is launched, and nothing is to hold")
  if (watch.held !== undefined) return ok()
  const held = Event.HoldStarted.make({ at, byAgent })
  // A program that looks at the work stops and launches nothing.
  if (recovery === undefined || recovery.purpose === "check") return ok(held)
  if (recovery.purpose === "end")
    return ok(held, Event.EndingOver.make({ at, cycle: recovery.cycle, ended: false }), nextWatcher(watch, at))
  if (recovery.trigger === "ceiling")
    return no("not now", "a limit of the job is reached, and its agent is being ended")
  if (recovery.purpose === "export") return no("not now", "retries are exhausted: the watch is about to end")
  if (isLaunching(watch)) return no("not now", "a successor is launched at this moment: say it again when it runs")
  return ok(held, withheldByHold(at, recovery), nextWatcher(watch, at))
}

/** Ends a running wait by an operator's word, and begins the recovery that it held back. */
export const endedWait = (
  watch: Watch,
  at: number,
  { trigger }: NonNullable<Watch["wait"]>
): ReadonlyArray<Event.WatchEvent> => {
  const watcher = watch.watcher?.watcher ?? 0
  return [
    Event.WaitEnded.make({ at, watcher, how: "go" }),
    ...recoveryOf(watch, at, { trigger, retries: watch.retries }, { watcher })
  ]
}

/**
 * Decides an operator's `go`. It ends a hold and a wait, and begins the recovery that they held back. Quiet hours do
 * not hold it back then, and a ceiling of use does. An agent's session ends no hold.
 */
export const decideGo = (
  watch: Watch,
  { byAgent = false, now: at }: Extract<WatchCommand, { readonly _tag: "Go" }>
): Decision<Event.WatchEvent> => {
  const { held, standby, wait } = watch
  if (held !== undefined && byAgent)
    return no("never", "only a person may end a hold, and this is an agent's session: use a terminal of your own")
  if (held === undefined && wait === undefined)
    return no("not now", "nothing is held, and nothing is waited for: souffleur goes on by itself")
  const free = { ...watch, held: undefined }
  return ok(
    ...(held === undefined ? [] : [Event.HoldEnded.make({ at })]),
    ...(wait !== undefined
      ? endedWait(free, at, wait)
      : standby?.held === true
        ? recoveryOf(free, at, { trigger: standby.trigger, retries: watch.retries }, { watcher: 0 })
        : [])
  )
}
