import { event, Text } from "@souffleur/eventlog"
import { Schema } from "effect"
import { TaskTree } from "./TaskTree.ts"

/* The events of the work trees of tasks: each act has one before it, and one after it. */

/** A task is about to get this work tree. */
export const TreeChosen = event("TreeChosen", TaskTree.fields)
/** Approved work is about to land: the run's branch moves from `from` to `to`. `made`: merges for that. */
export const LandingPlanned = event("LandingPlanned", {
  taskId: Text,
  from: Text,
  to: Text,
  made: Schema.Array(Text)
})
/** Approved work does not go together with `onto`, where the run's branch is. `message`: why, as a clause. */
export const LandingRefused = event("LandingRefused", { taskId: Text, onto: Text, message: Text })
/** A work tree that was needed no more is removed with its branch. `kept`: why it stays; `null`: it does not. */
export const TreeCleared = event("TreeCleared", { taskId: Text, folder: Text, kept: Schema.NullOr(Text) })
