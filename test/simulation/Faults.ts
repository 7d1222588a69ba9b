import type { WatchEvent } from "@souffleur/domain"

/** Every effect of a souffleur on its world. */
export const boundaries = [
  "agent.command",
  "agent.compactedSince",
  "agent.exportSession: begin",
  "agent.exportSession: end",
  "agent.handoffTaken",
  "agent.holds",
  "agent.mark",
  "agent.sessionFile",
  "agent.sessions",
  "agent.signs",
  "agent.spent",
  "agent.toolResults",
  "agent.turnEnded",
  "beats.beat",
  "beats.last",
  "claims.claim",
  "claims.isDead",
  "claims.release",
  "comms.beat",
  "comms.payload",
  "comms.post",
  "comms.replies",
  "comms.setState",
  "comms.snapshot",
  "fs.remove",
  "fs.rename",
  "hooks.holds",
  "hooks.last",
  "launcher.endOf",
  "launcher.forget",
  "launcher.kept",
  "launcher.launch: receipt",
  "launcher.launch: spawn",
  "launcher.prepare",
  "launcher: tombstone",
  "log.append",
  "log.read",
  "offspring.recall",
  "offspring.remember",
  "cursor.advance",
  "cursor.position",
  "processes.commandLine",
  "processes.condition",
  "processes.find",
  "processes.signal SIGKILL",
  "processes.signal SIGTERM",
  "processes.tree"
] as const

/**
 * The strikes that may meet a souffleur at an effect. It is abandoned before the effect, inside it (done, the reply
 * lost) or after it. Or it is stopped there and woken later.
 */
export const strikes = ["before", "inside", "after", "paused"] as const
export type Strike = (typeof strikes)[number]

/** Strikes by boundary, a row each in the order of `strikes`. */
export type FaultTable = Record<string, Array<number>>

export const emptyTable = (of: ReadonlyArray<string>): FaultTable =>
  Object.fromEntries(of.map((boundary) => [boundary, strikes.map(() => 0)]))

export interface Target {
  readonly boundary: string
  readonly how: Strike
}

/** The effects of few cycles, or of few worlds. */
export const rare: ReadonlyArray<string> = [
  "agent.mark",
  "agent.spent",
  "agent.toolResults",
  "beats.last",
  "claims.release",
  "comms.beat",
  "comms.payload",
  "comms.replies",
  "fs.remove",
  "fs.rename",
  "launcher.endOf",
  "launcher.forget",
  "launcher.kept",
  "launcher: tombstone",
  "processes.commandLine",
  "processes.find",
  "processes.signal SIGKILL",
  "processes.signal SIGTERM"
]
const targetsOf = (names: ReadonlyArray<string>): ReadonlyArray<Target> =>
  strikes.flatMap((how) => names.map((boundary) => ({ boundary, how })))

/** The targets: each is to be struck as often as any other. */
export const targets = targetsOf(boundaries)
export const rareTargets = targetsOf(rare)

const endsCycle: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorRelaunched",
  "RecoveryFailedClosed",
  "RetriesExhausted",
  "ConductorCompleted",
  "ConductorAdopted",
  "WatchReleased",
  "WatchStopped"
])

/** Counts the faults by place, and the recovery cycles in which any came. */
export class Faults {
  readonly table: FaultTable = {}
  cycles = 0
  /**
   * Cycles in which something of the world's own choice went wrong. It was a strike, a trouble that lasted, or a
   * process or a person that misbehaved.
   */
  faulted = 0
  /** The name of the weather's trouble that lasts now. */
  lasting: string | undefined = undefined
  /** The number of cycles that began. */
  begun = 0
  #struck = 0
  #open: number | undefined = undefined

  /** True if a recovery cycle runs. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  strike(boundary: string, how: Strike): void {
    const row = (this.table[boundary] ??= strikes.map(() => 0))
    row[strikes.indexOf(how)]!++
    this.#struck++
  }

  /** Counts anything else that goes wrong at a moment. */
  mishap(): void {
    this.#struck++
  }

  /** Begins a cycle. */
  begin(): void {
    this.begun++
    this.#open = this.lasting === undefined ? this.#struck : -1
  }

  /** Ends the cycle, where one had begun. */
  end(): void {
    if (this.#open === undefined) return
    this.cycles++
    if (this.#struck > this.#open || this.lasting !== undefined) this.faulted++
    this.#open = undefined
  }

  record({ _tag }: WatchEvent): void {
    if (_tag === "RecoveryStarted") this.begin()
    else if (endsCycle.has(_tag)) this.end()
  }
}

/** Adds the strikes of one table to another. */
export const addTable = (to: FaultTable, from: FaultTable): void => {
  for (const [boundary, row] of Object.entries(from)) {
    const into = (to[boundary] ??= strikes.map(() => 0))
    for (const [index, count] of row.entries()) into[index]! += count
  }
}
