import { type Decision, ok } from "@souffleur/eventlog"
import { attempts, nextWatcher } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Milliseconds that a part of souffleur has run, after which its death has nothing to do with the one before. */
export const steadyAfter = 6 * 3_600_000

/** When the role began that is reported; `undefined`: that one was replaced since. */
const begun = ({ monitor, watcher }: Watch, { number, now, role }: Report): number | undefined => {
  if (role === "watcher") return watcher?.watcher === number ? watcher?.since : undefined
  if (role === "self-monitor") return monitor?.monitor === number ? monitor?.since : undefined
  return now
}

type Report = Extract<WatchCommand, { readonly _tag: "ReportRoleFailed" }>

/**
 * A role that died of a defect of souffleur's own. The third time in a row it is told and not started again: a loop of
 * replacements would look like a watch that is looked after. A watch without a watcher or a self-monitor stands by.
 */
export const decideRoleFailed = (watch: Watch, command: Report): Decision<Event.WatchEvent> => {
  const { defect, now: at, role } = command
  const since = begun(watch, command)
  if (since === undefined) return ok()
  const failures = (at - since >= steadyAfter ? 0 : (watch.failing[role] ?? 0)) + 1
  const failed = Event.RoleFailed.make({ at, role, defect, failures })
  if (failures < attempts) return ok(failed)
  const gaveUp = Event.RoleGaveUp.make({ at, role, defect, failures })
  // A watcher still looks whether the work is complete, and whether the Conductor came back by itself.
  return role === "self-monitor" ? ok(failed, gaveUp, nextWatcher(watch, at)) : ok(failed, gaveUp)
}
