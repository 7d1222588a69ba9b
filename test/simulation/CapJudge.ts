import type { Watch, WatchEvent } from "@souffleur/domain"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { Lies } from "./Liar.ts"
import { Neglect } from "./Neglect.ts"
import type { SimProcess } from "./ProcessTable.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { SimMachine } from "./SimMachine.ts"
import { minute } from "./Timeline.ts"

/** The part of a world that a watch is held against for the cap of its user. */
interface CappedWorld extends SimMachine {
  readonly byHand: ReadonlySet<Conductor>
  readonly conductors: ReadonlyArray<Conductor>
  readonly ledger: { readonly watch: Watch }
  readonly lies: Lies
  readonly mostTurns: number
  readonly room: LaunchRoom
  readonly steadyClock: boolean
}

/** The flag by which the user caps the turns of an agent. */
export const capFlag = "--max-turns"

/** Reads the cap in the words of a launch; `Infinity`: they have none. */
export const capIn = (args: ReadonlyArray<string>): number =>
  args.includes(capFlag) ? Number(args[args.indexOf(capFlag) + 1]) : Infinity

/** The ms within which a souffleur that nothing disturbs tells that an agent ended at its cap: a poll, and as much again. */
const toldWithin = 2 * minute

/**
 * Judges a watch by the cap of its user. All generations together take no more than the cap, from the last word of a
 * person on, and an agent that ended at the cap is told with its flag.
 */
export class CapJudge {
  readonly #world: CappedWorld
  /** When a person allowed the cap anew, monotonic. */
  #since = 0

  readonly #neglect: Neglect

  constructor(world: CappedWorld) {
    this.#world = world
    this.#neglect = new Neglect(world.timeline)
  }

  /** Counts the turns that the sessions have used. One that its person left again between two polls is none of them. */
  #used(sessions: ReadonlyArray<string>): number {
    const { byHand, conductors } = this.#world
    return (
      conductors
        // A person's own process is no generation, and what it has just used is not seen yet.
        .filter((one) => !byHand.has(one))
        .flatMap(({ turns }) => turns)
        .filter(({ at, sessionId }) => at >= this.#since && sessions.includes(sessionId)).length
    )
  }

  /** Looks whether the souffleur that has the watch keeps to itself that the agent ended at its cap. */
  look(by: SimProcess, disturbed: number): void {
    const { conductors, ledger, lies, mostTurns, steadyClock } = this.#world
    const { ceiling, conductor, owner, phase, recovery, sessionId, sessions, standby, wait } = ledger.watch
    const isJudged = steadyClock && Number.isFinite(disturbed) && owner?.process.pid === by.identity.pid
    // Where the word of a cap stands without its flag, nobody can tell how much it was. Another standby came before it.
    const isDue = phase === "Watching" && (recovery ?? wait) === undefined && (standby?.stage ?? "cap") === "cap"
    const isUntold =
      isJudged &&
      isDue &&
      (ceiling === undefined || (ceiling.ceiling === "turns" && ceiling.flag !== capFlag)) &&
      !lies.about.has(sessionId) &&
      conductors.some(
        ({ endedAtCap, process: { identity } }) =>
          endedAtCap && identity.pid === conductor?.pid && identity.startTime === conductor.startTime
      ) &&
      this.#used(sessions) >= mostTurns
    const untold = this.#neglect.look(isUntold, by, disturbed)
    if (untold > toldWithin) this.#world.violated(`an agent ended at its cap, and nobody is told for ${untold} ms`)
  }

  record({ handedFrom, sessions }: Watch, event: WatchEvent): void {
    const { byHand, mostTurns, room, steadyClock, timeline } = this.#world
    switch (event._tag) {
      case "WatchOpened":
      case "AgentChosen":
      case "RecoveryRetried":
      case "AllowanceRenewed":
        this.#since = timeline.monotonic
        break
      case "LaunchPrepared": {
        // What a person's own process does meanwhile is not seen by then. An agent that a person hands the work over
        // to has none of the flags of the one before.
        const isJudged = steadyClock && handedFrom === undefined && [...byHand].every(({ isAlive }) => !isAlive)
        if (!isJudged || !Number.isFinite(mostTurns)) return
        const used = this.#used(sessions)
        const given = capIn(room.launches.get(event.launchId)?.order.command.args ?? [])
        if (used >= mostTurns) this.#world.violated(`a launch after the cap: ${used} of ${mostTurns} turns are used`)
        else if (given > mostTurns - used)
          this.#world.violated(`a launch with ${given} turns, where ${mostTurns - used} of the cap are left`)
        break
      }
      default:
    }
  }
}
