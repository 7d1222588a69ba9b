import { Effect } from "effect"

/**
 * Where a souffleur is abandoned: before the act; inside, when it is done and the reply is lost; after, the reply still
 * heard.
 */
export type When = "before" | "inside" | "after"

/**
 * What befalls a souffleur at an effect: its end, or a stop of so many ms before it, from which it wakes as if nothing
 * had been.
 */
export type Fate = When | { readonly pausedFor: number }

export interface Abandonment {
  /** The number of the effect, from 1. */
  readonly at: number
  readonly when: When
}

/** How a gate reaches the process that it belongs to. */
export interface Host {
  readonly kill: (what: string) => void
  readonly pause: (millis: number) => void
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/** Every effect of one souffleur on its world passes here, and may be its last. */
export class Gate {
  passed = 0
  readonly names: Array<string> = []
  readonly #plan: (passed: number, name: string) => Fate | undefined
  readonly #host: Host
  #last = false
  dead = false
  /** How often it was stopped, or lost a role without a word. */
  disturbed = 0
  /** When each fiber looked last who holds the session; ms, monotonic. */
  readonly #looks = new WeakMap<object, number>()

  constructor(plan: (passed: number, name: string) => Fate | undefined, host: Host) {
    this.#plan = plan
    this.#host = host
  }

  /** From here on nothing that this souffleur does reaches the world. */
  kill(what: string): void {
    if (this.dead) return
    this.dead = true
    this.#host.kill(what)
  }

  #end(what: string): Effect.Effect<never> {
    this.kill(what)
    return Effect.never
  }

  #looking<A, E>(look: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.withFiber((fiber) => {
      this.#looks.set(fiber, this.#host.now())
      return look
    })
  }

  /** When this fiber looked last who holds the session; `undefined`: it never did. */
  readonly lookedAt: Effect.Effect<number | undefined> = Effect.withFiber((fiber) =>
    Effect.succeed(this.#looks.get(fiber))
  )

  through<A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.dead) return Effect.never
      if (this.#last) return this.#end(`before ${name}, after the effect before it`)
      if (this.names.length < maxTrace) this.names.push(name)
      const fate = this.#plan(++this.passed, name)
      switch (fate) {
        case undefined:
          return name === "agent.sessions" ? this.#looking(effect) : effect
        case "before":
          return this.#end(`before ${name}`)
        case "inside":
          return Effect.onExit(effect, () => this.#end(`inside ${name}`))
        case "after":
          return Effect.onExit(effect, () => Effect.sync(() => void (this.#last = true)))
        default:
          // Whatever it was about to do, it does when it wakes.
          this.disturbed++
          this.#host.pause(fate.pausedFor)
          return Effect.andThen(Effect.yieldNow, name === "agent.sessions" ? this.#looking(effect) : effect)
      }
    })
  }
}

/** Names of effects that are kept: what a scenario looks at is at the beginning. */
const maxTrace = 20_000
