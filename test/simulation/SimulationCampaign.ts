import { addTable, emptyTable } from "./Faults.ts"
import type { Play } from "./Play.ts"
import type { Played } from "./Played.ts"

/** The result of one world, without its story. */
export type Tally = Omit<Played, "story">

/**
 * Runs worlds in the order of their seeds, until so many faulted cycles were seen. The sum is the same, whichever
 * worker ran them.
 */
export class Campaign {
  readonly table
  readonly ends = new Map<string, number>()
  readonly failed: Array<Tally> = []
  worlds = 0
  cycles = 0
  faulted = 0
  readonly #first: number
  readonly #wanted: number
  readonly #waiting = new Map<number, Tally>()

  constructor(first: number, wanted: number, { boundaries }: Play) {
    this.table = emptyTable(boundaries)
    this.#first = first
    this.#wanted = wanted
  }

  get isOver(): boolean {
    return this.faulted >= this.#wanted
  }

  /** The seed of the world that may be needed as the nth, from 0. */
  seed(index: number): number {
    return this.#first + index
  }

  add(tally: Tally): void {
    this.#waiting.set(tally.seed, tally)
    for (let next = this.#waiting.get(this.seed(this.worlds)); next !== undefined && !this.isOver;) {
      this.#waiting.delete(next.seed)
      this.worlds++
      this.cycles += next.cycles
      this.faulted += next.faulted
      this.ends.set(next.end, (this.ends.get(next.end) ?? 0) + 1)
      addTable(this.table, next.table)
      if (next.violations.length > 0) this.failed.push(next)
      next = this.#waiting.get(this.seed(this.worlds))
    }
  }
}

/** Simulates one world without its story. */
export const tallyOf = ({ simulate }: Play, seed: number): Tally => {
  const { story: _, ...tally } = simulate(seed, { story: false })
  return tally
}
