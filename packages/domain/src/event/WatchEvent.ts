import { Effect, Schema } from "effect"
import { Count, event, Measure, Text } from "@souffleur/eventlog"
import { Owner } from "../port/Claims.ts"
import { endTags } from "../watch/EndTags.ts"
import { baseline, named, print, seen } from "./EventFields.ts"
import { leastPin, Pin } from "../settings/Pin.ts"
import * as Pinning from "./PinEvent.ts"
import { ProcessIdentity } from "../port/Process.ts"
import * as Guard from "./GuardEvent.ts"
import * as Recovery from "./RecoveryEvent.ts"
import * as Sign from "./SignEvent.ts"

export { Evidence } from "./EventFields.ts"
export * from "./GuardEvent.ts"
export * from "./PinEvent.ts"
export * from "./RecoveryEvent.ts"
export * from "./SignEvent.ts"

/*
 * Everything that has ever happened to a watch, in the past tense. The log keeps a version with each event: an added
 * field has a decoding default here, a changed meaning is a new tag (docs/events.md). `at` is epoch milliseconds.
 */

/**
 * What is watched: an agent, whose conversation is kept, or any other command, which is only run again (spec:
 * behaviour#restart).
 */
export const Kind = Schema.Literals(["agent", "command"])
export type Kind = typeof Kind.Type

/** A person's word against the evidence at hand. */
const forced = Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))

/**
 * A watch was asked for; nothing about the Conductor is checked yet. A run's first launch follows in the same append.
 */
export const WatchOpened = event("WatchOpened", {
  project: Text,
  /** The comms file, or `null`: solo. */
  comms: Schema.NullOr(Text),
  ...named,
  /** `--observe`: decide and log, never kill or launch. */
  observe: Schema.Boolean,
  /** `--force`: a person names this process though evidence says that it is another. */
  forced,
  kind: Kind.pipe(Schema.withConstructorDefault(Effect.succeed("agent" as const))),
  /** The ceiling and the programs in force. */
  pin: Pin.pipe(Schema.withConstructorDefault(Effect.succeed(leastPin)))
})

/** A process of souffleur took the watch under a new, greater fence (spec: behaviour#one-owner). */
export const OwnerTook = event("OwnerTook", { fence: Count, owner: Owner })
/** The owner left by itself; the watch can be taken at once. */
export const OwnerLeft = event("OwnerLeft", { fence: Count })

/**
 * The three checks of bootstrap, in their order (spec: behaviour#validation); of a run, its first launch before them.
 */
export const Check = Schema.Literals(["process", "session-file", "comms-row", "launch"])
export type Check = typeof Check.Type

export const ValidationFailed = event("ValidationFailed", {
  attempt: Count,
  check: Check,
  reason: Text,
  /** The newest comms message then: only a later one is a reply. */
  lastMessageId: Schema.Int
})
export const ArgumentsCorrected = event("ArgumentsCorrected", { ...named, messageId: Schema.Int })
export const ValidationExhausted = event("ValidationExhausted", { reasons: Schema.Array(Text) })

/** All checks passed: generation 1. */
export const ConductorConfirmed = event("ConductorConfirmed", {
  conductor: ProcessIdentity,
  sessionId: Text,
  print,
  ...baseline
})

export const Mode = Schema.Literals(["normal", "heartbeat-only"])
export type Mode = typeof Mode.Type

export const WatcherStarted = event("WatcherStarted", { watcher: Count, awaiting: Schema.Boolean, mode: Mode })
export const WatcherLost = event("WatcherLost", {
  watcher: Count,
  /** Milliseconds since its last beat, when the self-monitor looked; `null` when it never beat. */
  beatAge: Schema.NullOr(Measure)
})
/** A self-monitor of that watcher. Its own number differs when a self-monitor had to be replaced alone. */
export const SelfMonitorStarted = event("SelfMonitorStarted", { monitor: Count, watcher: Count })
export const SelfMonitorStopped = event("SelfMonitorStopped", {
  monitor: Count,
  reason: Schema.Literals(["replaced", "lost"])
})
/** Watcher and self-monitor both run: SETTLING became WATCHING. */
export const WatchSettled = event("WatchSettled", {})

export const ConductorDied = event("ConductorDied", {
  ...seen,
  /** `hang`: every sign agrees; `untaken`: a successor that did not take its hand-off in time. */
  cause: Schema.Literals(["pid", "heartbeat", "hang", "untaken"]),
  /** Deaths without progress, this one included (spec: behaviour#retries). */
  retries: Count
})
/** A planned handoff, raised by the Conductor itself. */
export const ContextRecoveryRequested = event("ContextRecoveryRequested", { ...seen, retries: Count })
/**
 * A planned handoff by a word of the agent's own, where it has no comms to raise it in. Its prompt is in the file
 * `request` of the state folder, never here.
 */
export const HandoffRequested = event("HandoffRequested", {
  sessionId: Text,
  request: Text,
  /** SHA-256 of that file, hex. */
  digest: Text,
  /** `null`: nobody could count them. */
  taskCount: Schema.NullOr(Count),
  taskFingerprint: Schema.NullOr(Text),
  retries: Count
})
/**
 * A Conductor in print mode ended after a finished turn, its work not complete: a planned handoff (spec:
 * behaviour#print-mode).
 */
export const TurnEnded = event("TurnEnded", { ...seen, retries: Count })
/**
 * Its work is done: comms says so, seen by a watcher or a recovery; or the agent itself, or an operator, did
 * (`souffleur done`). Without comms: it ended by itself after a finished turn, or as a command with exit code 0 (spec:
 * behaviour#solo).
 */
export const ConductorCompleted = event("ConductorCompleted", {
  by: Schema.Literals(["watcher", "recovery", "agent", "operator", "turn", "exit"])
})
export const SessionIdFound = event("SessionIdFound", { watcher: Count, sessionId: Text })

/** What ended a standby, or a recovery that an operator outranks: from now on this process is the Conductor. */
export const ConductorAdopted = event("ConductorAdopted", {
  by: Schema.Literals(["operator", "heartbeat"]),
  generation: Count,
  conductor: ProcessIdentity,
  sessionId: Text,
  print,
  /** `--force`: an operator names it though evidence says that it is another. */
  forced,
  ...baseline
})
/** An operator wants a recovery that failed closed tried again. */
export const RecoveryRetried = event("RecoveryRetried", { cycle: Count })

/** An operator ended the watch; the Conductor lives on. */
export const WatchReleased = event("WatchReleased", { exportPath: Schema.NullOr(Text) })

export const WatchEvent = Schema.Union([
  WatchOpened,
  OwnerTook,
  OwnerLeft,
  ValidationFailed,
  ArgumentsCorrected,
  ValidationExhausted,
  ConductorConfirmed,
  WatcherStarted,
  WatcherLost,
  SelfMonitorStarted,
  SelfMonitorStopped,
  WatchSettled,
  ConductorDied,
  ContextRecoveryRequested,
  HandoffRequested,
  TurnEnded,
  ConductorCompleted,
  SessionIdFound,
  Recovery.RecoveryStarted,
  Recovery.RecoveryWithheld,
  Recovery.RecoveryEscalated,
  Recovery.StepStarted,
  Recovery.StepSucceeded,
  Recovery.StepFailed,
  Recovery.LaunchPrepared,
  Recovery.ConductorRelaunched,
  Recovery.RecoveryFailedClosed,
  Recovery.RetriesExhausted,
  ConductorAdopted,
  RecoveryRetried,
  WatchReleased,
  Guard.SouffleurRestored,
  Guard.GuardianGaveUp,
  Guard.ProcessEnding,
  Guard.RoleFailed,
  Guard.RoleGaveUp,
  Sign.ConductorUnresolved,
  Sign.ConductorResolved,
  Sign.KillDeferred,
  Sign.PersonAwaited,
  Sign.PersonCame,
  Sign.WordRefused,
  Sign.ConductorUnclaimed,
  Sign.ConductorClaimed,
  Sign.WaitStarted,
  Sign.WaitEnded,
  Sign.CeilingReached,
  Sign.AllowanceRenewed,
  Sign.ContextExhausted,
  Sign.HandoffTaken,
  Pinning.ConfigOverreached,
  Pinning.ConfigWithdrawn,
  Pinning.TrustGiven
])
export type WatchEvent = typeof WatchEvent.Type

/** Tags of which an older version was written: a field was added since, or a word that a field may hold. */
const versions: { readonly [Tag in WatchEvent["_tag"]]?: number } = {}

/**
 * Gives the version that this souffleur writes for a tag. A greater one in the log was written by a newer souffleur.
 */
export const versionOf = (tag: WatchEvent["_tag"]): number => versions[tag] ?? 1

/** Whether a watch ends with it. */
export const isEnd = ({ _tag }: WatchEvent): boolean => endTags.has(_tag)
