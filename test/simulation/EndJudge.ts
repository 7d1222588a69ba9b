import type { Watch, WatchEvent } from "@souffleur/domain"
import type { Conductor } from "./SimulatedAgent.ts"
import type { SimMachine } from "./SimMachine.ts"
import type { Lies } from "./Liar.ts"

/** The part of a world that an end is judged by. */
export interface EndedWorld extends SimMachine {
  readonly conductors: ReadonlyArray<Conductor>
  readonly byHand: ReadonlySet<Conductor>
  readonly lies: Lies
  readonly results: ReadonlyMap<string, number>
  readonly ledger: { readonly events: ReadonlyArray<WatchEvent> }
  writerOf(sessionId: string, until?: number): Conductor | undefined
}

/** Returns whether the log has that process as launched. An operator may adopt it before souffleur has seen it. */
const isKnownLaunch = ({ ledger }: EndedWorld, { process }: Conductor): boolean =>
  process.environment["SOUFFLEUR_LAUNCH_ID"] !== undefined &&
  ledger.events.some(
    (event) =>
      event._tag !== "ConductorAdopted" &&
      "conductor" in event &&
      event.conductor?.pid === process.identity.pid &&
      event.conductor.startTime === process.identity.startTime
  )

/**
 * Finds the Conductors whose turn has ended, as a watch can know them. A pid file is named by the pid alone. The process
 * that has the pid and the same session left the file behind or removed it.
 */
export const endedTurns = (world: EndedWorld, watch: Watch): ReadonlyArray<Conductor> =>
  world.conductors.filter(
    ({ process, sessionId, turnEnded }) =>
      turnEnded &&
      process.identity.pid === watch.conductor?.pid &&
      (sessionId === watch.sessionId || watch.sessions.includes(sessionId))
  )

/** Returns whether processes still run that this Conductor started and marked. */
const leaves = (world: EndedWorld, { process }: Conductor): boolean =>
  world.processes.all.some(
    (one) =>
      one.name === "tool" &&
      world.processes.isAlive(one) &&
      one.environment["CLAUDE_PID"] === String(process.identity.pid) &&
      one.belongsTo === process.belongsTo
  )

/**
 * Returns whether the last Conductor that did something had finished its turn, and nothing was refused to it. A person
 * may have resumed the session by hand: what that process said counts as well, even if it did nothing, once it has begun. A turn that a
 * person cleared away was finished.
 */
const doneBefore = (world: EndedWorld, { sessions }: Watch): boolean => {
  const isOf = ({ cleared = "", sessionId }: Conductor) => sessions.includes(sessionId) || sessions.includes(cleared)
  const last = world.conductors.findLast(
    (one) => (one.worked > 0 || (world.byHand.has(one) && one.turns.length > 0)) && isOf(one)
  )
  if (last === undefined) return false
  // A lie about its end is all that a watch knows of it.
  if (world.lies.about.has(last.sessionId)) return true
  // One that died at its prompt had finished its turn too.
  const isDone = last.turnEnded || last.condition === "idle"
  return sessions.includes(last.sessionId) ? isDone && !last.wasRefused : true
}

/**
 * Returns whether a watch without comms is complete: a process that ended by itself has said so, nothing was refused,
 * and something was done since a recovery, or nothing was left to do. Nothing of an agent runs on, unless it was told
 * before. `lookedAt`: the monotonic time of the look.
 */
export const saidToBeDone = (world: EndedWorld, watch: Watch, lookedAt: number): boolean =>
  endedTurns(world, watch).some((one) => {
    if (world.lies.about.has(one.sessionId)) return true
    // Souffleur knows the end of a process that it launched, and of no other.
    if (one.life.ends === "killed" && isKnownLaunch(world, one)) return false
    if (watch.kind === "agent") {
      const last = world.writerOf(one.sessionId, lookedAt)
      if (last?.turnEnded === false || last?.wasRefused === true) return false
      const done = watch.sessions.reduce((sum, sessionId) => sum + (world.results.get(sessionId) ?? 0), 0)
      if (watch.provider !== undefined && done <= watch.baseline.taskCount && !doneBefore(world, watch)) return false
    }
    return watch.kind === "command" || watch.launchedFor === "left-running" || !leaves(world, one)
  })
