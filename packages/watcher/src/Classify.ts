import {
  type Condition,
  type CommsSnapshot,
  type Event,
  heartbeatAge,
  type Holder,
  type HeartbeatSeen,
  type Watch,
  type WatcherExit
} from "@souffleur/domain"
import { Option } from "effect"

/** Everything one poll has read, before anything is decided. */
export interface Sighting {
  readonly now: number
  /** `undefined`: no process is known (`heartbeat-only`). */
  readonly process: Condition | undefined
  /** `undefined`: comms is out. */
  readonly comms: CommsSnapshot | undefined
  readonly heartbeat: HeartbeatSeen
  /** Epoch ms before which no heartbeat is expected: the launch, or the last break in polling. */
  readonly notBefore: number
  readonly staleAfter: number
  /** A state other than `context_recovery` was seen since this generation was launched. */
  readonly otherStateSeen: boolean
  /** A payload newer than what this generation started with. */
  readonly newPayload: boolean
  /** The process is gone, it was in print mode, and its last turn is finished. */
  readonly turnEnded: boolean
  /** Without comms: the process is gone, its last turn is finished; of a command, its exit code was 0. */
  readonly finished: boolean
  /** In standby: who holds the session again, with a heartbeat newer than the closing. */
  readonly returned: Extract<WatcherExit, { readonly _tag: "Returned" }> | undefined
  /** In `heartbeat-only`: who holds the session after all. */
  readonly resolved: Holder | undefined
  /** Of `task-00.session_id`: new to this watch, or the awaited one itself, and its file exists. */
  readonly foundSession: Omit<Extract<WatcherExit, { readonly _tag: "SessionIdFound" }>, "_tag"> | undefined
}

/** The exits of spec §2, Watching, in their priority; standing by, only completion and a Conductor that came back count. */
export const classify = (watch: Watch, seen: Sighting): Option.Option<WatcherExit> => {
  const state = Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state
  if (state === "complete" || seen.finished) return Option.some({ _tag: "Complete" })
  if (watch.standby !== undefined) return Option.fromUndefinedOr(seen.returned)
  // Before anything that a recovery follows: whom it cannot stop, it cannot replace.
  if (seen.resolved !== undefined) return Option.some({ _tag: "Resolved", holder: seen.resolved })
  if (state === "context_recovery" && (seen.otherStateSeen || seen.newPayload)) return Option.some({ _tag: "ContextRecovery" })
  if (seen.turnEnded) return Option.some({ _tag: "TurnEnded" })
  if (seen.process === "gone" || seen.process === "zombie") return Option.some({ _tag: "Dead", cause: "pid" })
  const age = seen.comms === undefined ? undefined : heartbeatAge(seen.heartbeat, seen.now, seen.notBefore)
  if (age !== undefined && age > seen.staleAfter) return Option.some({ _tag: "Dead", cause: "heartbeat" })
  return watch.awaiting && seen.foundSession !== undefined ? Option.some({ _tag: "SessionIdFound", ...seen.foundSession }) : Option.none()
}

/** What a decision rests on, for the log. */
export const evidenceOf = (seen: Sighting): Event.Evidence => ({
  process: seen.process ?? "unknown",
  conductorState: Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state ?? null,
  heartbeat: seen.heartbeat.raw,
  heartbeatAge: heartbeatAge(seen.heartbeat, seen.now, seen.notBefore) ?? null,
  staleAfter: seen.staleAfter,
  signs: [],
  contextTokens: null
})
