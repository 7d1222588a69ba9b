import { Effect, Schema } from "effect"
import { Count, event, Measure, Text, Time } from "@souffleur/eventlog"
import { print, seen, Trigger } from "./EventFields.ts"
import { ServiceWait } from "../decide/LimitWait.ts"
import { Cap, CeilingKind } from "../evidence/Cap.ts"
import { LimitAhead } from "../evidence/LimitAhead.ts"
import { ProcessIdentity } from "../port/Process.ts"
import { AtLimit } from "../settings/JobLimits.ts"

/**
 * The heartbeat is too old, but the session file of a living process states a reason. The Conductor is not killed
 * before `until` (spec: behaviour#excuses).
 */
export const KillDeferred = event("KillDeferred", { watcher: Count, message: Text, until: Time })

/** The Conductor lives and waits for a person, such as for a permission. */
export const PersonAwaited = event("PersonAwaited", { watcher: Count, for: Text })
/** The Conductor no longer waits for a person. */
export const PersonCame = event("PersonCame", { watcher: Count })

/**
 * The turn of the Conductor is over, and it waits at its prompt (spec: behaviour#idle). `since`: when the turn ended,
 * epoch ms. `again`: it was told as idle after that same turn before, and nobody is told once more.
 */
export const ConductorIdle = event("ConductorIdle", { watcher: Count, since: Time, again: Schema.Boolean })
/** The idle Conductor works again. */
export const ConductorBusy = event("ConductorBusy", { watcher: Count })

/**
 * The session id of a launch was corrected, and no living process names that session. The Conductor's process is not
 * known, and none is required until it is (`heartbeat-only`; spec: behaviour#modes).
 */
export const ConductorUnresolved = event("ConductorUnresolved", { watcher: Count, sessionId: Text })
/** This process holds the Conductor's session, so it is the Conductor of this generation. */
export const ConductorResolved = event("ConductorResolved", { watcher: Count, conductor: ProcessIdentity, print })

/**
 * Words in comms did not count, or a session that they name: their author may not say them. Each kind is told once in a
 * generation, since anyone can write many. `from`: the author that they name.
 */
export const WordRefused = event("WordRefused", {
  what: Schema.Literals(["payload", "reply", "session"]),
  from: Schema.NullOr(Text),
  message: Text
})

/**
 * The heartbeat of a task in comms is too old, though somebody works on it (spec: behaviour#silent-tasks). souffleur
 * does nothing about it. `heartbeat`: as the row has it. `age`: milliseconds.
 */
export const TaskSilent = event("TaskSilent", {
  watcher: Count,
  task: Text,
  state: Text,
  heartbeat: Text,
  age: Measure
})

/**
 * A channel gave a notice up, after some tries or a final refusal. `notice` is its kind, and `of` the revision of its
 * event. `message` has no secret, no address and no word of a server.
 */
export const NoticeLost = event("NoticeLost", {
  channel: Text,
  notice: Text,
  of: Count,
  tries: Count,
  message: Text
})

/**
 * The Conductor, or its session, could not be claimed: a souffleur of another state folder could watch it too. It is
 * told once until all is claimed.
 */
export const ConductorUnclaimed = event("ConductorUnclaimed", { message: Text })
/** All of it is claimed again. */
export const ConductorClaimed = event("ConductorClaimed", {})

/** The agent keeps its sessions in a folder that no setting names, as its process's own environment says. */
export const AgentFolderFound = event("AgentFolderFound", { folder: Text })

/**
 * The caps in the command line and the environment of an agent that souffleur did not launch. What it used since it
 * `began` counts for them.
 */
export const CapsFound = event("CapsFound", { caps: Schema.Array(Cap), began: Time })

/**
 * The kinds of waits. A usage limit, an outage or another error of the service is no death (spec:
 * behaviour#limits-and-waits). The others are the user's quiet hours, and the pause before a command is run again.
 */
export const WaitKind = Schema.Literals([...ServiceWait.literals, "quiet-hours", "pause"])
export type WaitKind = typeof WaitKind.Type

/**
 * Nothing is launched before `until`. The service ended the last turn, a recovery would begin in the quiet hours, or a
 * command has just died.
 */
export const WaitStarted = event("WaitStarted", {
  watcher: Count,
  kind: WaitKind,
  until: Time,
  /** The end that the session file states, epoch ms. `null`: it states none, and the wait is a guess that grows. */
  resetsAt: Schema.NullOr(Time),
  /** The trigger of the recovery that follows. */
  trigger: Trigger,
  /** When the turn that the service ended was recorded, by the agent's clock; `null`: no turn is the reason. */
  turnAt: Schema.NullOr(Time).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
/**
 * `over`: the time of the wait has come, and the session is resumed. `went on`: the Conductor resumed by itself.
 * `asked`: it asked for a fresh context. `go`: an operator ended the wait.
 */
export const WaitEnded = event("WaitEnded", {
  watcher: Count,
  how: Schema.Literals(["over", "went on", "asked", "go"])
})

/**
 * The watch is held: nothing is stopped or launched until the hold ends (spec: behaviour#hold). `byAgent`: an agent's
 * session said so, no operator.
 */
export const HoldStarted = event("HoldStarted", {
  byAgent: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
})
/** An operator ends the hold. */
export const HoldEnded = event("HoldEnded", {})

/**
 * A ceiling of use is reached. `withhold`: the work in hand continues, and nothing is launched until an operator allows
 * it. `stop`: the agent is ended, and its watch with it. `flag`: a cap that the user gave the agent by its own flag is
 * used up; `null`: the ceiling is a setting of souffleur, or a limit of the job.
 */
export const CeilingReached = event("CeilingReached", {
  watcher: Count,
  ceiling: CeilingKind,
  /** Tokens, milliseconds, hundredths of a dollar, or a count of what its name says. */
  used: Measure,
  limit: Measure,
  flag: Schema.NullOr(Text).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  then: AtLimit.pipe(Schema.withConstructorDefault(Effect.succeed("withhold" as const)))
})

/** A limit is coming (spec: behaviour#limits-that-come). souffleur does nothing about it. */
export const LimitForeseen = event("LimitForeseen", { ...LimitAhead.fields, reachedAt: Time })

/** An operator renews the ceiling of use, reached or not. No recovery was withheld. */
export const AllowanceRenewed = event("AllowanceRenewed", {})

/** The last turn ended because the conversation no longer fits the model. */
export const ContextExhausted = event("ContextExhausted", { ...seen, retries: Count })

/** The receipt of a recovery: the successor's session has our prompt and a first real answer after it. */
export const HandoffTaken = event("HandoffTaken", {
  watcher: Count,
  launchId: Text,
  generation: Count,
  /** When the successor answered, epoch ms. */
  takenAt: Time,
  /** Context in use after that answer, in tokens, as the service counted it; `null`: the service did not tell. */
  contextTokens: Schema.NullOr(Measure),
  /** The model's window in tokens, where it is known. */
  contextWindow: Schema.NullOr(Measure)
})
