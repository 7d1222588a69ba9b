import { toolAllowance } from "../Bounds.ts"
import { isOver } from "../port/Process.ts"
import type { Signs, TurnState, Verdict } from "./Signs.ts"

/**
 * How many stalls in a row are still no hang: a call that stalls is given up and made again without any record of it,
 * and one that writes at last may write for minutes before its first block is whole. Less only where the process uses
 * no processor.
 */
const stallsInARow = 3

/**
 * A sign from the future is of a clock that was set back since: what it says of time is unknown. Clocks of files are a
 * little apart.
 */
const ahead = 60_000

const seconds = (millis: number): string => `${Math.max(0, Math.round(millis / 1000))} s`

/** The newest sign of any source, and when: what is older than `since`, or from the future, counts as of `since`. */
const newest = (signs: Signs): { readonly at: number; readonly what: string } => {
  const { beat, hook, now, pidFile, session, since } = signs
  const seen: ReadonlyArray<readonly [at: number | undefined, what: string]> = [
    [session?.writtenAt, "it wrote its session file"],
    [session?.turn?.at, "of the newest record of its session file"],
    [hook?.at, "it ran a hook"],
    [beat, "it sent a beat"],
    [pidFile?.writtenAt, "it wrote its pid file"]
  ]
  return seen.reduce<{ readonly at: number; readonly what: string }>(
    (best, [at, what]) =>
      at !== undefined && at > best.at && at <= now + ahead ? { at: Math.min(at, now), what } : best,
    { at: since, what: "it was launched, or looked at anew" }
  )
}

/** What explains silence, and until when; `from` is the newest sign. */
const heldBy = (
  turn: TurnState,
  from: number,
  stall: number,
  children: number | undefined
): Extract<Verdict, { readonly _tag: "Held" }> | undefined => {
  switch (turn._tag) {
    case "Asked":
      return {
        _tag: "Held",
        by: "call",
        because: "the model was asked, and its answer is outstanding",
        until: from + stallsInARow * stall
      }
    case "Retrying": {
      const wait = Math.max(0, turn.nextAt - turn.at)
      const by = turn.resetsAt === undefined ? "retry" : "limit"
      const because = `the service failed; try ${turn.attempt} of ${turn.attempts} after ${seconds(wait)}`
      return { _tag: "Held", by, because, until: from + wait + stallsInARow * stall }
    }
    case "Tool": {
      const because = `the tool ${turn.name} was called and has no result yet`
      // It has ended, or was never begun: what is missing is a word of the agent's own.
      if (turn.spawns && children === 0)
        return { _tag: "Held", by: "call", because: `${because}, nor a process`, until: from + stall }
      return { _tag: "Held", by: "tool", because, until: from + (turn.limit ?? toolAllowance) + stall }
    }
    default:
      return undefined
  }
}

/** How a turn that is over leaves its Conductor; `undefined`: it is not over. */
const over = (turn: TurnState | undefined): Verdict | undefined => {
  if (turn?._tag === "Finished") return { _tag: "Idle", since: turn.at }
  if (turn?._tag === "Question") return { _tag: "Waiting", for: `an answer to ${turn.name}`, since: turn.at }
  if (turn?._tag !== "Failed") return undefined
  switch (turn.reason) {
    case "usage-limit":
    case "outage":
      return { _tag: "Limited", kind: turn.reason, at: turn.at, resetsAt: turn.resetsAt }
    case "prompt-too-long":
      return { _tag: "Exhausted", at: turn.at }
    case "account":
      return { _tag: "Waiting", for: "its account: the service refuses it", since: turn.at }
    case "other":
      return { _tag: "Idle", since: turn.at }
  }
}

/**
 * What the signs come to (spec: behaviour#verdicts). `stall` is the agent's own stall time in ms: silence up to it is
 * never a hang. Hung needs a known process, a turn that is known to be outstanding, its time over, a pid file that says
 * busy (or a process that does nothing at all), and every sign silent for longer than the stall time; whatever is
 * missing is unknown, never dead.
 */
export const judge = (signs: Signs, stall: number): Verdict => {
  const { now, pidFile, process, session, stillSince } = signs
  if (isOver(process)) return { _tag: "Gone", clean: signs.turnEnded }
  if (pidFile?.status === "waiting")
    return { _tag: "Waiting", for: pidFile.waitingFor ?? "a person", since: pidFile.writtenAt }
  const turn = session?.turn
  const ended = over(turn)
  // Subagents work on in the background, and their result begins the next turn: for how long, nobody knows.
  const background = turn?._tag === "Finished" && pidFile?.status === "busy"
  if (ended !== undefined && !background) return ended
  if (pidFile?.status === "idle") return { _tag: "Idle", since: pidFile.writtenAt }

  const sign = newest(signs)
  const silentFor = now - sign.at
  const held = turn === undefined ? undefined : heldBy(turn, sign.at, stall, signs.children)
  const still = process === "stopped" || (stillSince !== undefined && now - Math.max(stillSince, signs.since) > stall)
  const frozen = still && silentFor > stall
  if (background && !frozen) return { _tag: "Alive", because: "its turn is over, and it still says that it is busy" }
  if (held !== undefined && held.until >= now && !frozen) return held
  if (silentFor <= stall) return { _tag: "Alive", because: `${seconds(silentFor)} ago ${sign.what}` }
  if (process === undefined) return { _tag: "Unknown", because: "its process is not known" }
  if (held === undefined && !background)
    return { _tag: "Unknown", because: "its session file does not say where its turn stands" }
  // That a person is asked, or that a turn was broken off by one, is in no record of the session: only its pid file
  // says it.
  if (pidFile?.status !== "busy" && !frozen)
    return { _tag: "Unknown", because: "its pid file does not say that it is busy" }
  return { _tag: "Hung", silentFor }
}
