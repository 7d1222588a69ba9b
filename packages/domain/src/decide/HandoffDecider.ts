import { type Decision, no, ok } from "@souffleur/eventlog"
import { goneOn, heldMessage, recoveryOf, retriesAfter } from "./ExitDecider.ts"
import { iso } from "../Time.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

type Request = Extract<WatchCommand, { readonly _tag: "RequestHandoff" }>

/**
 * Returns why an agent cannot ask for a hand-off now; `undefined`: it can. The agent must be the watched Conductor, and
 * no other recovery may be under way.
 */
export const handoffForbidden = (watch: Watch, sessionId: string): string | undefined => {
  if (sessionId !== watch.sessionId)
    return `the Conductor is session ${watch.sessionId}: it alone can ask for a recovery of its context`
  if (watch.phase === "Validating") return "the watch is not validated yet: ask again in half a minute"
  if (watch.held !== undefined) return `${heldMessage}, and then you can ask again`
  if (watch.standby !== undefined)
    return `souffleur stands by since a recovery failed closed at ${watch.standby.stage}: an operator must retry it, or adopt a process`
  if (watch.wait?.trigger === "handoff")
    return `a recovery is requested already, and nothing is launched before ${iso(watch.wait.until)} (quiet hours)`
  return watch.recovery === undefined ? undefined : "a recovery runs already"
}

/**
 * Decides an agent's own request, where it has no comms to ask in. It counts as the hand-off of its generation (spec:
 * behaviour#words-of-the-agent).
 */
export const decideHandoff = (watch: Watch, command: Request): Decision<Event.WatchEvent> => {
  const { digest, now: at, request, sessionId, tasks } = command
  // The agent repeats a request whose answer was lost. It counts once.
  if (watch.handoff?.request === request) return ok()
  const never = handoffForbidden(watch, sessionId)
  if (never !== undefined) return no("not now", never)
  const retries = retriesAfter(watch, command)
  const counted = { taskCount: tasks?.count ?? null, taskFingerprint: tasks?.fingerprint ?? null, retries }
  const watcher = watch.watcher?.watcher ?? 0
  return ok(
    Event.HandoffRequested.make({ at, sessionId, request, digest, ...counted }),
    ...goneOn(watch, at, watcher),
    ...recoveryOf(watch, at, { trigger: "handoff", retries }, { ...command, watcher })
  )
}
