/** Decides everything in a simulated world: one number, and each choice after it (mulberry32, public domain). */
export class Seed {
  readonly number: number
  #state: number

  constructor(number: number) {
    this.number = number
    this.#state = number >>> 0
  }

  /** Draws a number from 0, inclusive, to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Draws a whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.between(0, from.length - 1)]!
  }

  /**
   * Draws another seed that goes its own way. The choices of one actor must not depend on how often another one asked.
   */
  fork(): Seed {
    return new Seed(Math.floor(this.next() * 4_294_967_296))
  }
}
