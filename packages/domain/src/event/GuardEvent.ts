import { Schema } from "effect"
import { Count, event, Text } from "@souffleur/eventlog"
import { ProcessIdentity } from "../port/Process.ts"

/**
 * A guardian restores souffleur, whose owner died or fell silent. This is the intent, before the old process is killed
 * (spec: behaviour#guardian).
 */
export const SouffleurRestored = event("SouffleurRestored", {
  reason: Schema.Literals(["died", "silent"]),
  /** The fence of the replaced owner. */
  over: Count,
  /** Restorations in a row without progress, this one included. */
  restorations: Count
})
/**
 * Restorations in a row brought no progress. The watch has no souffleur any more, and a person is told. The watch can
 * be resumed.
 */
export const GuardianGaveUp = event("GuardianGaveUp", { restorations: Count })
/** souffleur's own roles in a watch. The death of a role does the Conductor no harm. */
export const OwnRole = Schema.Literals(["watcher", "self-monitor", "narrator", "publisher", "notifier"])
export type OwnRole = typeof OwnRole.Type
/**
 * A role died of a defect. The log has its kind and place, never its message. `failures`: deaths of that role in a row,
 * this one included.
 */
export const RoleFailed = event("RoleFailed", { role: OwnRole, defect: Text, failures: Count })
/**
 * A role died so three times in a row, and is not started again. Without a watcher or a self-monitor the watch is in
 * standby: it recovers only after an operator's retry.
 */
export const RoleGaveUp = event("RoleGaveUp", { role: OwnRole, defect: Text, failures: Count })

/**
 * souffleur is about to end a process of its own making. It is a guardian that is silent or never beat, or a first
 * launch that another souffleur has claimed. This is the intent, before the first signal (spec: behaviour#guardian).
 */
export const ProcessEnding = event("ProcessEnding", {
  what: Schema.Literals(["guardian", "first launch"]),
  process: ProcessIdentity,
  message: Text
})
