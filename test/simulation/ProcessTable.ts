import type { Condition, ProcessIdentity, ProcessInfo, Signal } from "@souffleur/domain"
import { Effect } from "effect"
import type { Seed } from "./Seed.ts"
import type { Timeline } from "./Timeline.ts"

export interface SimProcess {
  readonly identity: ProcessIdentity
  parent: number
  /** The name on its command line. The agent that a launcher becomes has another name than the launcher. */
  name: string
  readonly environment: Readonly<Record<string, string>>
  readonly uid: number
  /** The session of an agent; other processes have none. */
  session: string | undefined
  /** True if it is an agent that ends after its turn. */
  print: boolean
  /** Its prompt, on its command line. */
  says: ReadonlyArray<string>
  readonly since: number
  /** The generation of the Conductor that started it; 0 for strangers and for souffleur itself. */
  belongsTo: number
  condition: Condition
  /** The way it takes an end: at once or after some ms. `never` ignores SIGTERM, `unkillable` SIGKILL too. */
  onTerm: number | "never" | "unkillable"
  /** True if it uses the processor all the time. */
  works: boolean
  /** True if it is an agent that does not end after its turn, and does nothing any more. */
  lingers: boolean
  /** True if a person may type to it. */
  hasTerminal: boolean
  /** True if its parent never asks how it ended. */
  leavesZombie: boolean
  /** Hears that it ended. */
  ended: () => void
}

export type NewProcess = Partial<Omit<SimProcess, "identity" | "condition" | "since">>

export const machine = {
  name: "stage",
  id: "m",
  pidNamespace: "pid:[1]",
  uid: 1000,
  bootId: "3b0c7c5e-0000-4000-8000-000000000001"
}

/**
 * Holds the processes of a simulated machine. Pids are few: they are reused soon, as on a machine that has run for
 * long.
 */
export class ProcessTable {
  #bootId = machine.bootId
  #boots = 1
  /** Listeners that wait for an end. */
  readonly #awaited = new Set<(ended: SimProcess) => void>()
  readonly #byPid = new Map<number, SimProcess>()
  readonly #timeline: Timeline
  readonly #seed: Seed

  constructor(timeline: Timeline, seed: Seed) {
    this.#timeline = timeline
    this.#seed = seed
  }

  start(process: NewProcess): SimProcess {
    let pid = this.#seed.between(100, 160)
    while (this.#byPid.has(pid)) pid++
    const identity = {
      pid,
      startTime: Math.floor(this.#timeline.monotonic / 10) * 1000 + this.#seed.between(0, 999),
      bootId: this.#bootId
    }
    const made: SimProcess = {
      parent: 1,
      name: "sh",
      environment: {},
      uid: machine.uid,
      session: undefined,
      print: false,
      says: [],
      belongsTo: 0,
      onTerm: 0,
      works: false,
      lingers: false,
      hasTerminal: false,
      leavesZombie: false,
      ended: () => undefined,
      ...process,
      identity,
      since: this.#timeline.monotonic,
      condition: "running"
    }
    this.#byPid.set(pid, made)
    return made
  }

  get all(): ReadonlyArray<SimProcess> {
    return [...this.#byPid.values()]
  }

  at(pid: number): SimProcess | undefined {
    return this.#byPid.get(pid)
  }

  find({ bootId, pid, startTime }: ProcessIdentity): SimProcess | undefined {
    const found = this.#byPid.get(pid)
    return found !== undefined && found.identity.startTime === startTime && found.identity.bootId === bootId
      ? found
      : undefined
  }

  condition(identity: ProcessIdentity): Condition {
    return this.find(identity)?.condition ?? "gone"
  }

  /**
   * Waits for the end as a looker sees it that looks each `every` ms from now on. The end of a child of `parent` is
   * reported at once.
   */
  untilOver(identity: ProcessIdentity, every: number, parent: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const process = this.find(identity)
      if (process === undefined || !this.isAlive(process)) return resume(Effect.void)
      const since = this.#timeline.monotonic
      let cancel: () => void = () => void this.#awaited.delete(tell)
      const tell = (ended: SimProcess): void => {
        if (ended !== process) return
        this.#awaited.delete(tell)
        const passed = this.#timeline.monotonic - since
        const rest = ended.parent === parent ? 0 : every * Math.ceil(passed / every) - passed
        cancel = this.#timeline.after(rest, () => resume(Effect.void))
      }
      this.#awaited.add(tell)
      return Effect.sync(() => cancel())
    })
  }

  isAlive(process: SimProcess): boolean {
    return process.condition === "running" || process.condition === "stopped"
  }

  /** Ends the process here and now; its children go to the first process of the machine. */
  end(process: SimProcess): void {
    if (!this.isAlive(process)) return
    for (const child of this.#byPid.values()) if (child.parent === process.identity.pid) child.parent = 1
    process.condition = process.leavesZombie ? "zombie" : "gone"
    if (!process.leavesZombie) this.#byPid.delete(process.identity.pid)
    process.ended()
    for (const tell of this.#awaited) tell(process)
  }

  /** True while every process ends at once, and nothing is left that could tell how. */
  losesPower = false

  /** Cuts the power and brings it back: nothing of before runs, and the machine has another boot id. */
  reboot(): void {
    this.losesPower = true
    for (const process of this.all) {
      process.leavesZombie = false
      this.end(process)
    }
    this.losesPower = false
    this.#byPid.clear()
    this.#bootId = `3b0c7c5e-0000-4000-8000-${String(++this.#boots).padStart(12, "0")}`
  }

  signal(process: SimProcess, signal: Signal): void {
    const { onTerm } = process
    if (onTerm === "unkillable" || (signal === "SIGTERM" && onTerm === "never")) return
    this.#timeline.after(signal === "SIGKILL" ? 5 : (onTerm as number), () => {
      // An agent that is asked to end takes its children along. A killed agent leaves them behind.
      if (signal === "SIGTERM" && process.session !== undefined) {
        for (const child of this.all) if (child.parent === process.identity.pid) this.end(child)
      }
      this.end(process)
    })
  }

  info(process: SimProcess): ProcessInfo {
    const { condition, hasTerminal, identity, name, parent, since, uid, works } = process
    const processor = works ? Math.floor((this.#timeline.monotonic - since) / 10) : 0
    return {
      identity,
      parent,
      uid,
      name,
      condition: condition === "gone" ? "zombie" : condition,
      hasTerminal,
      processor
    }
  }
}
