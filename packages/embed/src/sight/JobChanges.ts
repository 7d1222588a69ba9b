import { workChanges } from "@souffleur/plan"
import { Effect } from "effect"
import { findWatch, type WatchName } from "../watching/FindWatch.ts"

/** Returns how the work tree of a watch differs from how it was when the watch began. */
export const watchChanges = Effect.fn("Souffleur.watchChanges")(function* (name: WatchName) {
  const { watch } = yield* findWatch(name)
  return yield* workChanges(watch.project, watch.openedAt)
})
