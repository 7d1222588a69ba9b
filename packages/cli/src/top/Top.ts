import type { Job, WatchStatus } from "@souffleur/embed"
import { type JobNews, jobWord } from "@souffleur/embed/internal"
import { statusUse } from "../explain/StatusTable.ts"
import type { TopActivity } from "./TopActivity.ts"
import type { TopLine } from "./TopLine.ts"
import type { TopWord } from "./TopWord.ts"

/** What was seen of a living job besides the list. */
export interface JobSight {
  /** `undefined`: it is a run, or cannot be looked at. */
  readonly status: WatchStatus | undefined
  readonly activity: TopActivity
}

/** The orders of the list, in which a key leads through them. */
export const sorts = ["state", "age", "context", "cost"] as const

/** A word that a person is asked about, or that is said. */
export interface Spoken {
  readonly word: TopWord
  readonly id: string
}

/** The content of the screen. */
export interface Top {
  /** `null`: the log is not read yet. */
  readonly news: JobNews | null
  /** By the keys of the jobs. */
  readonly sights: ReadonlyMap<string, JobSight>
  readonly view: "list" | "job" | "why" | "help"
  /** The key of the chosen job; `null`: there was none yet. */
  readonly chosen: string | null
  /** The keys of the rows among which it was chosen, in their order. */
  readonly rows: ReadonlyArray<string>
  readonly sort: (typeof sorts)[number]
  /** Words that a job in the list has; empty: all are there. */
  readonly filter: string
  /** True while a person types the filter. */
  readonly typing: boolean
  /** True while pasted text comes. It is no key, and goes into a filter that is typed. */
  readonly pasting: boolean
  /** The text of the job, or of its last decision. */
  readonly text: ReadonlyArray<TopLine>
  /** Lines of the text that are above the screen. */
  readonly above: number
  /** True if the output of the chosen job is below the list. */
  readonly pane: boolean
  /** The last lines of that output. */
  readonly output: ReadonlyArray<string>
  /** `null`: nothing is asked. */
  readonly asks: Spoken | null
  /** The answer to the last key, until the next one. */
  readonly notice: TopLine | null
}

/** Begins with the list. */
export const initialTop: Top = {
  news: null,
  sights: new Map(),
  view: "list",
  chosen: null,
  rows: [],
  sort: "state",
  filter: "",
  typing: false,
  pasting: false,
  text: [],
  above: 0,
  pane: false,
  output: [],
  asks: null,
  notice: null
}

/** Returns what a job is known by, since a watch and a run may share an id. */
export const jobKey = ({ id, kind }: Pick<Job, "id" | "kind">): string => `${kind}/${id}`

const orders: Readonly<Record<Top["sort"], (top: Top) => (a: Job, b: Job) => number>> = {
  // The list comes in this one.
  state: () => () => 0,
  age: () => (a, b) => (a.begun ?? Number.MAX_VALUE) - (b.begun ?? Number.MAX_VALUE),
  context:
    ({ sights }) =>
    (a, b) => {
      const full = (job: Job) => {
        const context = sights.get(jobKey(job))?.status?.context
        return context ? context.tokens / (context.window ?? Number.POSITIVE_INFINITY) : -1
      }
      return full(b) - full(a)
    },
  cost:
    ({ sights }) =>
    (a, b) => {
      const used = (job: Job) => statusUse({ job, seen: sights.get(jobKey(job))?.status })
      return used(b).dollars - used(a).dollars || used(b).tokens - used(a).tokens
    }
}

const isWanted = (job: Job, words: string) =>
  [job.id, job.title, job.project, job.agent, jobWord(job)].some((text) => text?.toLowerCase().includes(words) === true)

/** Returns all jobs. */
export const allJobs = ({ news }: Top): ReadonlyArray<Job> => (news === null ? [] : [...news.living, ...news.ended])

/** Returns the rows of the list. */
export const jobsIn = (top: Top): ReadonlyArray<Job> =>
  allJobs(top)
    .filter((job) => isWanted(job, top.filter.toLowerCase()))
    .toSorted(orders[top.sort](top))

/**
 * Returns the place of the chosen job among the rows. It stays chosen where the order changes. One that has left the
 * rows gives way to the one that was nearest.
 */
export const chosenAt = (top: Top, jobs: ReadonlyArray<Job> = jobsIn(top)): number => {
  const places = new Map(jobs.map((job, place) => [jobKey(job), place]))
  const was = top.rows.indexOf(top.chosen ?? "")
  const near = top.rows.keys().flatMap((away) => [top.rows[was + away], top.rows[was - away]])
  const candidates = [top.chosen, ...(was === -1 ? [] : near)]
  return candidates.flatMap((key) => places.get(key ?? "") ?? [])[0] ?? 0
}

/** Returns the chosen job; `undefined`: there is none. One whose text is shown need not be in the list any more. */
export const chosenJob = (top: Top): Job | undefined => {
  const jobs = jobsIn(top)
  const open = top.view === "list" ? undefined : allJobs(top).find((job) => jobKey(job) === top.chosen)
  return open ?? jobs[chosenAt(top, jobs)]
}

/** Chooses the job that the screen shows as chosen, so that it stays so where the list moves. */
export const keptChosen = (top: Top): Top => {
  const job = chosenJob(top)
  const rows = jobsIn(top).map(jobKey)
  return job === undefined
    ? { ...top, rows: top.chosen === null ? rows : top.rows }
    : { ...top, chosen: jobKey(job), rows }
}

/** Returns the job whose output is shown; `undefined`: none is. */
export const paneJob = (top: Top): Job | undefined => (top.pane && top.view === "list" ? chosenJob(top) : undefined)
