import { type Decision, ok } from "@souffleur/eventlog"
import { attempts, nextWatcher } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Milliseconds of run time after which the next death of a role is unrelated to the last. */
export const steadyRoleMillis = 6 * 3_600_000

/** Returns when the reported role began, epoch ms; `undefined`: it was replaced since. */
const begun = ({ monitor, watcher }: Watch, { number, now, role }: Report): number | undefined => {
  if (role === "watcher") return watcher?.watcher === number ? watcher?.since : undefined
  if (role === "self-monitor") return monitor?.monitor === number ? monitor?.since : undefined
  return now
}

type Report = Extract<WatchCommand, { readonly _tag: "ReportRoleFailed" }>

/**
 * Decides the death of a role by a defect of souffleur's own. The third time in a row it is told, and the role is not
 * started again. A loop of replacements would only look like a working watch. Without a watcher or a self-monitor the
 * watch is in standby.
 */
export const decideRoleFailed = (watch: Watch, command: Report): Decision<Event.WatchEvent> => {
  const { defect, now: at, role } = command
  const since = begun(watch, command)
  if (since === undefined) return ok()
  const failures = (at - since >= steadyRoleMillis ? 0 : (watch.failing[role] ?? 0)) + 1
  const failed = Event.RoleFailed.make({ at, role, defect, failures })
  // A recovery comes to its own end, and would launch beside a standby.
  if (failures < attempts || watch.recovery !== undefined) return ok(failed)
  const gaveUp = Event.RoleGaveUp.make({ at, role, defect, failures })
  // A standby watcher still sees a completion, and a Conductor that came back by itself.
  return role === "self-monitor" ? ok(failed, gaveUp, nextWatcher(watch, at)) : ok(failed, gaveUp)
}
