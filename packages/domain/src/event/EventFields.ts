import { Effect, Schema } from "effect"
import { Count, Measure, Text } from "@souffleur/eventlog"
import { EarlyEnd } from "../evidence/EndJudgement.ts"
import { ProcessEnd, ProcessIdentity } from "../port/Process.ts"

/** The state that a generation is later compared with: retries by its tasks, a hand-off by their states. */
export const baseline = {
  taskCount: Count,
  taskFingerprint: Text,
  /** `task-00.state` at that time: a `context_recovery` from before is no request of this generation. */
  conductorState: Schema.NullOr(Text),
  lastMessageId: Schema.Int
}

/** True if the agent ends by itself after its turn. */
export const print = Schema.Boolean

/** The beginning of a recovery: a death with its reason, or another event. */
export const Trigger = Schema.Literals([
  "pid",
  "heartbeat",
  "hang",
  "untaken",
  "handoff",
  "handover",
  "turn-ended",
  "limit",
  "context",
  "stop",
  "ceiling",
  ...EarlyEnd.literals
])

/** The word of the processor where a tool of the agent has used it. */
export const usedByTool = "used by its tool"

/** One sign of a Conductor and its age in milliseconds; never a word of its conversation. */
export const Sign = Schema.Struct({
  source: Schema.Literals(["session file", "pid file", "hook", "agent's beat", "processor"]),
  says: Text,
  age: Schema.NullOr(Measure)
})

/** The observations behind a decision, ages in milliseconds. `why` tells them to a person. */
export const Evidence = Schema.Struct({
  process: Schema.Literals(["running", "stopped", "zombie", "gone", "unknown"]),
  /** `null`: comms was out, or there is none. */
  conductorState: Schema.NullOr(Text),
  heartbeat: Schema.NullOr(Text),
  heartbeatAge: Schema.NullOr(Measure),
  staleAfter: Measure,
  /** Each other sign by its source: its content and its age. */
  signs: Schema.Array(Sign),
  /** Context in use, in tokens, as the service last counted it. */
  contextTokens: Schema.NullOr(Measure),
  /** It had taken a turn and said its last word, and nothing was refused to it. */
  turnFinished: Schema.Boolean,
  /** How the process ended, where souffleur was its parent; `null`: it runs, or its end is not known. */
  end: Schema.NullOr(ProcessEnd)
})
export type Evidence = typeof Evidence.Type

/** The fields of each event that a watcher's exit makes: its evidence, and the tasks at that time. */
export const seen = {
  watcher: Count,
  /** `null`: comms did not tell. */
  taskCount: Schema.NullOr(Count),
  taskFingerprint: Schema.NullOr(Text),
  evidence: Evidence
}

/** The named Conductor of a request to watch. */
export const named = {
  /** 0: `souffleur run` starts the process first. */
  pid: Count,
  /** Empty: a command has none. */
  sessionId: Text,
  /** The process that had the pid then; `null`: none had it, so a later process is another. */
  process: Schema.NullOr(ProcessIdentity).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}
