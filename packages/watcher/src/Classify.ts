import {
  isOver,
  type Condition,
  type CommsSnapshot,
  type Event,
  heartbeatAge,
  type Holder,
  type HeartbeatSeen,
  type Signs,
  type Verdict,
  type Watch,
  type WatcherExit
} from "@souffleur/domain"
import { Option } from "effect"
import { tellSigns } from "./SignsOfLife.ts"

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
  /** The agent's own stall time, ms. */
  readonly stallAfter: number
  /** A state other than `context_recovery` was seen since this generation was launched. */
  readonly otherStateSeen: boolean
  /** Since when it no longer waits for a person, epoch ms; 0: no look saw it wait. */
  readonly answeredAt: number
  /** A payload newer than what this generation started with. */
  readonly newPayload: boolean
  /** The process is gone, it was in print mode, and its last turn is finished. */
  readonly turnEnded: boolean
  /** Every other sign there is, and what they come to. */
  readonly signs: Signs
  readonly verdict: Verdict
  /** The time in which a successor takes its hand-off is over, and its session file shows that it did not. */
  readonly untaken: boolean
  /** Without comms: the process is gone, its last turn is finished; of a command, its exit code was 0. */
  readonly finished: boolean
  /** In standby: who holds the session again, with a heartbeat newer than the closing. */
  readonly returned: Extract<WatcherExit, { readonly _tag: "Returned" }> | undefined
  /** In `heartbeat-only`: who holds the session after all. */
  readonly resolved: Holder | undefined
  /**
   * Awaited: of `task-00.session_id`, new to this watch or the awaited one itself, and its file exists. Or what its process holds by now.
   */
  readonly foundSession: Omit<Extract<WatcherExit, { readonly _tag: "SessionIdFound" }>, "_tag"> | undefined
}

/** The service ended the last turn of this generation: a usage limit, an outage, or a conversation that no longer fits. */
const failureOf = ({ launchedAt }: Watch, { signs: { session } }: Sighting) =>
  session?.turn?._tag === "Failed" && session.turn.at >= launchedAt ? session.turn : undefined

/**
 * A limit is waited out: until the Conductor goes on by itself, its end was moved, or its time has come (spec: behaviour#limits-and-waits).
 */
const waitingOut = (watch: Watch, wait: NonNullable<Watch["wait"]>, seen: Sighting): WatcherExit | undefined => {
  const { process, session } = seen.signs
  const turn = session?.turn
  const newer = turn !== undefined && turn.at > wait.since && wait.kind !== "quiet-hours"
  if (newer && turn._tag !== "Failed" && process === "running") return { _tag: "WaitOver", how: "went on" }
  if (seen.now < wait.until) return undefined
  const failure = failureOf(watch, seen)
  return newer && failure?.resetsAt !== undefined && failure.resetsAt > seen.now && failure.why === "usage-limit"
    ? { _tag: "Limited", kind: failure.why, resetsAt: failure.resetsAt }
    : { _tag: "WaitOver", how: "over" }
}

/**
 * Why a Conductor whose heartbeat is too old is left alone, and until when: its session file states a retry, or a tool that has
 * not had its own time; or it waits for a person, for as long as that takes (spec: behaviour#excuses). A call to its model is no
 * reason. A tool that a person allowed begins with that.
 */
export const excuseOf = ({
  answeredAt,
  now,
  process,
  signs: { children, session },
  stallAfter,
  verdict
}: Pick<Sighting, "answeredAt" | "now" | "process" | "signs" | "stallAfter" | "verdict">) => {
  const turn = session?.turn
  if (process !== "running") return undefined
  if (verdict._tag === "Waiting") return { because: `it waits for a person: ${verdict.for}`, until: Infinity }
  if (verdict._tag !== "Held" || turn === undefined) return undefined
  const { because } = verdict
  const until =
    turn._tag === "Retrying"
      ? Math.min(verdict.until, turn.nextAt + stallAfter)
      : turn._tag === "Tool" && !(turn.spawns && children === 0)
        ? Math.min(verdict.until, Math.max(turn.at, answeredAt) + (turn.limit ?? Infinity))
        : now
  return until > now ? { because, until } : undefined
}

/** Strictly older than the limit (spec: behaviour#heartbeat-age). */
export const isStale = (seen: Sighting): boolean => {
  const age = seen.comms === undefined ? undefined : heartbeatAge(seen.heartbeat, seen.now, seen.notBefore)
  return age !== undefined && age > seen.staleAfter
}

const exitOf = (watch: Watch, seen: Sighting): WatcherExit | undefined => {
  const { verdict } = seen
  const state = Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state
  if (state === "complete" || seen.finished) return { _tag: "Complete" }
  if (watch.standby !== undefined) return seen.returned
  // Before anything that a recovery follows: whom it cannot stop, it cannot replace.
  if (seen.resolved !== undefined) return { _tag: "Resolved", holder: seen.resolved }
  const asks = state === "context_recovery" && (seen.otherStateSeen || seen.newPayload)
  // Who asks goes on, whatever was waited for; a wait for the same request is not ended by it.
  if (asks && watch.wait?.trigger !== "handoff") return { _tag: "ContextRecovery" }
  if (watch.wait !== undefined) return waitingOut(watch, watch.wait, seen)
  // What the dead leave behind is of the session that they held last, as their hooks said; a row's id that is awaited comes after.
  const found = seen.foundSession
  const gone = isOver(seen.process)
  if (gone && !watch.awaiting && found?.holder === "the same") return { _tag: "SessionIdFound", ...found }
  if (seen.turnEnded) return { _tag: "TurnEnded" }
  const failure = failureOf(watch, seen)
  if (failure?.why === "usage-limit" || failure?.why === "outage")
    return { _tag: "Limited", kind: failure.why, resetsAt: failure.resetsAt ?? null }
  if (failure?.why === "prompt-too-long") return { _tag: "ContextExhausted" }
  if (gone) return { _tag: "Dead", cause: "pid" }
  if (isStale(seen) && excuseOf(seen) === undefined) return { _tag: "Dead", cause: "heartbeat" }
  if (watch.comms === null && verdict._tag === "Hung") return { _tag: "Dead", cause: "hang" }
  if (seen.untaken) return { _tag: "Dead", cause: "untaken" }
  return found === undefined ? undefined : { _tag: "SessionIdFound", ...found }
}

/** The exits in their priority (spec: behaviour#exits); standing by, only completion and a Conductor that came back count. */
export const classify = (watch: Watch, seen: Sighting): Option.Option<WatcherExit> => Option.fromUndefinedOr(exitOf(watch, seen))

/** What a decision rests on, for the log. */
export const evidenceOf = (seen: Sighting): Event.Evidence => ({
  process: seen.process ?? "unknown",
  conductorState: Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state ?? null,
  heartbeat: seen.heartbeat.raw,
  heartbeatAge: heartbeatAge(seen.heartbeat, seen.now, seen.notBefore) ?? null,
  staleAfter: seen.staleAfter,
  signs: tellSigns(seen.signs),
  contextTokens: seen.signs.session?.context?.tokens ?? null
})
