import type { Seed } from "../simulation/Seed.ts"

/**
 * A promise of a border that an input broke, and what of the input shows it. Any other error that a check throws was
 * caught by nobody.
 */
export class Broken extends Error {
  readonly shown: string

  constructor(promise: string, shown: string) {
    super(promise)
    this.shown = shown
  }
}

/** `shown` is of the input; one promise is told once, whatever broke it. */
export const holds = (condition: boolean, promise: string, shown: unknown = ""): void => {
  if (!condition)
    throw new Broken(promise, (typeof shown === "string" ? shown : (JSON.stringify(shown) ?? "")).slice(0, 200))
}

/** What a check may use: an empty folder of this input's own, made when it is first asked for. */
export interface Place {
  readonly folder: string
}

/** Where words come in from outside: how they are made up, and what must hold of whatever reads them. */
export interface Border {
  readonly name: string
  /** Its part of all inputs, against the others'. */
  readonly share: number
  /** Processor ms that one check may take. */
  readonly within: number
  /** The checks of one input, its words drawn from the seed alone. */
  readonly checks: (seed: Seed, place: Place) => ReadonlyArray<readonly [name: string, run: () => unknown]>
}

/** A border by what it draws, and by its checks; each may be a promise, and throws where something is wrong. */
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
