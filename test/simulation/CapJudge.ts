import type { Watch, WatchEvent } from "@souffleur/domain"
import type { LaunchRoom } from "./LaunchRoom.ts"
import type { Conductor } from "./SimulatedAgent.ts"
import type { SimMachine } from "./SimMachine.ts"

/** The part of a world that a launch is held against for the cap of its user. */
interface CappedWorld extends SimMachine {
  readonly byHand: ReadonlySet<Conductor>
  readonly conductors: ReadonlyArray<Conductor>
  readonly mostTurns: number
  readonly room: LaunchRoom
  readonly steadyClock: boolean
}

/** The flag by which the user caps the turns of an agent. */
export const capFlag = "--max-turns"

/** Reads the cap in the words of a launch; `Infinity`: they have none. */
export const capIn = (args: ReadonlyArray<string>): number =>
  args.includes(capFlag) ? Number(args[args.indexOf(capFlag) + 1]) : Infinity

/**
 * Judges each launch by the cap of its user. All generations together take no more than the cap, from the last word of
 * a person on.
 */
export class CapJudge {
  readonly #world: CappedWorld
  /** When a person allowed the cap anew, monotonic. */
  #since = 0

  constructor(world: CappedWorld) {
    this.#world = world
  }

  record({ handedFrom, sessions }: Watch, event: WatchEvent): void {
    const { byHand, conductors, mostTurns, room, steadyClock, timeline } = this.#world
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
        const used = conductors
          // A person's own process is no generation, and what it has just used is not seen yet.
          .filter((one) => sessions.includes(one.sessionId) && !byHand.has(one))
          .flatMap(({ turns }) => turns)
          .filter((at) => at >= this.#since).length
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
