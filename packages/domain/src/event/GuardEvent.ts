import { Schema } from "effect"
import { Count, event, Text } from "@souffleur/eventlog"
import { ProcessIdentity } from "../port/Process.ts"

/**
 * A guardian brings souffleur back: the owner died, or nobody beat. The intent, before the old process is killed
 * (spec: behaviour#guardian).
 */
export const SouffleurRestored = event("SouffleurRestored", {
  cause: Schema.Literals(["died", "silent"]),
  /** The fence of the owner that is replaced. */
  over: Count,
  /** Restorations in a row without progress, this one included. */
  restorations: Count
})
/**
 * Restored again and again without progress: nobody watches any more, and a person is told. The watch can be resumed.
 */
export const GuardianGaveUp = event("GuardianGaveUp", { restorations: Count })
/** What souffleur runs of its own in a watch, and what may die of a defect without any harm to the Conductor. */
export const OwnRole = Schema.Literals(["watcher", "self-monitor", "narrator", "publisher", "notifier"])
export type OwnRole = typeof OwnRole.Type
/**
 * One of them died of a defect: its kind and place, never what it says. `failures`: of that role in a row, this one
 * included.
 */
export const RoleFailed = event("RoleFailed", { role: OwnRole, defect: Text, failures: Count })
/**
 * It died so three times in a row, and is not started again. Without a watcher or a self-monitor the watch stands by:
 * nobody is recovered until an operator says so.
 */
export const RoleGaveUp = event("RoleGaveUp", { role: OwnRole, defect: Text, failures: Count })

/**
 * souffleur is about to end a process of its own making: a guardian that is silent or never beat, or a first launch
 * that another souffleur has claimed. The intent, before the first signal (spec: behaviour#guardian).
 */
export const ProcessEnding = event("ProcessEnding", {
  what: Schema.Literals(["guardian", "first launch"]),
  process: ProcessIdentity,
  reason: Text
})
