/**
 * A fault that one input showed. `broken`: it broke a promise of the border. `slow`: it took more processor time than
 * it may.
 */
export interface Finding {
  readonly kind: "uncaught" | "broken" | "slow" | "hang" | "shell"
  readonly border: string
  readonly input: number
  readonly check: string
  /** The name of the trouble: the same trouble has the same words, except for numbers. */
  readonly what: string
  /** The part of the input that shows it, or the message of the error. */
  readonly shown: string
}

/** Gives one key for the same trouble of several inputs, as far as its words tell. */
export const sameTrouble = ({ border, check, kind, what }: Finding): string =>
  `${border} ${kind} ${check} ${what.replaceAll(/\d+/gu, "#")}`
