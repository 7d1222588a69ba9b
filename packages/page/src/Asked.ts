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

/** Returns the query of a request as it came, with its `?`. The target of a request may be no URL, such as `//`. */
export const queryOf = ({ url }: { readonly url: string }): string => /\?.*/u.exec(url)?.[0] ?? ""

/** Reads which part of the list is asked for. */
export const askedPart = Effect.map(queried, (word) => ({
  search: word("q").trim().slice(0, maxSearch),
  page: numberOf(word("page")) ?? 1
}))
