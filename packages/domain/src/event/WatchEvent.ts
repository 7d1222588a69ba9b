import { Effect, Schema } from "effect"
import { Count, event, Measure, Text } from "@souffleur/eventlog"
import { Owner } from "../port/Claims.ts"
import { endTags } from "../watch/WatchEnd.ts"
import { baseline, named, print, seen } from "./EventFields.ts"
import { EarlyEnd } from "../evidence/EndJudgement.ts"
import { leastPin, Pin } from "../settings/Pin.ts"
import * as Pinning from "./PinEvent.ts"
import { ProcessIdentity } from "../port/Process.ts"
import { ofJob } from "./JobNote.ts"
import * as Fleet from "./FleetWord.ts"
import * as Guard from "./GuardEvent.ts"
import * as Recovery from "./RecoveryEvent.ts"
import * as Sign from "./SignEvent.ts"

export { Evidence } from "./EventFields.ts"
export * from "./FleetWord.ts"
export * from "./GuardEvent.ts"
export * from "../phone/PhoneEvent.ts"
export * from "./PinEvent.ts"
export * from "./RecoveryEvent.ts"
export * from "./SignEvent.ts"

/*
 * Every fact of a watch, in the past tense. The log keeps a version with each event. An added field has a decoding
 * default here, and a changed meaning is a new tag (docs/events.md). `at` is epoch milliseconds.
 */

/** An agent, whose conversation is kept, or another command, which is run again (spec: behaviour#restart). */
export const Kind = Schema.Literals(["agent", "command"])
export type Kind = typeof Kind.Type

/** A person names the process against the evidence. */
const forced = Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))

/** A watch was requested, and nothing is checked yet. A run's first launch follows in the same append. */
export const WatchOpened = event("WatchOpened", {
  project: Text,
  /** The comms file, or `null`: solo. */
  comms: Schema.NullOr(Text),
  ...named,
  /** `--observe`: decide and log, never kill or launch. */
  observe: Schema.Boolean,
  /** `--force`: a person names this process against the evidence. */
  forced,
  kind: Kind.pipe(Schema.withConstructorDefault(Effect.succeed("agent" as const))),
  /** The ceiling and the programs in force. */
  pin: Pin.pipe(Schema.withConstructorDefault(Effect.succeed(leastPin))),
  ...ofJob
})

/** A process of souffleur took the watch under a new, greater fence (spec: behaviour#one-owner). */
export const OwnerTook = event("OwnerTook", { fence: Count, owner: Owner })
/** The owner left by itself; the watch can be taken at once. */
export const OwnerLeft = event("OwnerLeft", { fence: Count })
/** A person says that `from`, on another machine, is gone: the watch continues here (spec: behaviour#one-owner). */
export const WatchMoved = event("WatchMoved", { from: Owner, host: Schema.String })

/**
 * The three checks of bootstrap, in their order (spec: behaviour#validation). A run has its first launch before them.
 */
export const Check = Schema.Literals(["process", "session-file", "comms-row", "launch"])
export type Check = typeof Check.Type

/** A check did not pass. Comms is told, and a reply may correct the arguments. */
export const ValidationFailed = event("ValidationFailed", {
  attempt: Count,
  check: Check,
  message: Text,
  /** The newest comms message at that time. Only a later message is a reply. */
  lastMessageId: Schema.Int
})
/** A failed check before it is decided upon. `final`: no attempt may follow. */
export type FailedCheck = Pick<typeof ValidationFailed.Type, "check" | "lastMessageId" | "message"> & {
  readonly final?: true
}
/** A reply in comms named another process or session. `messageId`: that message. */
export const ArgumentsCorrected = event("ArgumentsCorrected", { ...named, messageId: Schema.Int })
/** The last attempt failed, and the watch ends. `messages`: a sentence for each attempt. */
export const ValidationExhausted = event("ValidationExhausted", { messages: Schema.Array(Text) })

/**
 * The program of the agent by its name, never a path. `null`: a command has none, a process that came back has the one
 * before, or an older souffleur wrote it.
 */
const agent = Schema.NullOr(Text).pipe(
  Schema.withDecodingDefaultKey(Effect.succeed(null)),
  Schema.withConstructorDefault(Effect.succeed(null))
)

/** All checks passed: generation 1. */
export const ConductorConfirmed = event("ConductorConfirmed", {
  conductor: ProcessIdentity,
  /** The pid that was named, where the Conductor runs below that process; `null`: it was named itself. */
  below: Schema.NullOr(Count).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  sessionId: Text,
  /** Its session had a file. */
  began: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false))),
  print,
  agent,
  ...baseline
})

/** `heartbeat-only`: no process is known, and none is required (spec: behaviour#modes). */
export const Mode = Schema.Literals(["normal", "heartbeat-only"])
export type Mode = typeof Mode.Type

/** A watcher is asked for. `awaiting`: the session id of its generation is not confirmed yet. */
export const WatcherStarted = event("WatcherStarted", { watcher: Count, awaiting: Schema.Boolean, mode: Mode })
/** The self-monitor found the watcher's beat too old, and another watcher takes its place. */
export const WatcherLost = event("WatcherLost", {
  watcher: Count,
  /** Milliseconds since the watcher's last beat, at the self-monitor's poll; `null` when it never beat. */
  beatAge: Schema.NullOr(Measure)
})
/** A self-monitor of that watcher began. Its own number differs when it replaces only a self-monitor. */
export const SelfMonitorStarted = event("SelfMonitorStarted", { monitor: Count, watcher: Count })
/** A self-monitor ended. `lost`: its fiber died. */
export const SelfMonitorStopped = event("SelfMonitorStopped", {
  monitor: Count,
  reason: Schema.Literals(["replaced", "lost"])
})
/** Watcher and self-monitor both run: the phase goes from SETTLING to WATCHING. */
export const WatchSettled = event("WatchSettled", {})

/** The Conductor is dead by the evidence, and a recovery follows. */
export const ConductorDied = event("ConductorDied", {
  ...seen,
  /** `hang`: every sign agrees. `untaken`: a successor did not take its hand-off in time. */
  reason: Schema.Literals(["pid", "heartbeat", "hang", "untaken"]),
  /** Deaths without progress, this one included (spec: behaviour#retries). */
  retries: Count
})
/** A planned hand-off, raised by the Conductor itself. */
export const ContextRecoveryRequested = event("ContextRecoveryRequested", { ...seen, retries: Count })
/**
 * The agent itself asked for a planned hand-off, where it has no comms to ask in. Its prompt is in the file `request`
 * of the state folder, never here.
 */
export const HandoffRequested = event("HandoffRequested", {
  sessionId: Text,
  request: Text,
  /** SHA-256 of that file, hex. */
  digest: Text,
  /** `null`: they could not be counted. */
  taskCount: Schema.NullOr(Count),
  taskFingerprint: Schema.NullOr(Text),
  retries: Count
})
/** A Conductor in print mode ended after its turn, its work not complete (spec: behaviour#print-mode). */
export const TurnEnded = event("TurnEnded", { ...seen, retries: Count })
/**
 * A Conductor without comms ended as if its work were done, and it was not (spec: behaviour#early-ends). The work
 * continues.
 */
export const EndedEarly = event("EndedEarly", {
  ...seen,
  reason: EarlyEnd,
  /** Live processes that it left. */
  leftRunning: Count,
  retries: Count
})
/**
 * The work of the Conductor is done. A watcher or a recovery saw it in comms, or the agent or an operator said it
 * (`souffleur done`). Without comms, an agent ended by itself after a finished turn, or a command ended with exit code
 * 0 (spec: behaviour#solo).
 */
export const ConductorCompleted = event("ConductorCompleted", {
  by: Schema.Literals(["watcher", "recovery", "agent", "operator", "turn", "exit", "program"])
})
/** The session of this generation is another one than the log had. */
export const SessionIdFound = event("SessionIdFound", { watcher: Count, sessionId: Text })

/** A process became the Conductor, which ended a standby, or a recovery that an operator overrules. */
export const ConductorAdopted = event("ConductorAdopted", {
  by: Schema.Literals(["operator", "heartbeat"]),
  generation: Count,
  conductor: ProcessIdentity,
  sessionId: Text,
  print,
  /** `--force`: an operator names the process against the evidence. */
  forced,
  agent,
  /** The launch under way that started it; `null`: another one did. */
  launchId: Schema.NullOr(Text).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  ...baseline
})
/**
 * A recovery that failed closed or was withheld is tried again. An operator's word allows as much use again. An agent's
 * does not, nor does a login that was renewed.
 */
export const RecoveryRetried = event("RecoveryRetried", {
  cycle: Count,
  by: Schema.Literals(["operator", "agent", "login", "phone"]).pipe(
    Schema.withConstructorDefault(Effect.succeed("operator" as const))
  ),
  /** From now on no launch of the watch gets a window. */
  headless: Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
})

/**
 * A person hands the conversation over to another agent (spec: behaviour#hand-over). Both are names of programs. They
 * are the same where a person takes a failed hand-over back.
 */
export const AgentChosen = event("AgentChosen", { from: Text, agent: Text })

/** An operator ended the watch; the Conductor lives on. */
export const WatchReleased = event("WatchReleased", {
  exportPath: Schema.NullOr(Text),
  /** The watch that took its comms over, since its Conductor and its souffleur are gone; `null`: an operator's word. */
  to: Schema.NullOr(Text).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})

/** Any event of a watch. */
export const WatchEvent = Schema.Union([
  WatchOpened,
  OwnerTook,
  OwnerLeft,
  WatchMoved,
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
  EndedEarly,
  ConductorCompleted,
  SessionIdFound,
  Recovery.RecoveryStarted,
  Recovery.RecoveryWithheld,
  Recovery.CheckStarted,
  Recovery.WorkChecked,
  Recovery.EndingStarted,
  Recovery.EndingOver,
  Recovery.RecoveryEscalated,
  Recovery.StepStarted,
  Recovery.StepSucceeded,
  Recovery.StepFailed,
  Recovery.LaunchPrepared,
  Recovery.WindowRefused,
  Recovery.LaunchDelayed,
  Recovery.ConductorRelaunched,
  Recovery.RecoveryFailedClosed,
  Recovery.RetriesExhausted,
  ConductorAdopted,
  RecoveryRetried,
  AgentChosen,
  Recovery.StopAsked,
  Recovery.WatchStopped,
  WatchReleased,
  ...Fleet.wordEvents,
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
  Sign.ConductorIdle,
  Sign.ConductorBusy,
  Sign.WordRefused,
  Sign.TaskSilent,
  Sign.NoticeLost,
  Sign.ConductorUnclaimed,
  Sign.ConductorClaimed,
  Sign.AgentFolderFound,
  Sign.CapsFound,
  Sign.WaitStarted,
  Sign.WaitEnded,
  Sign.HoldStarted,
  Sign.HoldEnded,
  Sign.CeilingReached,
  Sign.LimitForeseen,
  Sign.AllowanceRenewed,
  Sign.ContextExhausted,
  Sign.HandoffTaken,
  Pinning.ConfigOverreached,
  Pinning.ConfigWithdrawn,
  Pinning.TrustGiven
])
export type WatchEvent = Exclude<typeof WatchEvent.Type, never> // A union of its own, which declarations name.

/** The versions of tags that have an older one: a field or a word of a field was added since. */
const versions: { readonly [Tag in WatchEvent["_tag"]]?: number } = {}

/** Returns the version that this souffleur writes for a tag. A newer souffleur wrote a greater version. */
export const versionOf = (tag: WatchEvent["_tag"]): number => versions[tag] ?? 1

/** Returns whether this event ends a watch. */
export const isEnd = ({ _tag }: WatchEvent): boolean => endTags.has(_tag)
