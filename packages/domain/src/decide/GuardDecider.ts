import { Equal } from "effect"
import { type Decision, no, ok } from "@souffleur/eventlog"
import { attempts } from "./ExitDecider.ts"
import type { Watch } from "../watch/Watch.ts"
import type { WatchCommand } from "../watch/WatchIntent.ts"
import * as Event from "../event/WatchEvent.ts"

/** Milliseconds that a restored souffleur has run, after which its next death has nothing to do with the last. */
const steadyAfter = 600_000

/** What a souffleur also does that dies at once each time: none of it says that the watch goes on. */
export const merelyStarted: ReadonlySet<Event.WatchEvent["_tag"]> = new Set([
  "OwnerTook",
  "OwnerLeft",
  "SouffleurRestored",
  "ProcessEnding",
  "RoleFailed",
  "WatcherStarted",
  "WatcherLost",
  "SelfMonitorStarted",
  "SelfMonitorStopped",
  "StepStarted",
  "ConfigOverreached",
  "ConfigWithdrawn"
])

/**
 * What becomes of souffleur's own processes: one that is brought back by its guardian, or one that it has started and
 * ends (spec: behaviour#guardian).
 */
export const decideGuard = (
  watch: Watch,
  command: Extract<WatchCommand, { readonly _tag: "Restore" | "EndProcess" }>
): Decision<Event.WatchEvent> => {
  const at = command.now
  if (command._tag === "EndProcess") {
    const { process, reason, what } = command
    if (what === "first launch" && watch.phase !== "Validating") return no("not now", "the watch is validated")
    return Equal.equals(process, watch.ending) ? ok() : ok(Event.ProcessEnding.make({ at, what, process, reason }))
  }
  if (watch.owner === undefined) return no("not now", "its souffleur has left")
  if (watch.fence !== command.over) return no("owned", "another souffleur has taken this watch meanwhile")
  const before = watch.restored !== undefined && at - watch.restored.at < steadyAfter ? watch.restored.restorations : 0
  return before < attempts
    ? ok(Event.SouffleurRestored.make({ at, cause: command.cause, over: command.over, restorations: before + 1 }))
    : ok(Event.GuardianGaveUp.make({ at, restorations: before }))
}
