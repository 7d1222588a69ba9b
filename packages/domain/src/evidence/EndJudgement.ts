import { Schema } from "effect"
import { endedWell, type ProcessEnd } from "../port/Process.ts"

/**
 * Why an end that looks like the end of the work is none (spec: behaviour#early-ends). `exit`: the turn was over, but
 * the process was ended or failed. `left-running`: processes that an agent had started still ran. `refused`: its last
 * tool was refused by a permission. `only-answered`: a successor has answered, nothing but reading succeeded, and
 * before it the work was broken off. `unconfirmed`: the user's program says that the work is not done.
 */
export const EarlyEnd = Schema.Literals(["exit", "left-running", "refused", "only-answered", "unconfirmed"])
export type EarlyEnd = typeof EarlyEnd.Type
/** Tells whether a trigger is an end that came too early. */
export const isEarlyEnd = Schema.is(EarlyEnd)

/** Everything that is known of the end of a process in a watch without comms. */
export interface EndSeen {
  readonly kind: "agent" | "command"
  /** Of an agent: its last turn is finished, and its process ended by itself. */
  readonly turnEnded: boolean
  /** `undefined`: no souffleur was its parent. */
  readonly end: ProcessEnd | undefined
  /** Of an agent: the number of live processes that it started. */
  readonly leftRunning: number
  /** True if the newest tool of the session was refused. */
  readonly refused: boolean
  /** True if a recovery launched it. */
  readonly successor: boolean
  /** True if something was done since its launch. */
  readonly progressed: boolean
  /** True if the last generation that did something had finished its turn. */
  readonly saidDone: boolean
  /** The reason for which this generation was launched. `undefined`: no recovery launched it. */
  readonly before: string | undefined
  /** The user's program has found the work undone. Absent: it has not looked, or there is none. */
  readonly unconfirmed?: boolean
}

/**
 * Judges whether the work is complete now that the process is gone. Complete means that a process which ended by itself
 * said so: by a finished turn, or by exit code 0. `undefined`: nothing said so, and the end is a death.
 */
export const judgeEnd = (seen: EndSeen): "complete" | EarlyEnd | undefined => {
  const { before, end, kind, leftRunning, progressed, refused, saidDone, successor, turnEnded, unconfirmed } = seen
  // The exit code of a command says it alone. A server that it leaves running is meant.
  if (kind === "command") return endedWell(end) ? "complete" : undefined
  if (!turnEnded) return undefined
  if (end !== undefined && !endedWell(end)) return "exit"
  if (refused) return "refused"
  // A successor that has nothing left to do confirms what was said before it.
  if (successor && !progressed && !saidDone) return "only-answered"
  // An agent that leaves something running a second time means it: a server is to outlive it.
  if (leftRunning > 0 && before !== "left-running") return "left-running"
  return unconfirmed === true ? "unconfirmed" : "complete"
}
