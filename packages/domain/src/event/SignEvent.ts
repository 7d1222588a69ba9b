import { Schema } from "effect"
import { Count, event, Measure, Text, Time } from "@souffleur/eventlog"
import { print, seen, Trigger } from "./EventFields.ts"
import { ProcessIdentity } from "../port/Process.ts"

/**
 * The heartbeat is too old, yet the session file of a live process states why: nobody is killed before `until` (spec:
 * behaviour#excuses).
 */
export const KillDeferred = event("KillDeferred", { watcher: Count, because: Text, until: Time })

/** The Conductor lives and waits for a person, such as for a permission. */
export const PersonAwaited = event("PersonAwaited", { watcher: Count, for: Text })
/** It no longer does. */
export const PersonCame = event("PersonCame", { watcher: Count })

/**
 * The session id of a launch was corrected, and no live process says that it holds that session: which process is the
 * Conductor is not known, and none is asked for until it is (`heartbeat-only`; spec: behaviour#modes).
 */
export const ConductorUnresolved = event("ConductorUnresolved", { watcher: Count, sessionId: Text })
/** This process holds the Conductor's session, so it is the Conductor of this generation. */
export const ConductorResolved = event("ConductorResolved", { watcher: Count, conductor: ProcessIdentity, print })

/**
 * Words in comms, or a session that they name, did not count: they are not of who may say them. Told once of a kind and
 * a generation, since anybody can write as many as they like. `from`: who they say to be from.
 */
export const WordRefused = event("WordRefused", {
  what: Schema.Literals(["payload", "reply", "session"]),
  from: Schema.NullOr(Text),
  message: Text
})

/**
 * The Conductor, or its session, could not be claimed: a souffleur of another state folder could watch it too. Told
 * once as long as it lasts.
 */
export const ConductorUnclaimed = event("ConductorUnclaimed", { message: Text })
/** All of it is claimed again. */
export const ConductorClaimed = event("ConductorClaimed", {})

/**
 * What a watch waits out: a usage limit or an outage of the service, which are no deaths (spec:
 * behaviour#limits-and-waits), or the user's quiet hours.
 */
export const WaitKind = Schema.Literals(["usage-limit", "outage", "quiet-hours"])
export type WaitKind = typeof WaitKind.Type

/**
 * Nothing is launched before `until`: the last turn was ended by the service, or a recovery would begin in the quiet
 * hours.
 */
export const WaitStarted = event("WaitStarted", {
  watcher: Count,
  kind: WaitKind,
  until: Time,
  /** What the session file states, epoch ms; `null`: it does not, and the wait is a guess that grows. */
  resetsAt: Schema.NullOr(Time),
  /** Of the recovery that follows it. */
  trigger: Trigger
})
/** `over`: its time has come, and the session is resumed; `went on`: the Conductor did so by itself. */
export const WaitEnded = event("WaitEnded", { watcher: Count, how: Schema.Literals(["over", "went on"]) })

/**
 * What the user allows a watch is used up: what is in hand goes on, and nothing is launched until an operator says so.
 */
export const CeilingReached = event("CeilingReached", {
  watcher: Count,
  ceiling: Schema.Literals(["tokens", "time"]),
  /** Tokens, or milliseconds. */
  used: Measure,
  limit: Measure
})

/** An operator allows a watch as much again from now on, at its ceiling or before it; nothing was withheld. */
export const AllowanceRenewed = event("AllowanceRenewed", {})

/** Its last turn ended because the conversation no longer fits the model. */
export const ContextExhausted = event("ContextExhausted", { ...seen, retries: Count })

/** The receipt of a recovery: the successor's session has our prompt and a first real answer after it. */
export const HandoffTaken = event("HandoffTaken", {
  watcher: Count,
  launchId: Text,
  generation: Count,
  /** When it answered, epoch ms. */
  takenAt: Time,
  /** Context in use after that answer, as the service counted it; `null`: it did not say. */
  contextTokens: Schema.NullOr(Measure),
  /** The model's window in tokens, where it is known. */
  contextWindow: Schema.NullOr(Measure)
})
