import { maxToolMillis } from "../Bounds.ts"
import { isOver } from "../port/Condition.ts"
import type { Signs, TurnState, Verdict } from "./Signs.ts"

/**
 * Stalls in a row that are still no hang. The agent gives up a stalled call and makes it again without a record. A call
 * that writes at last may take minutes before its first block is whole. A process that uses no processor gets less.
 */
export const stallsInARow = 3

/**
 * The ms by which clocks of files may be ahead. A later sign is from a clock that was set back since, so its time is
 * unknown.
 */
const aheadMillis = 60_000

/** The share of a processor from which on processes work. A server of tools that waits uses a tenth of it. */
export const workingShare = 0.005

/** Returns whether processor time (hundredths of a second) is no work in that time (ms): what waits has timers. */
export const isRest = (used: number, millis: number): boolean => used <= Math.max(1, (workingShare * millis) / 10)

const seconds = (millis: number): string => `${Math.max(0, Math.round(millis / 1000))} s`

/**
 * Returns the newest sign of any source, with its time. A sign that is older than `since`, or from the future, counts
 * as of `since`.
 */
const newest = (signs: Signs): { readonly at: number; readonly what: string } => {
  const { beat, hook, now, pidFile, session, since } = signs
  const seen: ReadonlyArray<readonly [at: number | undefined, what: string]> = [
    [session?.writtenAt, "it wrote its session file"],
    [session?.turn?.at, "it wrote the newest record of its session file"],
    [hook?.at, "it ran a hook"],
    [beat, "it sent a beat"],
    [pidFile?.writtenAt, "it wrote its pid file"]
  ]
  return seen.reduce<{ readonly at: number; readonly what: string }>(
    (best, [at, what]) =>
      at !== undefined && at > best.at && at <= now + aheadMillis ? { at: Math.min(at, now), what } : best,
    { at: since, what: "it was launched, or polling began again" }
  )
}

/**
 * Returns the ms that a running tool may take. The agent may allow it more than souffleur knows, so a tool whose
 * processes use the processor has the longest time of a tool. `undefined`: no tool runs.
 */
export const toolAllowance = (
  { now, session, workedAt }: Pick<Signs, "now" | "session" | "workedAt">,
  stall: number
): { readonly works: boolean; readonly millis: number } | undefined => {
  const turn = session?.turn
  if (turn?._tag !== "Tool") return undefined
  const { limit = maxToolMillis, spawns } = turn
  const works = (spawns || turn.limit === undefined) && workedAt !== undefined && now - workedAt <= stall
  return { works, millis: works ? Math.max(limit, maxToolMillis) : limit }
}

/** Returns the explanation of silence, with its end; `undefined`: there is none. `from` is the newest sign. */
const heldBy = (
  turn: TurnState,
  from: number,
  stall: number,
  signs: Signs
): Extract<Verdict, { readonly _tag: "Held" }> | undefined => {
  const call = Math.max(stallsInARow * stall, (signs.session?.callLimit ?? 0) + stall)
  switch (turn._tag) {
    case "Asked":
      return {
        _tag: "Held",
        by: "call",
        because: "the model was asked, and its answer is outstanding",
        until: from + call
      }
    case "Retrying": {
      const wait = Math.max(0, turn.nextAt - turn.at)
      const by = turn.resetsAt === undefined ? "retry" : "limit"
      const because = `the service failed; try ${turn.attempt} of ${turn.attempts} after ${seconds(wait)}`
      return { _tag: "Held", by, because, until: from + wait + call }
    }
    case "Tool": {
      const because = `the tool ${turn.name} was called and has no result yet`
      // The process has ended, or never began. Only the agent's next record is missing.
      if (turn.spawns && signs.children === 0)
        return { _tag: "Held", by: "call", because: `${because}, nor a process`, until: from + stall }
      return { _tag: "Held", by: "tool", because, until: from + toolAllowance(signs, stall)!.millis + stall }
    }
    default:
      return undefined
  }
}

/** Returns the state of a Conductor whose turn is over; `undefined`: it is not over. */
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
    case "login":
    case "account":
    case "model":
      return { _tag: "Waiting", for: `its ${turn.reason}: the service refuses it`, since: turn.at }
    case "cap":
      return { _tag: "Waiting", for: "its cap: it is used up", since: turn.at }
    case "other":
      return { _tag: "Idle", since: turn.at }
  }
}

/**
 * Judges the signs of a Conductor (spec: behaviour#verdicts). `stall` is the agent's own stall time in ms: silence up
 * to it is never a hang. A hang needs a known process, an outstanding turn, and the end of that turn's time. It needs a
 * busy pid file, or a process that does nothing at all, and for which no tool works. Every sign must have been silent
 * for longer than the stall time. Missing evidence is unknown, never dead.
 */
export const judge = (signs: Signs, stall: number): Verdict => {
  const { now, pidFile, process, session, stillSince } = signs
  const { restsSince = stillSince } = signs
  if (isOver(process)) return { _tag: "Gone", clean: signs.turnEnded }
  if (pidFile?.status === "waiting")
    return { _tag: "Waiting", for: pidFile.waitingFor ?? "a person", since: pidFile.writtenAt }
  const turn = session?.turn
  const ended = over(turn)
  // Subagents work on in the background, and their result begins the next turn. Their time has no known end.
  const background = turn?._tag === "Finished" && pidFile?.status === "busy"
  if (ended !== undefined && !background) return ended
  if (pidFile?.status === "idle") return { _tag: "Idle", since: pidFile.writtenAt }

  const sign = newest(signs)
  const silentFor = now - sign.at
  const held = turn === undefined ? undefined : heldBy(turn, sign.at, stall, signs)
  const isLong = (since: number | undefined) => since !== undefined && now - Math.max(since, signs.since) > stall
  const unused = isLong(stillSince)
  // What works for it is enough.
  const works = toolAllowance(signs, stall)?.works === true
  const still = process === "stopped" || (unused && session?.idles !== true && !works)
  const frozen = still && silentFor > stall
  // What it waited for has died, and nothing tells it so.
  const abandoned = background && signs.left === 0 && isLong(restsSince) && silentFor > stallsInARow * stall
  if (background && !frozen && !abandoned)
    return { _tag: "Alive", because: "its turn is over, and it still says that it is busy" }
  if (held !== undefined && held.until >= now && !frozen) return held
  if (silentFor <= stall) return { _tag: "Alive", because: `${seconds(silentFor)} ago ${sign.what}` }
  if (process === undefined) return { _tag: "Unknown", because: "its process is not known" }
  if (held === undefined && !background)
    return { _tag: "Unknown", because: "its session file does not tell the state of its turn" }
  // Only the pid file tells that a person is asked, or broke off a turn. The session has no record of it.
  if (pidFile?.status !== "busy" && !frozen)
    return { _tag: "Unknown", because: "its pid file does not say that it is busy" }
  // It writes nothing while an answer streams, and its stillness alone is no proof either.
  // No share of a processor tells the one from the other on every machine, so the longest tool's time ends the doubt.
  const streams = session?.idles === true && process !== "stopped" && !isLong(restsSince)
  if (streams && silentFor <= maxToolMillis)
    return { _tag: "Unknown", because: "it uses the processor, and may still receive its answer" }
  return { _tag: "Hung", silentFor }
}
