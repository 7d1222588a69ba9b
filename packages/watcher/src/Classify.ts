import {
  Bounds,
  type Event,
  failedAtPrompt,
  failedTurn,
  firstAnswer,
  hasPrompt,
  heartbeatAge,
  isOver,
  isEarlyEnd,
  idleSince,
  isUnconfirmed,
  isUnmendable,
  isWaitOver,
  ownTurn,
  unknownTries,
  type Watch,
  type WatcherExit
} from "@souffleur/domain"
import { Option } from "effect"
import type { Observation } from "./Observation.ts"
import { signsToLog } from "./ReadSigns.ts"
import { beginMillis } from "./WatchSchedule.ts"

/** Finds the failed last turn of this generation: a usage limit, an outage, or a conversation that no longer fits. */
const failureOf = (watch: Watch, { signs: { session } }: Observation) => {
  const turn = ownTurn(watch, session?.turn)
  return turn?._tag === "Failed" ? turn : undefined
}

/**
 * Decides how a wait ends (spec: behaviour#limits-and-waits): the Conductor resumes by itself, the service states a
 * later end, no launch mends what ended the session meanwhile, or the time has come. `undefined`: it is not over.
 */
const waitingOut = (watch: Watch, wait: NonNullable<Watch["wait"]>, seen: Observation): WatcherExit | undefined => {
  const { process, session } = seen.signs
  const turn = session?.turn
  const newer = wait.turnAt !== null && turn !== undefined && Math.round(turn.at) !== wait.turnAt
  if (newer && turn._tag !== "Failed" && process === "running") return { _tag: "WaitOver", how: "went on" }
  if (!isWaitOver(wait, seen.now)) return undefined
  const failure = failureOf(watch, seen)
  // A person may have gone on with the session meanwhile, by a process that no poll saw.
  if (isOver(seen.process) && isUnmendable(failure?.reason)) return { _tag: "Unmendable", reason: failure.reason }
  const later = failure?.resetsAt !== undefined && failure.resetsAt > seen.now
  // A time that is no believable wait is no statement: it would put the wait off again and again.
  return newer && later && Bounds.wait(failure.resetsAt - seen.now) !== undefined && failure.reason === "usage-limit"
    ? { _tag: "Limited", kind: failure.reason, resetsAt: failure.resetsAt, turnAt: Math.round(failure.at) }
    : { _tag: "WaitOver", how: "over" }
}

/** Returns whether the heartbeat is strictly older than the limit (spec: behaviour#heartbeat-age). */
export const isStale = (seen: Observation): boolean => {
  const age = seen.comms === undefined ? undefined : heartbeatAge(seen.heartbeat, seen.now, seen.notBefore)
  return age !== undefined && age > seen.staleAfter
}

/**
 * Returns whether the log has the end of this generation as an early one whose recovery is put off. A later commit of a
 * person says nothing about the ended process.
 */
const hasEndedEarly = ({ standby, wait }: Watch): boolean => isEarlyEnd((wait ?? standby)?.trigger)

/** The state of a Conductor that needs its user before it goes: it is no crash, however it ends. */
const exitRequested = "exit_requested"

/** Returns whether comms says that the Conductor needs its user before it exits. */
export const asksToExit = ({ comms }: Observation): boolean =>
  Option.exists(comms?.conductor ?? Option.none(), ({ state }) => state === exitRequested)

/**
 * Returns what the Conductor waits for a person to do, in a few of the agent's words. `null`: it waits for nothing.
 * An agent that souffleur launched into a window may ask something before it begins a session. Later its turn may have
 * failed at its prompt. A successor has `taken` its hand-off then.
 */
export const awaited = (watch: Watch, seen: Observation, taken: boolean): string | null => {
  const { now, signs, verdict } = seen
  // In print mode a turn that failed ends the process by itself, and that end is told.
  if (verdict._tag === "Waiting")
    return watch.print && signs.session?.turn?._tag === "Failed" ? null : verdict.for.slice(0, 100)
  if (asksToExit(seen) && signs.process === "running") return "its user, before it exits"
  if (seen.asksFirst) return now - watch.launchedAt >= beginMillis ? firstAnswer : null
  if (!hasPrompt(watch)) return null
  return verdict._tag === "Idle" && taken && failedAtPrompt(watch, signs.session?.turn) ? failedTurn : null
}

const exitOf = (watch: Watch, seen: Observation): WatcherExit | undefined => {
  const { verdict } = seen
  const state = Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state
  if (state === "complete" || (seen.ending === "complete" && !hasEndedEarly(watch))) return { _tag: "Complete" }
  if (watch.standby !== undefined) return seen.returned ?? (seen.loginRenewed ? { _tag: "LoginRenewed" } : undefined)
  // This comes before every exit that a recovery follows: a recovery must know the process that it stops.
  if (seen.resolved !== undefined) return { _tag: "Resolved", holder: seen.resolved }
  const asks = state === "context_recovery" && (seen.otherStateSeen || seen.newPayload)
  // A request ends each wait, except a wait for the same request.
  if (asks && watch.wait?.trigger !== "handoff") return { _tag: "ContextRecovery" }
  if (watch.wait !== undefined) return waitingOut(watch, watch.wait, seen)
  // An ended process held the session that its hooks or its pid file named last, or that its launch began.
  const found = seen.foundSession
  const gone = isOver(seen.process)
  if (gone && found?.holder === "the same" && found.sessionId !== watch.sessionId)
    return { _tag: "SessionIdFound", ...found }
  if (gone && state === exitRequested) return { _tag: "ExitRequested" }
  if (seen.turnEnded) return { _tag: "TurnEnded" }
  if (typeof seen.ending === "object") return { _tag: "EndedEarly", ...seen.ending }
  const failure = failureOf(watch, seen)
  if (failure?.reason === "usage-limit" || failure?.reason === "outage")
    return { _tag: "Limited", kind: failure.reason, resetsAt: failure.resetsAt ?? null, turnAt: Math.round(failure.at) }
  if (gone) {
    const reason = failure?.reason ?? seen.endReason
    if (isUnmendable(reason)) return { _tag: "Unmendable", reason }
    // An end of the service's making, whatever it is, never costs the conversation.
    if (failure?.reason === "other" && failure.words !== undefined)
      return watch.waits < unknownTries
        ? { _tag: "Limited", kind: "unknown-error", resetsAt: null, turnAt: Math.round(failure.at) }
        : { _tag: "Unmendable", reason: "other" }
  }
  if (failure?.reason === "prompt-too-long") return { _tag: "ContextExhausted" }
  if (gone) return { _tag: "Dead", reason: "pid" }
  if (isStale(seen) && seen.excuse === undefined && state !== exitRequested)
    return { _tag: "Dead", reason: "heartbeat" }
  if (watch.comms === null && verdict._tag === "Hung" && !seen.asksFirst) return { _tag: "Dead", reason: "hang" }
  if (seen.handoffTimedOut) return { _tag: "Dead", reason: "untaken" }
  return found === undefined ? undefined : { _tag: "SessionIdFound", ...found }
}

/** What tells whether an agent is at its prompt. */
export type Rest = Pick<Observation, "signs" | "verdict">

/**
 * Returns since when an agent is idle, epoch ms (spec: behaviour#idle); `null`: it is not, as a person who talks with
 * it makes shorter pauses than a poll. `undefined`: what is unknown says nothing, and the end of a process is told as
 * such.
 */
export const restOf = (watch: Watch, { signs, verdict }: Rest, intervalMillis: number): number | null | undefined => {
  const since = idleSince(watch, verdict, signs)
  if (since === undefined) return verdict._tag === "Alive" || verdict._tag === "Held" ? null : undefined
  return signs.now - since > intervalMillis ? since : null
}

/**
 * Returns the exit of an agent at its prompt, where a program says whether the work is done
 * (spec: behaviour#done-by-a-program). What it has said of this very turn holds. `undefined`: there is no exit.
 */
export const exitAtRest = (watch: Watch, seen: Rest, intervalMillis: number): WatcherExit | undefined => {
  // What a person has begun at a terminal of its own is not stopped there.
  if (!hasPrompt(watch) || (watch.standby ?? watch.wait) !== undefined) return undefined
  if (typeof restOf(watch, seen, intervalMillis) !== "number") return undefined
  return isUnconfirmed(watch, seen.signs.session?.turn)
    ? { _tag: "EndedEarly", reason: "unconfirmed", leftRunning: 0 }
    : { _tag: "Complete" }
}

/**
 * Returns the exit of an agent in print mode whose process does not end, although its turn is finished and it has
 * rested for a stall, ms (spec: behaviour#an-agent-that-does-not-exit). `undefined`: it may still do something.
 */
export const lingers = (watch: Watch, { signs, verdict }: Rest, stall: number): WatcherExit | undefined => {
  const { comms, held, kind, launchId, lingered, observe, print, standby, wait } = watch
  const isOurs = kind === "agent" && print && comms === null && launchId !== undefined
  if (!isOurs || observe || (held ?? standby ?? wait) !== undefined || verdict._tag !== "Idle") return undefined
  const { hook, left, now, restsSince, session } = signs
  const turn = ownTurn(watch, session?.turn)
  if (session === undefined || turn?._tag !== "Finished" || left !== 0 || restsSince === undefined) return undefined
  const since = Math.max(turn.at, session.writtenAt, restsSince, hook?.at ?? 0, lingered?.at ?? 0)
  return now - since > stall ? { _tag: "Lingering", since: Math.round(since) } : undefined
}

/**
 * Returns the first exit in the order of priority (spec: behaviour#exits). In standby only completion and a returned
 * Conductor count.
 */
export const classify = (watch: Watch, seen: Observation): Option.Option<WatcherExit> =>
  Option.fromUndefinedOr(exitOf(watch, seen))

/** The exits after which a recovery may end a Conductor that lives. */
export const givesUp: ReadonlySet<WatcherExit["_tag"]> = new Set([
  "ContextExhausted",
  "ContextRecovery",
  "Dead",
  "EndedEarly",
  "LoginRenewed",
  "TurnEnded",
  "WaitOver"
])

/** Makes the evidence of a decision for the log. */
export const evidenceOf = (watch: Watch, seen: Observation): Event.Evidence => ({
  process: seen.process ?? "unknown",
  conductorState: Option.getOrUndefined(seen.comms?.conductor ?? Option.none())?.state ?? null,
  heartbeat: seen.heartbeat.raw,
  heartbeatAge: heartbeatAge(seen.heartbeat, seen.now, seen.notBefore) ?? null,
  staleAfter: seen.staleAfter,
  signs: signsToLog(seen.signs),
  contextTokens: seen.signs.session?.context?.tokens ?? null,
  // A turn of the generation before, or one in which a permission was refused, says nothing of the work.
  turnFinished: ownTurn(watch, seen.signs.session?.turn)?._tag === "Finished" && seen.signs.session?.refused !== true,
  end: seen.end ?? null
})
