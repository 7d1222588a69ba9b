import { Count, Text, Time } from "@souffleur/eventlog"
import { Schema } from "effect"

const Texts = Schema.Array(Schema.String)

/**
 * A task as the log knows it. `digest`: SHA-256 of what the plan tells an agent of it; absent where it was not read.
 */
export const TaskOutline = Schema.Struct({ id: Text, title: Text, dependsOn: Texts, digest: Schema.optionalKey(Text) })
export type TaskOutline = typeof TaskOutline.Type

/** What a reviewer that rejected had to say (spec: behaviour#verdicts-of-agents). */
export const Feedback = Schema.Struct({ attempt: Count, summary: Text, issues: Texts, suggestions: Texts })
export type Feedback = typeof Feedback.Type

/** What git says that an implementation is. */
export const Work = Schema.Struct({
  /** Oldest first, whole hashes. */
  commits: Texts,
  /** As git names them, relative to the project; one beside it begins with `../`. */
  files: Texts,
  /** One of `files`, there at its end, that the implementer calls its test; `null`: none. */
  testFile: Schema.NullOr(Text)
})
export type Work = typeof Work.Type

export const EscalationCause = Schema.Literals([
  "rejections",
  "blocked",
  "implementer failures",
  "reviewer failures",
  "unproven"
])
export type EscalationCause = typeof EscalationCause.Type

export const ImportedTask = Schema.Struct({
  id: Text,
  status: Schema.Literals(["pending", "in_progress", "completed", "escalated"]),
  attempts: Count,
  feedback: Schema.Array(Feedback),
  work: Work,
  /** Why it needs a person, where that is said. */
  escalation: Schema.optionalKey(Schema.Struct({ cause: EscalationCause, reason: Text })),
  startedAt: Schema.NullOr(Time),
  completedAt: Schema.NullOr(Time)
})
export type ImportedTask = typeof ImportedTask.Type

export const Role = Schema.Literals(["implementer", "reviewer", "finisher"])
export type Role = typeof Role.Type
