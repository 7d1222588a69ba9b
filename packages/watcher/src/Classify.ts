import {
  Bounds,
  type Event,
  heartbeatAge,
  isOver,
  isEarlyEnd,
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

/**
 * Returns the first exit in the order of priority (spec: behaviour#exits). In standby only completion and a returned
 * Conductor count.
 */
export const classify = (watch: Watch, seen: Observation): Option.Option<WatcherExit> =>
  Option.fromUndefinedOr(exitOf(watch, seen))

/** The exits by which a recovery ends a Conductor that may live. */
export const givesUp: ReadonlySet<WatcherExit["_tag"]> = new Set(["Dead", "ContextRecovery", "ContextExhausted"])

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
