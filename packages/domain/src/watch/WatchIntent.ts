import type { Schema } from "effect"
import type { Owner } from "../port/Claims.ts"
import type { Baseline } from "../port/Comms.ts"
import type { Permission, SessionMode } from "../settings/Permission.ts"
import type { Pin } from "../settings/Pin.ts"
import type { EarlyEnd } from "../evidence/EndJudgement.ts"
import type { ComingLimit } from "../evidence/LimitAhead.ts"
import type { ServiceWait } from "../decide/LimitWait.ts"
import type { Unmendable } from "../evidence/Unmendable.ts"
import type { PinIntent } from "../decide/PinDecider.ts"
import type { PhoneIntent } from "../phone/PhoneDecider.ts"
import type { ProcessIdentity } from "../port/Process.ts"
import type { FleetWord } from "../event/FleetWord.ts"
import type { OwnRole, ProcessEnding } from "../event/GuardEvent.ts"
import type * as Sign from "../event/SignEvent.ts"
import type {
  ConductorConfirmed,
  ConductorDied,
  Evidence,
  FailedCheck,
  HandoffTaken,
  Kind,
  LaunchPrepared,
  RecoveryEscalated,
  StepKind,
  LaunchDelayed,
  WatchOpened,
  WindowRefused
} from "../event/WatchEvent.ts"

/** A living process that names the session that it holds. */
export interface Holder {
  readonly conductor: ProcessIdentity
  readonly print: boolean
}

/** The agent that has a conversation, and the one that is to take it over, by their programs. */
export interface Handover {
  readonly from: string
  readonly agent: string
  /** True if the Conductor lives: it is left as it is when a person takes a failed hand-over back. */
  readonly lives: boolean
}

/** The observation that ends a watcher, by its priority (spec: behaviour#exits). */
export type WatcherExit =
  | { readonly _tag: "Complete" | "ContextExhausted" | "ContextRecovery" | "LoginRenewed" | "TurnEnded" }
  /** It wrote that it needs its user before it ended. */
  | { readonly _tag: "ExitRequested" }
  | { readonly _tag: "EndedEarly"; readonly reason: EarlyEnd; readonly leftRunning: number }
  /** In standby, this process holds the session, and its heartbeat is newer than the failure. */
  | {
      readonly _tag: "Returned"
      readonly conductor: ProcessIdentity
      readonly print: boolean
      readonly baseline: Baseline
    }
  | { readonly _tag: "Dead"; readonly reason: (typeof ConductorDied.Type)["reason"] }
  /** The service ended the last turn; `resetsAt` in epoch ms, `null` where it is not stated. */
  | {
      readonly _tag: "Limited"
      readonly kind: ServiceWait
      readonly resetsAt: number | null
      /** When the turn that failed was recorded. */
      readonly turnAt: number
    }
  | { readonly _tag: "WaitOver"; readonly how: "over" | "went on" }
  /** It has ended, and no launch mends the reason. `other`: the service goes on to give an error that is not known. */
  | { readonly _tag: "Unmendable"; readonly reason: Unmendable | "other" }
  | { readonly _tag: "SessionIdFound"; readonly sessionId: string; readonly holder: Holder | "the same" | "unknown" }
  /** In print mode its turn is finished, and it rests since then, but its process does not end. */
  | { readonly _tag: "Lingering"; readonly since: number }
  /** In `heartbeat-only`, a process was found that holds the session. */
  | { readonly _tag: "Resolved"; readonly holder: Holder }

/** A word that a person said at the hub of a fleet, as its host has it. */
export interface FleetWordIntent {
  readonly id: string
  /** The person, by the name that the hub knows. */
  readonly person: string
  readonly word: FleetWord
  /** The revision that the person saw. */
  readonly seen: number
  /** The end of the word, epoch ms by the clock of this host. */
  readonly until: number
  /** The same as of `Retry`. */
  readonly ceilings: boolean
}

/** The intent of a role, a recovery step, or an operator in another process. */
export type WatchIntent =
  | ({
      readonly _tag: "Open"
      readonly project: string
      readonly comms: string | null
      readonly pid: number
      /** The process that has that pid; `null`: none, as bootstrap will find. For a run: not started yet. */
      readonly process?: ProcessIdentity | null
      readonly sessionId: string
      readonly observe: boolean
      /** The pin in force from now on; absent: the least. */
      readonly pin?: Pin
      /** A person names the process against the evidence. */
      readonly forced?: boolean
      /** `souffleur run`: the first launch, whose launch file is written. Absent: the Conductor runs already. */
      readonly run?: {
        readonly kind: Kind
        readonly launch: Pick<typeof LaunchPrepared.Type, "launchId" | "digest" | "requested" | "effective"> & {
          readonly pty?: boolean
          readonly turnBefore?: number | null
        }
      }
    } & Partial<Pick<typeof WatchOpened.Type, "limits" | "note">>)
  /** `over`: the fence whose owner was seen dead or absent. It must still be in force. */
  | { readonly _tag: "TakeOwnership"; readonly owner: Owner; readonly over: number }
  | { readonly _tag: "Leave" }
  /** An operator's word: the last owner, on another machine, is gone, and the watch continues on this host. */
  | { readonly _tag: "Move"; readonly from: Owner; readonly host: string }
  /** A guardian's word: another souffleur replaces the owner of the fence `over`, which died or is silent. */
  | { readonly _tag: "Restore"; readonly reason: "died" | "silent"; readonly over: number }
  /** souffleur is about to end a process of its own making. */
  | ({ readonly _tag: "EndProcess" } & Pick<typeof ProcessEnding.Type, "process" | "message" | "what">)
  | ({ readonly _tag: "FailValidation" } & FailedCheck)
  | {
      readonly _tag: "CorrectArguments"
      readonly pid: number
      readonly sessionId: string
      readonly messageId: number
      /** The process that has that pid now; `null`: none. */
      readonly process: ProcessIdentity | null
    }
  /** Absent: not `began`, and `below` no other process. */
  | ({ readonly _tag: "Confirm"; readonly baseline: Baseline } & Pick<
      typeof ConductorConfirmed.Type,
      "agent" | "conductor" | "print" | "sessionId"
    > &
      Partial<Pick<typeof ConductorConfirmed.Type, "began" | "below">>)
  | { readonly _tag: "WatcherReady"; readonly watcher: number }
  | { readonly _tag: "SelfMonitorReady"; readonly monitor: number }
  | {
      readonly _tag: "ReportExit"
      readonly watcher: number
      readonly exit: WatcherExit
      readonly tasks: { readonly count: number; readonly fingerprint: string } | null
      readonly evidence: Evidence
      /** The revision at which the watcher began its look. Absent: that of now. */
      readonly seen?: number
      /** When the process was last seen to run, epoch ms. Absent: now. */
      readonly ranUntil?: number
      /** True if the process is over, and nothing tells how it ended. Absent: that is known, or it is an agent's. */
      readonly unseen?: boolean
      /** The end of the user's quiet hours, epoch ms; `null`: no quiet hours now. */
      readonly quietUntil?: number | null
      /** The time that is added to a stated end of a limit, ms. */
      readonly margin?: number
      /** The first pause before a command is run again, ms. Each later one in a row is longer. */
      readonly pause?: number
      /** A program of the user says whether the work is done, at most so often in a row. Absent: the end says it. */
      readonly rounds?: number
    }
  /** A report of a watcher that stays. */
  | { readonly _tag: "ReportDeferred"; readonly watcher: number; readonly message: string; readonly until: number }
  /** `null`: the Conductor no longer waits for a person, or at its prompt. */
  | { readonly _tag: "ReportPerson"; readonly watcher: number; readonly for: string | null }
  | { readonly _tag: "ReportIdle"; readonly watcher: number; readonly since: number | null }
  | ({ readonly _tag: "ReportRefused" } & Pick<typeof Sign.WordRefused.Type, "what" | "from" | "message">)
  | ({ readonly _tag: "ReportSilentTask" } & Omit<typeof Sign.TaskSilent.Type, "_tag" | "at">)
  | ({ readonly _tag: "ReportNoticeLost" } & Omit<typeof Sign.NoticeLost.Type, "_tag" | "at">)
  /** Why a part of the Conductor cannot be claimed; `null`: all of it is claimed. */
  | { readonly _tag: "ReportClaim"; readonly message: string | null }
  /** Use since a moment, which an operator's renewal moves. Absent: no `flag`, and `withhold`. */
  | ({ readonly _tag: "ReportCeiling"; readonly since: number } & Pick<
      typeof Sign.CeilingReached.Type,
      "ceiling" | "used" | "limit"
    > &
      Partial<Pick<typeof Sign.CeilingReached.Type, "flag" | "then">>)
  | { readonly _tag: "ReportForeseen"; readonly foreseen: ComingLimit }
  | ({ readonly _tag: "ReportHandoffTaken" } & Pick<
      typeof HandoffTaken.Type,
      "watcher" | "launchId" | "takenAt" | "contextTokens" | "contextWindow"
    >)
  /** `WATCHER_DEAD {watcher}`, from its self-monitor, or from the supervisor where no self-monitor runs yet. */
  | {
      readonly _tag: "ReportWatcherDead"
      readonly monitor: number | undefined
      readonly watcher: number
      readonly beatAge: number | null
    }
  | { readonly _tag: "ReportSelfMonitorLost"; readonly monitor: number }
  /** A role died of a defect. `number`: the number of the watcher or self-monitor. Each other role has one instance. */
  | { readonly _tag: "ReportRoleFailed"; readonly role: OwnRole; readonly number?: number; readonly defect: string }
  | { readonly _tag: "StartStep"; readonly cycle: number; readonly step: string; readonly kind: StepKind }
  | { readonly _tag: "SucceedStep"; readonly cycle: number; readonly step: string; readonly outcome: Schema.Json }
  | { readonly _tag: "FailStep"; readonly cycle: number; readonly step: string; readonly failure: Schema.Json }
  | {
      readonly _tag: "PrepareLaunch"
      /** 0: another try of a run's first launch. */
      readonly cycle: number
      readonly launchId: string
      readonly digest: string
      readonly sessionId: string
      readonly requested: string
      readonly effective: Permission
      /** See `LaunchPrepared`; absent: `null`. */
      readonly heldTo?: SessionMode | null
      readonly turnBefore?: number | null
      /** The command gets a terminal of its own; `false` by default. */
      readonly pty?: boolean
    }
  /** A terminal opened no window for a launch, and another one is to launch in its place. */
  | ({ readonly _tag: "RefuseWindow" } & Pick<
      typeof WindowRefused.Type,
      "cycle" | "launchId" | "terminal" | "instead" | "message"
    >)
  | ({ readonly _tag: "DelayLaunch" } & Pick<typeof LaunchDelayed.Type, "cycle" | "message" | "until">)
  | {
      readonly _tag: "Relaunched"
      readonly cycle: number
      readonly provider: string
      readonly launchId: string
      /** `null`: the process is not known. */
      readonly conductor: ProcessIdentity | null
      readonly sessionId: string
      readonly awaiting: boolean
      readonly print: boolean
      /** The export that the successor started from; `null` where there is none. */
      readonly exportPath: string | null
      readonly baseline: Baseline
    }
  /** A provider escalates. */
  | ({ readonly _tag: "Escalate" } & Pick<
      typeof RecoveryEscalated.Type,
      "cycle" | "from" | "to" | "stage" | "message" | "alreadyKilled"
    >)
  | { readonly _tag: "FailClosed"; readonly cycle: number; readonly stage: string; readonly message: string }
  | { readonly _tag: "ExhaustRetries"; readonly cycle: number; readonly exportPath: string | null }
  /** See `WorkChecked`. */
  | { readonly _tag: "ConcludeCheck"; readonly cycle: number; readonly code: number | null; readonly said: string }
  /** A recovery saw `complete` before its next act, or has stopped the Conductor (`WatchStopped`, `EndingOver`). */
  | { readonly _tag: "CancelForCompletion" | "ConcludeEnding" | "ConcludeStop"; readonly cycle: number }
  /** `souffleur done`: the agent or an operator says that the work is complete. */
  | { readonly _tag: "Finish"; readonly saidBy: "agent" | "operator" }
  /**
   * The agent of this session asks for a recovery of its context. Its words are in the file `request` already
   * (Handoff.ts).
   */
  | {
      readonly _tag: "RequestHandoff"
      readonly sessionId: string
      readonly request: string
      readonly digest: string
      readonly tasks: { readonly count: number; readonly fingerprint: string } | null
      /** The same as in `ReportExit`. */
      readonly quietUntil?: number | null
    }
  /** A person has the Conductor stopped, and the watch ended. `reason`: the person's own words. */
  | { readonly _tag: "Stop"; readonly reason?: string | undefined }
  /** `to`: the watch that takes its comms over. Absent: an operator's word. */
  | { readonly _tag: "Release"; readonly to?: string }
  /** An operator's words: a hold, and the end of a hold or a wait. `byAgent`: an agent says it, and ends no hold. */
  | { readonly _tag: "Hold"; readonly byAgent?: boolean }
  | { readonly _tag: "Go"; readonly byAgent?: boolean }
  | { readonly _tag: "ReportFolder"; readonly folder: string }
  | ({ readonly _tag: "ReportCaps" } & Pick<typeof Sign.CapsFound.Type, "began" | "caps">)
  /**
   * `ceilings`: the user has set a ceiling of use, which can be renewed before it is reached. `permission`: the highest
   * one of a launch from now on. `headless`: no launch gets a window. `byAgent`, `byPhone`: it renews no use.
   */
  | {
      readonly _tag: "Retry"
      readonly byAgent?: boolean
      readonly byPhone?: boolean
      readonly ceilings?: boolean
      readonly permission?: Permission | undefined
      readonly handover?: Handover | undefined
      readonly headless?: boolean | undefined
    }
  | ({ readonly _tag: "TakeFleetWord" } & FleetWordIntent)
  | PinIntent
  | PhoneIntent
  | {
      readonly _tag: "Adopt"
      readonly conductor: ProcessIdentity
      readonly sessionId: string
      readonly print: boolean
      readonly forced?: boolean
      /** The program of the agent that has the session; `null`: a command has none. Absent: it is as before. */
      readonly agent?: string | null
      readonly baseline: Baseline
      /** The launch under way, settled before this word, and if it started the process. Absent: there was none. */
      readonly settled?: { readonly launchId: string; readonly started: boolean } | undefined
    }

/** The time of an intent in epoch ms, and its speaker: the owner with its fence, or an operator, who needs none. */
export interface Stamp {
  readonly now: number
  readonly by: { readonly _tag: "Owner"; readonly fence: number } | { readonly _tag: "Operator" }
}
/** An intent as the decider gets it: with the time, and the speaker with its fence. */
export type WatchCommand = WatchIntent & Stamp
