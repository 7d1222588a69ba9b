import { Incarnation } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import { OtherFolder } from "./OtherFolder.ts"
import type { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

/**
 * Plays a user who now and then starts souffleur on the same Conductor from another state folder. The user puts away
 * what came of it.
 */
export class Rivals {
  readonly #world: World
  readonly #seed: Seed
  #last: Incarnation | undefined

  constructor(world: World, seed: Seed) {
    this.#world = world
    this.#seed = seed
  }

  begin(): void {
    const { byHand, conductors, ledger, timeline } = this.#world
    const start = (): void => {
      if (this.#world.calm || ledger.endedAt !== undefined) return
      const alive = conductors.filter(({ isAlive }) => isAlive)
      // A Conductor that a person began beside the watch is another Conductor.
      const target = alive.find((one) => one.condition === "working" && (one.followed || !byHand.has(one)))
      if (this.#last?.outcome !== "running" && alive.length === 1 && target !== undefined) {
        const folder = new OtherFolder(this.#world)
        const rival = new Incarnation(this.#world, { folder, target })
        this.#last = rival
        this.#world.faults.mishap()
        timeline.after(
          this.#seed.chance(0.5) ? this.#seed.between(0, 20_000) : this.#seed.between(0, 15 * minute),
          () => this.end()
        )
      }
      timeline.after(this.#seed.between(500, 4 * minute), start)
    }
    timeline.after(this.#seed.between(2000, 10 * minute), start)
  }

  /**
   * Kills the rival. The Conductors that it had started, and their launchers, are put away by the user who had started
   * it.
   */
  end(): void {
    const { processes } = this.#world
    this.#last?.kill()
    for (const process of processes.all)
      if (process.environment["SOUFFLEUR_LAUNCH_ID"]?.startsWith("other-") === true) processes.end(process)
  }
}
