import { Schema } from "effect"
import { Count } from "./Bounds.ts"
import { event, Text } from "./EventFields.ts"
import { ProcessIdentity } from "./Process.ts"

/** A guardian brings souffleur back: the owner died, or nobody beat. The intent, before the old process is killed (spec §4). */
export const SouffleurRestored = event("SouffleurRestored", {
  cause: Schema.Literals(["died", "silent"]),
  /** The fence of the owner that is replaced. */
  over: Count,
  /** Restorations in a row without progress, this one included. */
  restorations: Count
})
/** Restored again and again without progress: nobody watches any more, and a person is told. The watch can be resumed. */
export const GuardianGaveUp = event("GuardianGaveUp", { restorations: Count })
/**
 * souffleur is about to end a process of its own making: a guardian that is silent or never beat, or a first launch that another
 * souffleur has claimed. The intent, before the first signal (spec §4).
 */
export const ProcessEnding = event("ProcessEnding", {
  what: Schema.Literals(["guardian", "first launch"]),
  process: ProcessIdentity,
  reason: Text
})
