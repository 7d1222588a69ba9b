import { urgentFirst, type Watch } from "@souffleur/domain"
import { endedRuns, type NamedRun, RunLog, streamOf, unfinishedRuns } from "@souffleur/plan"
import { Effect } from "effect"
import { runJob, watchJob } from "../jobs/Job.ts"
import { isOwned } from "../jobs/JobList.ts"
import { titled } from "../jobs/JobTitle.ts"
import { runTimeline } from "../timeline/RunTimeline.ts"
import { watchTimeline } from "../timeline/WatchTimeline.ts"
import { endedWatches, livingWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { partSince } from "../timeline/WatchPast.ts"
import type { TaskNow } from "./TasksNow.ts"
import { type Period, reportOf, type JobHistory } from "./Report.ts"

/** The ended jobs of a first look, and the factor of each further one. */
const [firstLook, growth] = [100, 10]

/** Returns what ended since a time. The last ended come first, so the look grows until an older one is found. */
const endedSince = Effect.fnUntraced(function* <A, E, R>(
  last: (limit: number) => Effect.Effect<{ readonly last: ReadonlyArray<A> }, E, R>,
  isYoung: (one: A) => boolean
) {
  for (let limit = firstLook; ; limit *= growth) {
    const found = (yield* last(limit)).last
    if (found.length < limit || !found.every(isYoung)) return found.filter(isYoung)
  }
})

/** Returns the watches that live, and those that ended since a time. Fails where the log cannot be read. */
export const watchesSince = Effect.fn("watchesSince")(function* (since: number) {
  const ended = yield* endedSince(endedWatches, ({ watch }) => watch.lastEventAt >= since)
  return [...(yield* livingWatches), ...ended]
})

const tellWatch = Effect.fnUntraced(function* <R>(
  named: NamedWatch,
  { since, until }: Period,
  tasksOf: (watch: Watch) => Effect.Effect<ReadonlyArray<TaskNow>, never, R>
) {
  const job = yield* titled(watchJob(named, yield* isOwned(named.watch.owner)), named.watch)
  const { before, events } = yield* partSince(named.id, named.watch.revision, since)
  const timeline = watchTimeline(events, until, before)
  // The generation that ran then may have begun long before.
  const generations = timeline.generations.map((one) =>
    one.generation === before.generation ? { ...one, from: before.launchedAt } : one
  )
  const { end } = named.watch
  return { job, timeline: { ...timeline, generations }, tasks: yield* tasksOf(named.watch), end } satisfies JobHistory
})

const tellRun = Effect.fnUntraced(function* (named: NamedRun, { until }: Period) {
  const log = yield* RunLog
  const job = runJob(named, yield* isOwned(named.run.owner))
  const events = yield* log.read(streamOf(named.id), 0, named.run.revision)
  return { job, run: runTimeline(events, until) } satisfies JobHistory
})

/**
 * Returns the report of a time: of every job that lives, and of those that ended since. Fails with a `LogError` where
 * the log cannot be read. `tasksOf` looks at the comms of a watch.
 */
export const report = Effect.fn("report")(function* <R>(
  period: Period,
  tasksOf: (watch: Watch) => Effect.Effect<ReadonlyArray<TaskNow>, never, R>
) {
  const { since } = period
  const watches = yield* watchesSince(since)
  const runs = [...(yield* unfinishedRuns), ...(yield* endedSince(endedRuns, ({ run }) => run.lastEventAt >= since))]
  const histories: ReadonlyArray<JobHistory> = [
    ...(yield* Effect.forEach(watches, (one) => tellWatch(one, period, tasksOf))),
    ...(yield* Effect.forEach(runs, (one) => tellRun(one, period)))
  ]
  return reportOf(
    urgentFirst(histories, ({ job }) => job),
    period
  )
})
