import { ModelChoice, Permission, ProcessIdentity } from "@souffleur/domain"
import { Count, event, Measure, Text, Time } from "@souffleur/eventlog"
import { Effect, Schema } from "effect"
import { AgentRole, Died, EndingReason, Failing, Feedback, LimitKind, RefusalKind, Used, Work } from "./RunFields.ts"

/* The events of one agent of a run, from the intent to launch it to its result. */

/** An agent is about to be launched. `attempt` is the task's, 0 for the finisher. */
export const AgentAsked = event("AgentAsked", {
  token: Text,
  role: AgentRole,
  taskId: Schema.NullOr(Text),
  attempt: Count,
  /** Empty: the agent chooses its id, and reports it once it runs. */
  sessionId: Text,
  /** True if the same implementer is resumed. */
  resumed: Schema.Boolean,
  head: Schema.NullOr(Text),
  /** The program of the agent that was chosen for this role. Absent: the configured one, or the session's. */
  agent: Schema.optionalKey(Text),
  /** The model and the effort of the session, by the plan. Absent: the agent's own. */
  choice: Schema.optionalKey(ModelChoice),
  /** The fallback of the role, which has the session. Absent: it is the chosen agent's. */
  standIn: Schema.optionalKey(Text),
  /** The model of the implementer before, where the plan's next one is in its place. */
  insteadOf: Schema.optionalKey(Text),
  /** Its session goes on because of that, as `AgentNudged` has it; `null`: the assignment begins. */
  nudge: Schema.NullOr(Text).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
/**
 * `word`: the digest of the word that this launch alone was given, which its verdict needs. `null`: it has no verdict
 * to give.
 */
export const AgentPrepared = event("AgentPrepared", {
  token: Text,
  launchId: Text,
  digest: Text,
  requested: Text,
  effective: Permission,
  word: Schema.NullOr(Text)
})
/** The agent of an assignment runs as this process. */
export const AgentLaunched = event("AgentLaunched", { token: Text, launchId: Text, process: ProcessIdentity })
/** The agent has reported the session that it chose. */
export const AgentSessionFound = event("AgentSessionFound", { token: Text, sessionId: Text })
/** The agent never ran, and never will: a crash came between the intent and the act. */
export const AgentNeverRan = event("AgentNeverRan", { token: Text })
/**
 * The agent's processes are about to be signalled. `launchedAt` and `limit` (ms) are what its time is judged by.
 * `others`: pids of what it started.
 */
export const AgentEnding = event("AgentEnding", {
  token: Text,
  reason: EndingReason,
  process: ProcessIdentity,
  launchedAt: Time,
  limit: Measure,
  others: Schema.Array(Count)
})

const assignment = { token: Text, taskId: Text }
/**
 * An agent ended before its work was done, after it had done something. Its session is told so and goes on (spec:
 * behaviour#nudges). `message`: what is left to do, as a clause. `died`: it was cut off; `null`: its turn left that.
 */
export const AgentNudged = event("AgentNudged", {
  ...assignment,
  message: Text,
  died: Schema.NullOr(Died).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
/**
 * An implementer says that its task is done, and git has its work. `head`: the commit of that work. `made`: the commits
 * that were not there when its assignment began.
 */
export const ImplementationCompleted = event("ImplementationCompleted", {
  ...assignment,
  head: Text,
  made: Schema.Array(Text),
  ...Work.fields
})
/** An implementer needs a person. `message`: its reason, bounded. */
export const ImplementationBlocked = event("ImplementationBlocked", { ...assignment, message: Text })
/** An implementer ended without a result that counts. */
export const ImplementationFailed = event("ImplementationFailed", {
  ...assignment,
  reason: Failing,
  message: Text,
  /** The hint for a person, as a sentence; `null`: there is none. */
  hint: Schema.NullOr(Text)
})
/** The findings of a review that hold nothing up, and that no earlier review of the task had. */
const minor = Schema.Array(Text).pipe(Schema.withConstructorDefault(Effect.succeed([])))
/** A reviewer accepted the work. */
export const ReviewApproved = event("ReviewApproved", { ...assignment, summary: Text, minor })
/** A reviewer rejected the work. The ladder says what follows (spec: behaviour#ladder). */
export const ReviewRejected = event("ReviewRejected", { ...assignment, feedback: Feedback, minor })
/** A reviewer ended without a verdict that counts. */
export const ReviewFailed = event("ReviewFailed", { ...assignment, reason: Failing, message: Text })

/**
 * The service refused an agent for now, as its session's records state. It counts as no attempt, and as no failure. The
 * run waits until `until`. `resetsAt`: the limit's own time; `null`: unknown.
 */
export const AgentLimited = event("AgentLimited", {
  token: Text,
  taskId: Schema.NullOr(Text),
  kind: LimitKind,
  resetsAt: Schema.NullOr(Time),
  until: Time
})
/**
 * The service refused an agent, and the plan has a fallback for its role (spec: behaviour#fallback). It counts as no
 * attempt. `agent`: the refused one, `null`: the configured one. `by`: who is asked until that time.
 */
export const AgentReplaced = event("AgentReplaced", {
  token: Text,
  taskId: Schema.NullOr(Text),
  role: Schema.Literals(["implementer", "reviewer"]),
  kind: RefusalKind,
  agent: Schema.NullOr(Text),
  by: Text,
  resetsAt: Schema.NullOr(Time),
  until: Time
})
/** A person stopped the run, and its agent was ended for that. Its session goes on, and no attempt is counted. */
export const AgentStopped = event("AgentStopped", assignment)
/** What an agent used in its assignment. The report on it follows. */
export const AgentSpent = event("AgentSpent", {
  token: Text,
  role: AgentRole,
  taskId: Schema.NullOr(Text),
  ...Used.fields
})
/** No agent is asked before the quiet hours are over (spec: behaviour#quiet-hours). */
export const QuietBegan = event("QuietBegan", { until: Time })
/** A person allows a run as much as before again. */
export const AllowanceRenewed = event("AllowanceRenewed", {})
/**
 * Agents are asked again. `by`: the time of the wait has come, the refused login was written again, or a person said
 * so.
 */
export const LimitWaitEnded = event("LimitWaitEnded", { by: Schema.Literals(["time", "login", "operator"]) })
