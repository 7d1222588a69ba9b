import type { StateWord, Watch } from "@souffleur/domain"
import { nothingUsed, sumUsed, type Used } from "@souffleur/plan"
import type { Job } from "../jobs/Job.ts"
import type { TaskNow } from "./TasksNow.ts"
import { causeInWords } from "./DeathCause.ts"
import type { Recovery } from "../timeline/Recoveries.ts"
import type { RunTimeline, TaskStretch } from "../timeline/RunTimeline.ts"
import { lengthOf, type Stretch } from "../timeline/Stretch.ts"
import type { Death, GenerationStretch, WaitStretch, WatchTimeline } from "../timeline/WatchTimeline.ts"

/** The time of a report, both epoch milliseconds. */
export interface Period {
  readonly since: number
  readonly until: number
}

/** A watch or a run with its history. */
export type JobHistory =
  | {
      readonly job: Job
      readonly timeline: WatchTimeline
      readonly tasks?: ReadonlyArray<TaskNow>
      readonly end?: Watch["end"]
    }
  | { readonly job: Job; readonly run: RunTimeline }

/** A job that needs a person, with the reason and the command to type next. */
export interface Needing {
  readonly kind: Job["kind"]
  readonly id: string
  readonly why: string
  readonly next: string
}

/** The part of a watch that lies in the time of a report. */
export interface WatchPart {
  readonly id: string
  /** See `Job.title`. */
  readonly title: string | null
  readonly project: string
  readonly state: StateWord
  /** See `Job.held`. */
  readonly held: boolean
  readonly standing: string
  /** How it ended; `null`: it lives. */
  readonly end: NonNullable<Watch["end"]> | null
  /** Milliseconds that it was watched. */
  readonly watched: number
  readonly generations: ReadonlyArray<GenerationStretch>
  readonly deaths: ReadonlyArray<Death>
  readonly recoveries: ReadonlyArray<Recovery>
  /** The waits, cut at the time of the report. */
  readonly waits: ReadonlyArray<WaitStretch>
  /** The limits that were told as coming. */
  readonly foreseen: WatchTimeline["foreseen"]
  /** The tasks in its comms as they are now; `[]` once it has ended. */
  readonly tasks: ReadonlyArray<TaskNow>
  /** The history in the time of the report. */
  readonly timeline: WatchTimeline
}

/** The part of a run that lies in the time of a report. */
export interface RunPart {
  readonly id: string
  readonly project: string
  readonly state: StateWord
  /** See `Job.held`. */
  readonly held: boolean
  readonly standing: string
  /** The tasks that an agent worked on, or that were completed. */
  readonly tasks: ReadonlyArray<TaskStretch>
  /** The tasks that were completed. */
  readonly completed: number
  /** The commits of implementers, each once. */
  readonly commits: ReadonlyArray<string>
  /** By the agents that ended in that time: tokens, and hundredths of a dollar. */
  readonly used: Used
  readonly timeline: RunTimeline
}

/** The history of all jobs in a time, and the needs of now (spec: command-line#report). */
export interface Report extends Period {
  readonly needs: ReadonlyArray<Needing>
  readonly watches: ReadonlyArray<WatchPart>
  readonly runs: ReadonlyArray<RunPart>
  /** Deaths by their cause, the most frequent first. `message`: the cause in words, with the end that was seen. */
  readonly deaths: ReadonlyArray<{ readonly cause: Death["cause"]; readonly message: string; readonly count: number }>
  readonly recoveries: {
    readonly count: number
    /** Those that brought the work back. */
    readonly successful: number
    /** Milliseconds of the successful ones; `null`: there is none. */
    readonly median: number | null
    readonly longest: number | null
  }
  /** Milliseconds of waits by their kind. */
  readonly waits: ReadonlyArray<{ readonly kind: WaitStretch["kind"]; readonly millis: number }>
  /** Tokens of context that the successors had in use after their first answers. */
  readonly contextTokens: number
  readonly tasks: number
  readonly commits: number
}

const isIn =
  ({ since, until }: Period) =>
  ({ from, to }: Stretch): boolean =>
    from <= until && (to ?? until) >= since

/** Cuts a stretch at the time of a report. */
const cut =
  ({ since, until }: Period) =>
  <S extends Stretch>(one: S): S => ({
    ...one,
    from: Math.max(since, one.from),
    to: one.to === null ? null : Math.min(until, one.to)
  })

const isAt =
  ({ since, until }: Period) =>
  (at: number | null): boolean =>
    at !== null && at >= since && at <= until

/**
 * Returns whether a recovery brought the work back. A command takes no hand-off, so its next death must not have come
 * without progress.
 */
const isSuccessful =
  ({ deaths }: WatchPart) =>
  ({ outcome, revision }: Recovery): boolean =>
    outcome === "taken" || (outcome === "launched" && !deaths.find((death) => death.revision > revision)?.retries)

const watchPart = (
  { held, id, project, standing, state, title }: Job,
  whole: WatchTimeline,
  { end, tasks = [] }: Pick<Extract<JobHistory, { readonly timeline: object }>, "end" | "tasks">,
  period: Period
): WatchPart => {
  const parts = {
    generations: whole.generations.filter(isIn(period)),
    deaths: whole.deaths.filter(({ at }) => isAt(period)(at)),
    recoveries: whole.recoveries.filter(isIn(period)),
    waits: whole.waits.filter(isIn(period)).map(cut(period)),
    foreseen: whole.foreseen.filter(({ at }) => isAt(period)(at))
  }
  const { from, to } = cut(period)({ from: whole.from, to: whole.to })
  return {
    id,
    title,
    project,
    state,
    held,
    standing,
    end: end ?? null,
    watched: lengthOf({ from, to }, period.until),
    tasks,
    ...parts,
    timeline: { ...whole, ...parts, from, to, quiet: whole.quiet.filter(isIn(period)) }
  }
}

const runPart = ({ held, id, project, standing, state }: Job, timeline: RunTimeline, period: Period): RunPart => {
  const tasks = timeline.tasks.filter(({ agents, to }) => isAt(period)(to) || agents.some(isIn(period)))
  const agents = tasks.flatMap((task) => task.agents).filter(({ to }) => isAt(period)(to))
  return {
    id,
    project,
    state,
    held,
    standing,
    tasks,
    completed: tasks.filter(({ outcome, to }) => outcome === "completed" && isAt(period)(to)).length,
    commits: [...new Set(agents.flatMap(({ commits }) => commits))],
    used: timeline.spent.filter(({ at }) => isAt(period)(at)).reduce(sumUsed, nothingUsed),
    timeline
  }
}

/** Sums numbers by a word, the greatest sum first. */
const sums = <W extends string>(all: ReadonlyArray<readonly [word: W, number: number]>) => {
  const found = new Map<W, number>()
  for (const [word, number] of all) found.set(word, (found.get(word) ?? 0) + number)
  return [...found].toSorted(([, a], [, b]) => b - a)
}

/** Makes the report of a time from the history of all jobs. */
export const reportOf = (all: ReadonlyArray<JobHistory>, period: Period): Report => {
  const watches = all.flatMap((one) => ("timeline" in one ? [watchPart(one.job, one.timeline, one, period)] : []))
  const runs = all.flatMap((one) => ("run" in one ? [runPart(one.job, one.run, period)] : []))
  const deaths = watches.flatMap((watch) => watch.deaths)
  const recoveries = watches.flatMap((watch) => watch.recoveries)
  const lengths = watches
    .flatMap((watch) => watch.recoveries.filter(isSuccessful(watch)))
    .map((one) => lengthOf(one, period.until))
    .toSorted((a, b) => a - b)
  return {
    ...period,
    needs: all.flatMap(({ job: { id, kind, need } }) => (need === null ? [] : [{ id, kind, ...need }])),
    watches,
    runs,
    deaths: sums(deaths.map((death) => [causeInWords(death), 1] as const)).map(([message, count]) => ({
      cause: deaths.find((death) => causeInWords(death) === message)!.cause,
      message,
      count
    })),
    recoveries: {
      count: recoveries.length,
      successful: lengths.length,
      median: lengths[Math.floor(lengths.length / 2)] ?? null,
      longest: lengths.at(-1) ?? null
    },
    waits: sums(
      watches.flatMap(({ waits }) => waits.map((one) => [one.kind, lengthOf(one, period.until)] as const))
    ).map(([kind, millis]) => ({ kind, millis })),
    contextTokens: recoveries.reduce((sum, { contextTokens }) => sum + (contextTokens ?? 0), 0),
    tasks: runs.reduce((sum, { completed }) => sum + completed, 0),
    commits: runs.reduce((sum, { commits }) => sum + commits.length, 0)
  }
}
