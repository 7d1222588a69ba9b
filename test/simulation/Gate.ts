import { Effect } from "effect"

/** Where a souffleur is abandoned: before the act; inside, when it is done and the reply is lost; after, the reply still heard. */
export type When = "before" | "inside" | "after"

export interface Abandonment {
  /** The number of the effect, from 1. */
  readonly at: number
  readonly when: When
}

/** Every effect of one souffleur on its world passes here, and may be its last. */
export class Gate {
  passed = 0
  readonly names: Array<string> = []
  readonly #plan: (passed: number, name: string) => When | undefined
  readonly #kill: (what: string) => void
  #last = false
  dead = false

  constructor(plan: (passed: number, name: string) => When | undefined, kill: (what: string) => void) {
    this.#plan = plan
    this.#kill = kill
  }

  /** From here on nothing that this souffleur does reaches the world. */
  kill(what: string): void {
    if (this.dead) return
    this.dead = true
    this.#kill(what)
  }

  #end(what: string): Effect.Effect<never> {
    this.kill(what)
    return Effect.never
  }

  through<A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.dead) return Effect.never
      if (this.#last) return this.#end(`before ${name}, after the effect before it`)
      this.names.push(name)
      switch (this.#plan(++this.passed, name)) {
        case undefined:
          return effect
        case "before":
          return this.#end(`before ${name}`)
        case "inside":
          return Effect.onExit(effect, () => this.#end(`inside ${name}`))
        case "after":
          return Effect.onExit(effect, () => Effect.sync(() => void (this.#last = true)))
      }
    })
  }
}
