import { Schema } from "effect"
import { event } from "./EventFields.ts"

/** A guardian brings souffleur back: the owner died, or nobody beat. The intent, before the old process is killed (spec §4). */
export const SouffleurRestored = event("SouffleurRestored", {
  cause: Schema.Literals(["died", "silent"]),
  /** The fence of the owner that is replaced. */
  over: Schema.Int,
  /** Restorations in a row without progress, this one included. */
  restorations: Schema.Int
})
/** Restored again and again without progress: nobody watches any more, and a person is told. The watch can be resumed. */
export const GuardianGaveUp = event("GuardianGaveUp", { restorations: Schema.Int })
