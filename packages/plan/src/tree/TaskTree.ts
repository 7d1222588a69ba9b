import { Text } from "@souffleur/eventlog"
import { Schema } from "effect"

/** A work tree of git's that one task has for itself, on a branch of its own (spec: behaviour#a-work-tree-a-task). */
export const TaskTree = Schema.Struct({
  taskId: Text,
  /** Its root. */
  folder: Text,
  branch: Text,
  /** The commit that it begins from. */
  base: Text
})
export type TaskTree = typeof TaskTree.Type

/** The work tree of a task that is not over. */
export const WorkingTree = Schema.Struct({
  ...TaskTree.fields,
  /** False until its task begins: no agent was in it yet. */
  begun: Schema.Boolean,
  /** A commit of the run's branch that its work must hold before it lands; `null`: the one that it begins from. */
  onto: Schema.NullOr(Text),
  /** Its approved commit, which is to land: `from` is moved to `to`, by the merges `made`. `null`: none is approved. */
  landing: Schema.NullOr(
    Schema.Struct({ head: Text, from: Schema.NullOr(Text), to: Schema.NullOr(Text), made: Schema.Array(Text) })
  )
})
export type WorkingTree = typeof WorkingTree.Type

/** A work tree that its task needs no more. `kept`: why it stays, as a clause; `null`: it is removed next. */
export const LeftTree = Schema.Struct({ ...TaskTree.fields, kept: Schema.NullOr(Text) })
export type LeftTree = typeof LeftTree.Type
