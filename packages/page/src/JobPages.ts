import { countsOf, type Job, type Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import { type JobPage, jobsOnPage } from "./view/ListPage.ts"

/** The time in which many readers share one look at the log and the processes. */
const shared = "1 second"

/** Ended watches and runs that a search looks through. */
const maxSearched = 100_000

/** Which part of the list is asked for. `page` begins with 1. */
export interface Asked {
  readonly search: string
  readonly page: number
}

const isFound = (search: string) => {
  const words = search.toLowerCase().split(/\s+/u)
  return ({ id, project }: Job) => words.every((word) => `${id} ${project}`.toLowerCase().includes(word))
}

/**
 * Makes the pages of the list. All that lives comes first, by its urgency, then what ended last. It reads no more of
 * what has ended than it shows, unless it searches. Fails with `LogError` where the log cannot be read.
 */
export const makeJobPages = Effect.fnUntraced(function* (souffleur: Pick<Souffleur["Service"], "endedJobs" | "jobs">) {
  const living = yield* Effect.cachedWithTTL(souffleur.jobs, shared)
  return Effect.fn("JobPages.page")(function* ({ page, search }: Asked) {
    const alive = yield* living
    const found = search === "" ? alive : alive.filter(isFound(search))
    const wanted = search === "" ? Math.max(0, page * jobsOnPage - found.length) : maxSearched
    const { count, last } = yield* souffleur.endedJobs(wanted)
    const ended = search === "" ? last : last.filter(isFound(search))
    return {
      jobs: [...found, ...ended].slice((page - 1) * jobsOnPage, page * jobsOnPage),
      found: found.length + (search === "" ? count : ended.length),
      counts: countsOf(alive, count),
      page,
      search
    } satisfies JobPage
  })
})
