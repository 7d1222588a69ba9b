import { Effect } from "effect"
import { numberOf, queried } from "./PageWorld.ts"

/** Which part of a list is asked for. `page` begins with 1. */
export interface Asked {
  readonly search: string
  readonly page: number
}

/** How often the list is looked at for a reader. No event tells that a souffleur was killed. */
export const listEvery = "2 seconds"

/** The longest search. */
const maxSearch = 200

/** Reads which part of the list is asked for. */
export const askedPart = Effect.map(queried, (word) => ({
  search: word("q").trim().slice(0, maxSearch),
  page: numberOf(word("page")) ?? 1
}))
