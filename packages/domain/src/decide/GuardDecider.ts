import { Equal } from "effect"
import { type Decision, no, ok } from "@souffleur/eventlog"
import { attempts } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Milliseconds of run time after which the next death of a restored souffleur is unrelated to the last. */
const steadyGuardMillis = 600_000

/** Events that a souffleur also writes when it dies at once each time, so that none of them shows progress. */
export const eventsOfStarts: ReadonlySet<Event.WatchEvent["_tag"]> = new Set([
  "OwnerTook",
  "OwnerLeft",
  "WatchMoved",
  "SouffleurRestored",
  "ProcessEnding",
  "RoleFailed",
  "WatcherStarted",
  "WatcherLost",
  "SelfMonitorStarted",
  "SelfMonitorStopped",
  "StepStarted",
  "ConfigOverreached",
  "ConfigWithdrawn",
  "NoticeLost",
  "ButtonsOffered",
  "PhoneWordRefused"
])

/**
 * Decides the fate of souffleur's own processes (spec: behaviour#guardian). A guardian restores a souffleur, or a
 * souffleur ends a process that it started.
 */
export const decideGuard = (
  watch: Watch,
  command: Extract<WatchCommand, { readonly _tag: "Restore" | "EndProcess" }>
): Decision<Event.WatchEvent> => {
  const at = command.now
  if (command._tag === "EndProcess") {
    const { process, message, what } = command
    if (what === "first launch" && watch.phase !== "Validating") return no("not now", "the watch is validated")
    return Equal.equals(process, watch.ending) ? ok() : ok(Event.ProcessEnding.make({ at, what, process, message }))
  }
  if (watch.owner === undefined) return no("not now", "its souffleur has left")
  if (watch.fence !== command.over) return no("owned", "another souffleur has taken this watch meanwhile")
  const restorations =
    watch.restored !== undefined && at - watch.restored.at < steadyGuardMillis ? watch.restored.restorations : 0
  return restorations < attempts
    ? ok(
        Event.SouffleurRestored.make({ at, reason: command.reason, over: command.over, restorations: restorations + 1 })
      )
    : ok(Event.GuardianGaveUp.make({ at, restorations }))
}
