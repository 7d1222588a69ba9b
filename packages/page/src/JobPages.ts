import { countsOf, type JobPlace, type Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import type { Asked } from "./Asked.ts"
import { type JobPage, jobsOnPage } from "./view/ListPage.ts"

/** The time in which many readers share one look at the log and the processes. */
const shared = "1 second"

const isFound = (search: string) => {
  const words = search.toLowerCase().split(/\s+/u)
  return ({ id, project }: JobPlace) => words.every((word) => `${id} ${project}`.toLowerCase().includes(word))
}

/**
 * Makes the pages of the list. All that lives comes first, by its urgency, then what ended last. It holds no more of
 * what has ended than up to this page, also where it searches. Fails with `LogError` where the log cannot be read.
 */
export const makeJobPages = Effect.fnUntraced(function* (souffleur: Pick<Souffleur["Service"], "endedJobs" | "jobs">) {
  const living = yield* Effect.cachedWithTTL(souffleur.jobs, shared)
  return Effect.fn("JobPages.page")(function* ({ page, search }: Asked) {
    const alive = yield* living
    const found = search === "" ? alive : alive.filter(isFound(search))
    const limit = Math.max(0, page * jobsOnPage - found.length)
    const { count, last } = yield* souffleur.endedJobs(limit, search === "" ? undefined : isFound(search))
    const endedCount = search === "" ? count : (yield* souffleur.endedJobs(0)).count
    return {
      jobs: [...found, ...last].slice((page - 1) * jobsOnPage, page * jobsOnPage),
      found: found.length + count,
      counts: countsOf(alive, endedCount),
      page,
      search
    } satisfies JobPage
  })
})
