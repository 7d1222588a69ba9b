import { Duration } from "effect"
import { rare, rareTargets, strikes, type Target, targets } from "./Faults.ts"
import { guardian } from "./SimGuardian.ts"
import type { Fate } from "./EffectGate.ts"
import { Incarnation, type IncarnationOptions } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

/** Effects that happen all the time: one of them in turn is struck seldom, so that it is not always the first. */
const frequent = new Set([
  "processes.condition",
  "launcher.launch: receipt",
  "log.read",
  "log.append",
  "cursor.advance",
  "comms.snapshot",
  "agent.sessions",
  "beats.beat",
  "beats.last",
  "claims.claim",
  "comms.beat"
])

/** Of each effect in turn, and of any other, in a recovery. */
const [aimed, frequentAimed, any] = [0.7, 0.15, 0.01]
/** So many in each cycle: most of them do not come in it. */
const inCycle = 4
/** Of those that are rare besides; at the end of a souffleur, or of a command, there is hardly another chance. */
const seldom = new Map([
  ...rare.map((name) => [name, 0.02] as const),
  ...["agent.spent", "processes.commandLine", "processes.signal SIGKILL"].map((name) => [name, 0.1] as const),
  ["claims.release", 0.1],
  ...["launcher.exitCode", "launcher.forget", "launcher.kept"].map((name) => [name, 0.4] as const)
])
/** While nothing is to be done, the effects of a watch are many and all alike. */
const quiet = 0.1

/**
 * Operations of one fiber before another has its turn: 2048 in earnest; fewer tear apart what is else done in one go,
 * and take longer.
 */
const budgets = [5, 50, 2048, 2048, 2048, 2048, 2048, 2048]
/** From world to world, so that neighbours do not begin alike; prime to the number of targets. */
const stride = 37

/** Starts souffleurs, and strikes them at their effects, by their own mood. */
export class FaultInjector {
  readonly all: Array<Incarnation> = []
  readonly #world: World
  readonly #seed: Seed
  readonly #guarded: boolean
  #guardians = 0
  #aims = 0

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
    // Each pair of an effect and a strike in turn, whatever world it is: a rare one until it is met, and any others in
    // each cycle.
    const next = (from: ReadonlyArray<Target>) => from[(world.seed.number * stride + this.#aims++) % from.length]
    const aims: Array<Target | undefined> = [next(rareTargets)]
    let cycle = world.faults.begun
    const plan = (_: number, name: string): Fate | undefined => {
      if (world.calm) return undefined
      const open = world.faults.isOpen ? 1 : quiet
      if (cycle !== world.faults.begun) {
        cycle = world.faults.begun
        aims.splice(1, inCycle, ...Array.from({ length: inCycle }, () => next(targets)))
      }
      const at = aims.findIndex((aim) => aim?.boundary === name)
      const isAim = at !== -1 && mood.chance(frequent.has(name) ? frequentAimed * open : aimed)
      if (!isAim && !mood.chance(seldom.get(name) ?? (frequent.has(name) ? any * open * quiet : any))) return undefined
      const how = isAim ? aims[at]!.how : mood.pick(strikes)
      if (isAim) aims[at] = undefined
      world.faults.strike(name, how)
      return how === "paused"
        ? { pausedFor: mood.chance(0.8) ? mood.between(100, 20_000) : mood.between(0, 12 * minute) }
        : how
    }
    const silent = (role: string) =>
      !world.calm && (role.startsWith("watcher/") || role.startsWith("monitor/")) && mood.chance(0.1)
        ? Duration.millis(mood.between(0, 10 * minute))
        : undefined
    const made = new Incarnation(world, {
      plan,
      silent,
      budget: mood.pick(budgets),
      ...(restored === undefined ? {} : { restored })
    })
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
      for (const { gate, outcome, process } of this.all)
        if (outcome === "running" && process.condition === "running") this.#world.listen(process, gate.disturbed)
      if (ledger.endedAt === undefined && (!this.isRunning || (!this.#world.calm && this.#seed.chance(0.02))))
        this.start()
      timeline.after(this.#seed.chance(0.1) ? this.#seed.between(0, 3 * minute) : this.#seed.between(0, 8000), look)
    }
    timeline.after(1500, look)
  }

  /** Nobody is stopped any more. */
  wake(): void {
    for (const one of this.all) one.wake()
  }
}
