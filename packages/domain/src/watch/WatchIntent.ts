import type { Schema } from "effect"
import type { Owner } from "../port/Claims.ts"
import type { Baseline } from "../port/Comms.ts"
import type { Permission } from "../settings/Permission.ts"
import type { Pin } from "../settings/Pin.ts"
import type { PinIntent } from "../decide/PinDecider.ts"
import type { ProcessIdentity } from "../port/Process.ts"
import type { OwnRole, ProcessEnding } from "../event/GuardEvent.ts"
import type { CeilingReached, WaitKind, WordRefused } from "../event/SignEvent.ts"
import type {
  Check,
  ConductorDied,
  Evidence,
  HandoffTaken,
  Kind,
  LaunchPrepared,
  RecoveryEscalated,
  StepKind
} from "../event/WatchEvent.ts"

/** A live process that says that it holds a session. */
export interface Holder {
  readonly conductor: ProcessIdentity
  readonly print: boolean
}

/** What a watcher saw that ends it, by its priority (spec: behaviour#exits). */
export type WatcherExit =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "ContextRecovery" }
  | { readonly _tag: "TurnEnded" }
  /** In standby: a heartbeat newer than the closing, and this process holds the session. */
  | {
      readonly _tag: "Returned"
      readonly conductor: ProcessIdentity
      readonly print: boolean
      readonly baseline: Baseline
    }
  | { readonly _tag: "Dead"; readonly cause: (typeof ConductorDied.Type)["cause"] }
  /** Its last turn ended by the service; `resetsAt` in epoch ms, `null` where nobody says. */
  | { readonly _tag: "Limited"; readonly kind: Exclude<WaitKind, "quiet-hours">; readonly resetsAt: number | null }
  | { readonly _tag: "WaitOver"; readonly how: "over" | "went on" }
  | { readonly _tag: "ContextExhausted" }
  | { readonly _tag: "SessionIdFound"; readonly sessionId: string; readonly holder: Holder | "the same" | "unknown" }
  /** In `heartbeat-only`: this process holds the session after all. */
  | { readonly _tag: "Resolved"; readonly holder: Holder }

/** What somebody wants of a watch: a role, a recovery step, an operator in another process. */
export type WatchIntent =
  | {
      readonly _tag: "Open"
      readonly project: string
      readonly comms: string | null
      readonly pid: number
      /** Who has that pid; `null`: nobody, as bootstrap will see. Of a run: not yet. */
      readonly process?: ProcessIdentity | null
      readonly sessionId: string
      readonly observe: boolean
      /** What is in force from now on; absent: the least. */
      readonly pin?: Pin
      /** A person names it against the evidence. */
      readonly forced?: boolean
      /**
       * `souffleur run`: what is started first, its launch file written. Where it is not there, the Conductor runs
       * already.
       */
      readonly run?: {
        readonly kind: Kind
        readonly launch: Pick<typeof LaunchPrepared.Type, "launchId" | "digest" | "requested" | "effective">
      }
    }
  /** `over` is the fence whose owner was seen dead or absent; it must still be in force. */
  | { readonly _tag: "TakeOwnership"; readonly owner: Owner; readonly over: number }
  | { readonly _tag: "Leave" }
  /** A guardian's word: another souffleur in place of the owner of the fence `over`, which died or is silent. */
  | { readonly _tag: "Restore"; readonly cause: "died" | "silent"; readonly over: number }
  /** A process of souffleur's own making is about to be ended. */
  | ({ readonly _tag: "EndProcess" } & Pick<typeof ProcessEnding.Type, "process" | "reason" | "what">)
  | { readonly _tag: "FailValidation"; readonly check: Check; readonly reason: string; readonly lastMessageId: number }
  | {
      readonly _tag: "CorrectArguments"
      readonly pid: number
      readonly sessionId: string
      readonly messageId: number
      /** Who has that pid now; `null`: nobody. */
      readonly process: ProcessIdentity | null
    }
  | {
      readonly _tag: "Confirm"
      readonly conductor: ProcessIdentity
      readonly sessionId: string
      readonly print: boolean
      readonly baseline: Baseline
    }
  | { readonly _tag: "WatcherReady"; readonly watcher: number }
  | { readonly _tag: "SelfMonitorReady"; readonly monitor: number }
  | {
      readonly _tag: "ReportExit"
      readonly watcher: number
      readonly exit: WatcherExit
      readonly tasks: { readonly count: number; readonly fingerprint: string } | null
      readonly evidence: Evidence
      /** Epoch ms until which the user wants nothing launched; `null`: no quiet hours now. */
      readonly quietUntil?: number | null
    }
  /** What a watcher tells of without ending. */
  | { readonly _tag: "ReportDeferred"; readonly watcher: number; readonly because: string; readonly until: number }
  /** `null`: it waits for nobody any more. */
  | { readonly _tag: "ReportPerson"; readonly watcher: number; readonly for: string | null }
  | ({ readonly _tag: "ReportRefused" } & Pick<typeof WordRefused.Type, "what" | "from" | "message">)
  /** Why something of the Conductor cannot be claimed; `null`: all of it is. */
  | { readonly _tag: "ReportClaim"; readonly message: string | null }
  /** `since`: from when on it was counted, epoch ms. */
  | ({ readonly _tag: "ReportCeiling"; readonly since: number } & Pick<
      typeof CeilingReached.Type,
      "watcher" | "ceiling" | "used" | "limit"
    >)
  | ({ readonly _tag: "ReportHandoffTaken" } & Pick<
      typeof HandoffTaken.Type,
      "watcher" | "launchId" | "takenAt" | "contextTokens" | "contextWindow"
    >)
  /** `WATCHER_DEAD {watcher}`. */
  /** By its self-monitor; before there is one, by the supervisor. */
  | {
      readonly _tag: "ReportWatcherDead"
      readonly monitor: number | undefined
      readonly watcher: number
      readonly beatAge: number | null
    }
  | { readonly _tag: "ReportSelfMonitorLost"; readonly monitor: number }
  /** A role died of a defect. `number`: which watcher or self-monitor; of the others there is one at a time. */
  | { readonly _tag: "ReportRoleFailed"; readonly role: OwnRole; readonly number?: number; readonly defect: string }
  | { readonly _tag: "StartStep"; readonly cycle: number; readonly step: string; readonly kind: StepKind }
  | { readonly _tag: "SucceedStep"; readonly cycle: number; readonly step: string; readonly outcome: Schema.Json }
  | { readonly _tag: "FailStep"; readonly cycle: number; readonly step: string; readonly failure: Schema.Json }
  | {
      readonly _tag: "PrepareLaunch"
      /** 0: the first launch of a run, once more. */
      readonly cycle: number
      readonly launchId: string
      readonly digest: string
      readonly sessionId: string
      readonly requested: string
      readonly effective: Permission
    }
  | {
      readonly _tag: "Relaunched"
      readonly cycle: number
      readonly provider: string
      readonly launchId: string
      readonly conductor: ProcessIdentity
      readonly sessionId: string
      readonly awaiting: boolean
      readonly print: boolean
      /** What it was started from; `null` where there is none. */
      readonly exportPath: string | null
      readonly baseline: Baseline
    }
  /** A provider hands on to the next one. */
  | ({ readonly _tag: "Escalate" } & Pick<
      typeof RecoveryEscalated.Type,
      "cycle" | "from" | "to" | "stage" | "reason" | "alreadyKilled"
    >)
  | { readonly _tag: "FailClosed"; readonly cycle: number; readonly stage: string; readonly reason: string }
  | { readonly _tag: "ExhaustRetries"; readonly cycle: number; readonly exportPath: string | null }
  /** A recovery saw `complete` before its next act. */
  | { readonly _tag: "CancelForCompletion"; readonly cycle: number }
  /** `souffleur done`: the work is complete, by the word of the agent that did it or of an operator. */
  | { readonly _tag: "Finish"; readonly saidBy: "agent" | "operator" }
  /**
   * The agent of this session asks for a recovery of its context; its words are in the file `request` already
   * (Handoff.ts).
   */
  | {
      readonly _tag: "RequestHandoff"
      readonly sessionId: string
      readonly request: string
      readonly digest: string
      readonly tasks: { readonly count: number; readonly fingerprint: string } | null
      /** As of `ReportExit`. */
      readonly quietUntil?: number | null
    }
  | { readonly _tag: "Release" }
  /**
   * `ceilings`: the user has set one, so that as much again can be allowed before it is reached. `permission`: no
   * launch is above it any more.
   */
  | { readonly _tag: "Retry"; readonly ceilings?: boolean; readonly permission?: Permission | undefined }
  | PinIntent
  | {
      readonly _tag: "Adopt"
      readonly conductor: ProcessIdentity
      readonly sessionId: string
      readonly print: boolean
      /** A person names it against the evidence. */
      readonly forced?: boolean
      readonly baseline: Baseline
    }

/** Who says it, and when: a fence of the owner, or an operator, whose word needs none. */
export interface Stamp {
  /** Epoch milliseconds. */
  readonly now: number
  readonly by: { readonly _tag: "Owner"; readonly fence: number } | { readonly _tag: "Operator" }
}
export type WatchCommand = WatchIntent & Stamp
