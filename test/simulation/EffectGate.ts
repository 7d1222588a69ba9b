import { Effect } from "effect"

/**
 * The moment at which a souffleur is abandoned. "before": before the act. "inside": the act is done and the reply is
 * lost. "after": the reply is still heard.
 */
export type When = "before" | "inside" | "after"

/**
 * The fate of a souffleur at an effect: its end, or a stop before the effect. The stop lasts `pausedFor` ms, and the
 * souffleur wakes as if nothing had been.
 */
export type Fate = When | { readonly pausedFor: number }

export interface Abandonment {
  /** The number of the effect, from 1. */
  readonly at: number
  readonly when: When
}

/** The access of a gate to the process that it belongs to. */
export interface Host {
  readonly kill: (what: string) => void
  readonly pause: (millis: number) => void
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

/** Lets each effect of one souffleur on its world pass; each may be its last. */
export class Gate {
  passed = 0
  readonly names: Array<string> = []
  readonly #plan: (passed: number, name: string) => Fate | undefined
  readonly #host: Host
  #last = false
  dead = false
  /** The number of times that it was stopped, or lost a role without a word. */
  disturbed = 0
  /** The time at which each fiber looked last for the holder of the session; ms, monotonic. */
  readonly #looks = new WeakMap<object, number>()

  constructor(plan: (passed: number, name: string) => Fate | undefined, host: Host) {
    this.#plan = plan
    this.#host = host
  }

  /** Ends the souffleur: from here on nothing that it does reaches the world. */
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

  /** The time at which this fiber looked last for the holder of the session; `undefined`: it never did. */
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
          // It does on waking the act that it was about to do.
          this.disturbed++
          this.#host.pause(fate.pausedFor)
          return Effect.andThen(Effect.yieldNow, name === "agent.sessions" ? this.#looking(effect) : effect)
      }
    })
  }
}

/** The number of names of effects that are kept. A scenario looks only at the beginning. */
const maxTrace = 20_000
