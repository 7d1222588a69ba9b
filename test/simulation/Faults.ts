import type { WatchEvent } from "@souffleur/domain"

/** What may strike a souffleur at an effect: it is abandoned before it, inside (done, the reply lost) or after it, or stopped there and woken later. */
export const strikes = ["before", "inside", "after", "paused"] as const
export type Strike = (typeof strikes)[number]

/** Strikes by boundary, a row each in the order of `strikes`. */
export type FaultTable = Record<string, Array<number>>

const endsCycle: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorRelaunched",
  "RecoveryFailedClosed",
  "RetriesExhausted",
  "ConductorCompleted",
  "ConductorAdopted",
  "WatchReleased"
])

/** Counts what went wrong where, and in how many recovery cycles anything did. */
export class Faults {
  readonly table: FaultTable = {}
  cycles = 0
  /** Cycles in which something of the world's own choice went wrong: a strike, a trouble that lasted, a process or a person that misbehaved. */
  faulted = 0
  /** A trouble that lasts: the weather's, by name. */
  lasting: string | undefined = undefined
  #struck = 0
  #open: number | undefined = undefined

  strike(boundary: string, how: Strike): void {
    const row = (this.table[boundary] ??= strikes.map(() => 0))
    row[strikes.indexOf(how)]!++
    this.#struck++
  }

  /** Anything else that goes wrong at a moment. */
  mishap(): void {
    this.#struck++
  }

  /** A cycle begins. */
  begin(): void {
    this.#open = this.lasting === undefined ? this.#struck : -1
  }

  /** It ends, where one had begun. */
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
