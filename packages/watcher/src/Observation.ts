import type {
  CommsSnapshot,
  Condition,
  FailedReason,
  HeartbeatSeen,
  Holder,
  Moment,
  ProcessEnd,
  Progress,
  Signs,
  Verdict,
  WatcherExit
} from "@souffleur/domain"
import type { Excuse } from "./Excuse.ts"

/** Everything that one poll knows before it decides. Times are epoch ms, durations ms. */
export interface Observation {
  readonly now: number
  /** When the last sign was read. */
  readonly read: Moment
  /** `undefined`: no process is known (`heartbeat-only`). */
  readonly process: Condition | undefined
  /** `undefined`: the process runs, or its end is unknown. */
  readonly end: ProcessEnd | undefined
  /** Why it ended, by its exit code. `undefined`: that does not tell. */
  readonly endReason: FailedReason | undefined
  /** The time of that end. */
  readonly endedAt: number | undefined
  /** True for a command that is over, and whose end is unknown. A window that is closed ends its command. */
  readonly unseen: boolean
  /** `undefined`: comms is out. */
  readonly comms: CommsSnapshot | undefined
  readonly heartbeat: HeartbeatSeen
  /** No heartbeat is expected before it: the launch, or the last break in polling. */
  readonly notBefore: number
  readonly staleAfter: number
  /** A state other than `context_recovery` was seen since this generation was launched. */
  readonly otherStateSeen: boolean
  /** A payload newer than what this generation started with. */
  readonly newPayload: boolean
  /** True if the process is gone, was in print mode, and finished its last turn. */
  readonly turnEnded: boolean
  /** Every other sign. */
  readonly signs: Signs
  /** The conclusion from the signs. */
  readonly verdict: Verdict
  /** `undefined`: nothing excuses a silent heartbeat. */
  readonly excuse: Excuse | undefined
  /** True if it runs in a window with a prompt and has not begun its turn, since it may ask something first. */
  readonly asksFirst: boolean
  /** True if the time to take the hand-off is over and the successor did not take it. The session file shows that. */
  readonly handoffTimedOut: boolean
  /** Without comms: whether the end of the process is the end of the work. `undefined`: it runs, or it died. */
  readonly ending: "complete" | Omit<Extract<WatcherExit, { readonly _tag: "EndedEarly" }>, "_tag"> | undefined
  /** In standby: the process that holds the session again, with a heartbeat newer than the closing. */
  readonly returned: Extract<WatcherExit, { readonly _tag: "Returned" }> | undefined
  /** In standby: the files of the agent's login were written after the end of its process. */
  readonly loginRenewed: boolean
  /** In `heartbeat-only`: the process that holds the session. `undefined`: none is found. */
  readonly resolved: Holder | undefined
  /** The session that comms names while one is awaited, or that the process now holds. */
  readonly foundSession: Omit<Extract<WatcherExit, { readonly _tag: "SessionIdFound" }>, "_tag"> | undefined
}

/** Returns the tasks as progress is measured by them; `null` while comms is out. */
export const tasksOf = (comms: Observation["comms"]): Progress["tasks"] =>
  comms === undefined ? null : { count: comms.taskCount, fingerprint: comms.taskFingerprint }
