import { Duration } from "effect"
import { rare, rareTargets, strikes, type Target, targets } from "./Faults.ts"
import { guardian } from "./SimGuardian.ts"
import type { Fate } from "./EffectGate.ts"
import { Incarnation, type IncarnationOptions } from "./Incarnation.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./SimulatedWorld.ts"
import { minute } from "./Timeline.ts"

/** Effects that happen all the time. In turn one of them is struck seldom, so that it is not always the first. */
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

/**
 * The chances of a strike in a recovery. They are of each effect in turn, of a frequent one in turn, and of any other.
 */
const [aimed, frequentAimed, any] = [0.7, 0.15, 0.01]
/** The number of aims in each cycle: most of them do not come in it. */
const inCycle = 4
/**
 * The chances of effects that are rare besides. At the end of a souffleur, or of a command, there is hardly another
 * chance.
 */
const seldom = new Map([
  ...rare.map((name) => [name, 0.02] as const),
  ...["agent.spent", "processes.commandLine", "processes.signal SIGKILL"].map((name) => [name, 0.1] as const),
  ["claims.release", 0.1],
  ...["launcher.endOf", "launcher.forget", "launcher.kept"].map((name) => [name, 0.4] as const)
])
/** The factor while nothing is to be done: then the effects of a watch are many and all alike. */
const quiet = 0.1

/**
 * Operations of one fiber before another has its turn. In earnest it is 2048. Fewer tear apart acts that are else done
 * in one go, and take longer.
 */
const budgets = [5, 50, 2048, 2048, 2048, 2048, 2048, 2048]
/** Words of people and of agents: a souffleur that keeps the watch writes none of them itself. */
const words = ["HoldStarted", "AgentChosen", "ConductorAdopted", "StopAsked", "WatchReleased"] as const
/** The share of worlds with souffleurs of an older build, and of such souffleurs there. */
const [older, olderThere] = [10, 0.3]

/** The step from world to world, so that neighbours do not begin alike. It is prime to the number of targets. */
const stride = 37

/** Starts souffleurs, and strikes each at its effects, by a mood of its own. */
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
    // Each pair of an effect and a strike has its turn, whatever world it is. A rare pair is aimed at until it is met.
    // Any others change in each cycle.
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
      unknown: !world.calm && world.seed.number % older === 0 && mood.chance(olderThere) ? mood.pick(words) : undefined,
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

  /** Starts souffleur again whenever it is gone, and at times once too often. */
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

  /** Wakes every souffleur that is stopped. */
  wake(): void {
    for (const one of this.all) one.wake()
  }
}
