import { Count, Text, Time } from "@souffleur/eventlog"
import { Schema } from "effect"
import { Trigger } from "../event/EventFields.ts"
import * as Event from "../event/WatchEvent.ts"
import { Terminal } from "../port/Launcher.ts"

const step = {
  kind: Event.StepKind,
  /** A launch file was written in it. */
  prepared: Schema.Boolean
}

/** The result of a recovery step so far. Its intent is always first. */
export const StepState = Schema.Union([
  Schema.TaggedStruct("Started", { ...step, attempt: Count, token: Text }),
  Schema.TaggedStruct("Succeeded", { ...step, outcome: Schema.Unknown }),
  Schema.TaggedStruct("Failed", { ...step, failure: Schema.Unknown })
])
export type StepState = typeof StepState.Type

/** The recovery that runs, folded from its events. */
export const RecoveryCycle = Schema.Struct({
  cycle: Count,
  purpose: Event.Purpose,
  trigger: Trigger,
  since: Time,
  /** Another souffleur took the watch over since, and the Conductor was not looked at meanwhile. */
  resumed: Schema.Boolean,
  /** The providers that have escalated. */
  escalated: Schema.Array(Text),
  steps: Schema.Record(Text, StepState),
  /** The terminals that opened no window in this cycle. */
  refused: Schema.Array(Terminal),
  /** The newest launch of this cycle whose file was written. */
  launch: Schema.optional(Event.LaunchPrepared)
})
export type RecoveryCycle = typeof RecoveryCycle.Type
