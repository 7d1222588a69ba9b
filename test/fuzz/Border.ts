import type { Seed } from "../simulation/Seed.ts"

/**
 * A promise of a border that an input broke, and the part of the input that shows it. Any other error of a check is
 * uncaught.
 */
export class Broken extends Error {
  readonly shown: string

  constructor(promise: string, shown: string) {
    super(promise)
    this.shown = shown
  }
}

/** Throws where the condition is false. `shown` is a part of the input. One promise is told once, whatever broke it. */
export const holds = (condition: boolean, promise: string, shown: unknown = ""): void => {
  if (!condition)
    throw new Broken(promise, (typeof shown === "string" ? shown : (JSON.stringify(shown) ?? "")).slice(0, 200))
}

/** The room of a check: an empty folder of this input's own. It is made when it is first asked for. */
export interface Place {
  readonly folder: string
}

/** A place where words come in from outside. It says how to make them up, and what must hold of their readers. */
export interface Border {
  readonly name: string
  /** Its part of all inputs, relative to the other borders. */
  readonly share: number
  /** Processor ms that one check may take. */
  readonly within: number
  /** The checks of one input. The seed alone decides its words. */
  readonly checks: (seed: Seed, place: Place) => ReadonlyArray<readonly [name: string, run: () => unknown]>
}

/** Makes a border from its draw and its checks. A check may return a promise, and throws where something is wrong. */
export const border = <Input>(
  name: string,
  {
    checks,
    draw,
    share = 1,
    within = 3000
  }: {
    readonly draw: (seed: Seed) => Input
    readonly checks: Readonly<Record<string, (input: Input, place: Place) => unknown>>
    readonly share?: number
    readonly within?: number
  }
): Border => ({
  name,
  share,
  within,
  checks: (seed, place) => {
    const input = draw(seed)
    return Object.entries(checks).map(([check, run]) => [check, () => run(input, place)] as const)
  }
})
