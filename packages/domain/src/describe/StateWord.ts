import { Schema } from "effect"

/** The five words for the state of a watch or a run, the most urgent first (spec: command-line#state-words). */
export const StateWord = Schema.Literals(["needs you", "idle", "recovering", "working", "ended"])
export type StateWord = typeof StateWord.Type

/** A sign beside each word, so that no colour alone tells two states apart. */
export const stateSigns: Readonly<Record<StateWord, string>> = {
  "needs you": "!",
  idle: "…",
  recovering: "↻",
  working: "▸",
  ended: "■"
}

/** Something that has a state, and a last event in epoch milliseconds. */
export interface Urgent {
  readonly state: StateWord
  readonly at: number
}

/** Orders by the need of a person first, then by the last event, the newest first. */
export const urgentFirst = <A>(all: ReadonlyArray<A>, urgencyOf: (one: A) => Urgent): ReadonlyArray<A> => {
  const placed = all.map((one) => ({ one, ...urgencyOf(one) }))
  const rank = ({ state }: Urgent) => StateWord.literals.indexOf(state)
  return placed.toSorted((a, b) => rank(a) - rank(b) || b.at - a.at).map(({ one }) => one)
}

/** The words that say no more than a state word does. */
const plainly: ReadonlySet<string> = new Set(["watching", "recovering"])

/** Returns a state with the words that add something to it, such as `ended: completed`. */
export const stateLine = (state: StateWord, standing: string): string =>
  plainly.has(standing) ? state : `${state}: ${standing}`
