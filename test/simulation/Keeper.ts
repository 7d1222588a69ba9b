import { Duration } from "effect"
import { guardian } from "./SimGuardian.ts"
import type { Fate } from "./Gate.ts"
import { Incarnation, type IncarnationOptions } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

const minute = 60_000

/** Effects that happen all the time; a souffleur that is to be abandoned in a recovery must survive most of them. */
const frequent = new Set(
  "processes.condition beats.beat comms.beat log.read beats.last comms.snapshot agent.signs agent.sessions hooks.last hooks.holds".split(
    " "
  )
)
/** Effects of few cycles: each pair of a boundary and a strike is to be seen often enough. */
const seldom = new Set([
  "launcher: tombstone",
  "fs.remove",
  "agent.mark",
  "agent.compactedSince",
  "agent.turnEnded",
  "agent.command",
  "launcher.prepare"
])

const whens = ["before", "inside", "after"] as const

/** Starts souffleurs, and strikes them at their effects, by their own mood. */
export class Keeper {
  readonly all: Array<Incarnation> = []
  readonly #world: World
  readonly #seed: Seed
  readonly #guarded: boolean
  #guardians = 0

  constructor(world: World, seed: Seed) {
    this.#world = world
    this.#seed = seed
    this.#guarded = seed.chance(0.3)
  }

  get isRunning(): boolean {
    return this.all.some(({ outcome }) => outcome === "running")
  }

  start(restored?: IncarnationOptions["restored"]): Incarnation {
    const world = this.#world
    const mood = this.#seed.fork()
    const [usual, rare] = [mood.chance(0.9) ? 0.05 : 0, mood.chance(0.5) ? 0.001 : 0]
    const stops = mood.chance(0.5)
    const plan = (_: number, name: string): Fate | undefined => {
      if (world.calm || !mood.chance(frequent.has(name) ? rare : seldom.has(name) ? 3 * usual : usual)) return undefined
      // Between its last look and a signal there is a moment; who is stopped in just that one is not asked again (docs/reliability.md).
      const paused = mood.chance(0.25) && stops && !name.startsWith("processes.signal")
      const fate = paused ? { pausedFor: mood.chance(0.8) ? mood.between(100, 20_000) : mood.between(0, 12 * minute) } : mood.pick(whens)
      world.faults.strike(name, typeof fate === "string" ? fate : "paused")
      return fate
    }
    const silent = (role: string) =>
      !world.calm && (role.startsWith("watcher/") || role.startsWith("monitor/")) && mood.chance(0.1)
        ? Duration.millis(mood.between(0, 10 * minute))
        : undefined
    const made = new Incarnation(world, { plan, silent, budget: mood.pick([5, 50, 2048]), ...(restored === undefined ? {} : { restored }) })
    this.all.push(made)
    if (this.#guarded) {
      const mine = ++this.#guardians
      guardian(
        world,
        this.#seed.fork(),
        (restoration) => this.start(restoration),
        () => mine === this.#guardians
      )
    }
    return made
  }

  /** Somebody who starts souffleur again whenever it is gone, and at times once too often. */
  keep(): void {
    const { ledger, timeline } = this.#world
    const look = (): void => {
      if (ledger.endedAt === undefined && (!this.isRunning || (!this.#world.calm && this.#seed.chance(0.02)))) this.start()
      timeline.after(this.#seed.chance(0.1) ? this.#seed.between(0, 3 * minute) : this.#seed.between(0, 8000), look)
    }
    timeline.after(1500, look)
  }

  /** Nobody is stopped any more. */
  wake(): void {
    for (const one of this.all) one.wake()
  }
}
