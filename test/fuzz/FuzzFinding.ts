/**
 * What went wrong with one input. `broken`: a promise of the border's own; `slow`: it took more of the processor than
 * it may.
 */
export interface Finding {
  readonly kind: "uncaught" | "broken" | "slow" | "hang" | "shell"
  readonly border: string
  readonly input: number
  readonly check: string
  /** What is the matter: the same words for the same trouble, but for numbers. */
  readonly what: string
  /** What shows it. */
  readonly shown: string
}

/** The same trouble of another input, as far as its words say. */
export const sameTrouble = ({ border, check, kind, what }: Finding): string =>
  `${border} ${kind} ${check} ${what.replaceAll(/\d+/gu, "#")}`
