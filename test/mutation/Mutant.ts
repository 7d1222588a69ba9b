/** One line of defence taken away: an exact piece of source and what stands there instead. */
export interface Mutant {
  readonly name: string
  /** From the root. */
  readonly file: string
  /** Stands there once. */
  readonly from: string
  readonly to: string
  /** The cheapest tests that may notice, tried first. */
  readonly tests: ReadonlyArray<string>
}

/** Mutants of one file: what is removed, the piece, and its replacement. */
export const mutantsOf = (
  file: string,
  tests: ReadonlyArray<string>,
  rows: ReadonlyArray<readonly [name: string, from: string, to: string]>
): ReadonlyArray<Mutant> => rows.map(([name, from, to]) => ({ name, file, from, to, tests }))
