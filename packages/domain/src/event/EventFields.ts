import { Effect, Schema } from "effect"
import { Count, Measure, Text } from "@souffleur/eventlog"
import { ProcessIdentity } from "../port/Process.ts"

/** What a generation is measured against later: retries by its tasks, a handoff by their states. */
export const baseline = {
  taskCount: Count,
  taskFingerprint: Text,
  /** `task-00.state` then: a `context_recovery` left from before is not raised in this generation. */
  conductorState: Schema.NullOr(Text),
  lastMessageId: Schema.Int
}

/** Whether the agent ends by itself after its turn. */
export const print = Schema.Boolean

/** What began a recovery: a death and its cause, or what is none. */
export const Trigger = Schema.Literals([
  "pid",
  "heartbeat",
  "hang",
  "untaken",
  "handoff",
  "turn-ended",
  "limit",
  "context"
])

/** One sign of a Conductor and its age in milliseconds; never a word of its conversation. */
export const Sign = Schema.Struct({
  source: Schema.Literals(["session file", "pid file", "hook", "agent's beat", "processor"]),
  says: Text,
  age: Schema.NullOr(Measure)
})

/** What was seen when a decision was made; ages in milliseconds. `why` tells it to a person. */
export const Evidence = Schema.Struct({
  process: Schema.Literals(["running", "stopped", "zombie", "gone", "unknown"]),
  /** `null`: comms was out, or there is none. */
  conductorState: Schema.NullOr(Text),
  heartbeat: Schema.NullOr(Text),
  heartbeatAge: Schema.NullOr(Measure),
  staleAfter: Measure,
  /** Each other sign there was, by its source: what it said, and how old that was. */
  signs: Schema.Array(Sign),
  /** Context in use, in tokens, as the service last counted it. */
  contextTokens: Schema.NullOr(Measure)
})
export type Evidence = typeof Evidence.Type

export const seen = {
  watcher: Count,
  /** `null`: comms did not say. */
  taskCount: Schema.NullOr(Count),
  taskFingerprint: Schema.NullOr(Text),
  evidence: Evidence
}

/** Whom a watch is asked for. */
export const named = {
  /** 0: `souffleur run` starts it first. */
  pid: Count,
  /** Empty: a command has none. */
  sessionId: Text,
  /** The process that had the pid then; `null`: none had it, and a later one is another. */
  process: Schema.NullOr(ProcessIdentity).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}
