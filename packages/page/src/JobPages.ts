import { countsOf, type Job, jobWord, type Souffleur } from "@souffleur/embed"
import { Effect } from "effect"
import type { Column, Listing } from "./Asked.ts"
import { type JobPage, jobsOnPage } from "./view/ListPage.ts"

/** The time in which many readers share one look at the log and the processes. */
const shared = "1 second"

/** Ended watches and runs that are sorted otherwise than by their end. */
const maxSorted = 1000

/** Returns what a job must be to be in a listing; `undefined`: each is. */
const wantedIn = ({ agent, project, search, state }: Listing) => {
  if (`${agent}${project}${search}${state}` === "") return undefined
  const words = search.toLowerCase().split(/\s+/u)
  return (job: Job): boolean =>
    (agent === "" || job.agent === agent) &&
    (project === "" || job.project === project) &&
    (state === "" || jobWord(job) === state) &&
    words.every((word) => `${job.id} ${job.project}`.toLowerCase().includes(word))
}

/** What is compared in each column. The state is in order already. */
const keys: Readonly<Record<Exclude<Column, "state">, (job: Job) => string | number>> = {
  name: ({ id }) => id,
  agent: ({ agent }) => agent ?? "",
  folder: ({ project }) => project,
  when: ({ at }) => at
}

const sorted = (jobs: ReadonlyArray<Job>, { reversed, sort }: Listing): ReadonlyArray<Job> => {
  const key = sort === "state" ? undefined : keys[sort]
  const inOrder =
    key === undefined
      ? jobs
      : jobs
          .map((job) => ({ job, key: key(job) }))
          .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
          .map(({ job }) => job)
  return reversed ? inOrder.toReversed() : inOrder
}

/**
 * Makes the pages of the list. All that lives comes first, by its urgency, then what ended last. In that order it holds
 * no more of what has ended than up to this page, also where it searches; in another one the last thousand. Fails with
 * `LogError` where the log cannot be read.
 */
export const makeJobPages = Effect.fnUntraced(function* (souffleur: Pick<Souffleur["Service"], "endedJobs" | "jobs">) {
  const living = yield* Effect.cachedWithTTL(souffleur.jobs, shared)
  return Effect.fn("JobPages.page")(function* (listing: Listing) {
    const { page } = listing
    const wanted = wantedIn(listing)
    const alive = yield* living
    const found = wanted === undefined ? alive : alive.filter(wanted)
    const isUsual = listing.sort === "state" && !listing.reversed
    const limit = isUsual ? Math.max(0, page * jobsOnPage - found.length) : maxSorted
    const { count, last } = yield* souffleur.endedJobs(limit, wanted)
    const endedCount = wanted === undefined ? count : (yield* souffleur.endedJobs(0)).count
    const all = sorted([...found, ...last], listing)
    return {
      jobs: all.slice((page - 1) * jobsOnPage, page * jobsOnPage),
      found: isUsual ? found.length + count : all.length,
      counts: countsOf(alive, endedCount),
      agents: [...new Set([...alive, ...last].flatMap(({ agent }) => agent ?? []))].toSorted(),
      left: isUsual ? 0 : count - last.length,
      listing
    } satisfies JobPage
  })
})
