import type { JobWord } from "@souffleur/embed"
import { Effect } from "effect"
import { numberOf, queried } from "./PageWorld.ts"

/** Which part of a list is asked for. `page` begins with 1. */
export interface Asked {
  readonly search: string
  readonly page: number
}

/** What a list is sorted by. */
export const listColumns = ["state", "name", "agent", "folder", "when"] as const
/** A column of the list, by which it is sorted. */
export type Column = (typeof listColumns)[number]

/** The states by which a list is filtered. */
export const jobWords: ReadonlyArray<JobWord> = [
  "needs you",
  "failed",
  "idle",
  "held",
  "recovering",
  "working",
  "ended"
]

/** What a list shows, and in which order. An empty word leaves nothing out. */
export interface Listing extends Asked {
  readonly state: string
  readonly agent: string
  readonly project: string
  readonly sort: Column
  /** True if the last one comes first. */
  readonly reversed: boolean
}

/** How often the list is looked at for a reader. No event tells that a souffleur was killed. */
export const listEvery = "2 seconds"

/** The longest search, and the longest name of a folder. */
const [maxSearch, maxFolder] = [200, 4096] as const

/** Reads which part of the list is asked for. */
export const askedPart = Effect.map(queried, (word) => ({
  search: word("q").trim().slice(0, maxSearch),
  page: numberOf(word("page")) ?? 1
}))

/** Reads what the list of this host shows, and in which order. */
export const askedListing = Effect.gen(function* () {
  const word = yield* queried
  const [sort, reversed] = [word("sort").replace(/^-/u, ""), word("sort").startsWith("-")]
  return {
    ...(yield* askedPart),
    state: jobWords.find((one) => one === word("state")) ?? "",
    agent: word("agent").slice(0, maxSearch),
    project: word("folder").slice(0, maxFolder),
    sort: listColumns.find((one) => one === sort) ?? "state",
    reversed: reversed && listColumns.some((one) => one === sort)
  } satisfies Listing
})

/** Writes words as the query of an address. An empty one is left out. */
const queryWith = (words: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams(Object.entries(words).filter(([, said]) => said !== ""))}`

/** Writes a part of a list as the query of its address. */
export const queryOfPart = ({ page, search }: Asked): string => queryWith({ q: search, page: String(page) })

/** Writes a listing as the query of its address. */
export const queryOfListing = ({ agent, page, project, reversed, search, sort, state }: Listing): string => {
  const order = `${reversed ? "-" : ""}${sort}`
  return queryWith({
    q: search,
    state,
    agent,
    folder: project,
    sort: order === "state" ? "" : order,
    page: page === 1 ? "" : String(page)
  })
}
