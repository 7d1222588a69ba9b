import { isOver, type Owner, personsZone, Processes, urgentFirst } from "@souffleur/domain"
import { endedRuns, type NamedRun, unfinishedRuns } from "@souffleur/plan"
import { Effect } from "effect"
import { endedWatches, livingWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { type Job, runJob, watchJob } from "./Job.ts"
import { titled } from "./JobTitle.ts"

const inOrder = (jobs: ReadonlyArray<Job>) => urgentFirst(jobs, (job) => job)

/** Returns whether a live souffleur has a watch or a run. */
export const isOwned = Effect.fnUntraced(function* (owner: Owner | null | undefined) {
  if (owner === null || owner === undefined) return false
  return !isOver(yield* Processes.use(({ condition }) => condition(owner.process)))
})

/** Watches and runs as the log has them. */
export interface Logged {
  readonly watches: ReadonlyArray<NamedWatch>
  readonly runs: ReadonlyArray<NamedRun>
}

/**
 * Returns watches and runs as jobs, the need of a person first, with times of that person's zone. It looks at their
 * souffleurs, and reads no log.
 */
export const jobsOf = Effect.fnUntraced(function* ({ runs, watches }: Logged) {
  const zone = yield* personsZone
  return inOrder([
    ...(yield* Effect.forEach(watches, (one) =>
      Effect.flatMap(isOwned(one.watch.owner), (owned) => titled(watchJob(one, owned, zone), one.watch))
    )),
    ...(yield* Effect.forEach(runs, (one) => Effect.map(isOwned(one.run.owner), (owned) => runJob(one, owned))))
  ])
})

/** Reads the watches and runs that have not ended. Fails with `LogUnusable` where the log cannot be read. */
export const livingLogged = Effect.gen(function* () {
  const watches = yield* livingWatches
  return { watches, runs: yield* unfinishedRuns } satisfies Logged
})

/** Returns the runs that have not ended, the need of a person first. */
export const livingRuns = Effect.flatMap(unfinishedRuns, (runs) => jobsOf({ watches: [], runs })).pipe(
  Effect.withSpan("livingRuns")
)

/**
 * Returns the watches and runs that have not ended, the need of a person first. It reads no watch and no run that has
 * ended. Fails with `LogUnusable` where the log cannot be read.
 */
export const livingJobs = Effect.flatMap(livingLogged, jobsOf).pipe(Effect.withSpan("livingJobs"))

/**
 * Returns the watches and runs that ended last, the last one first, `limit` at most. `wanted`: only these. `count`: the
 * number of all such ones. Fails with `LogUnusable` where the log cannot be read.
 */
export const endedJobs = Effect.fn("endedJobs")(function* (limit: number, wanted?: (job: Job) => boolean) {
  const watches = yield* endedWatches(limit, wanted && ((one) => wanted(watchJob(one, false))))
  const runs = yield* endedRuns(limit, wanted && ((one) => wanted(runJob(one, false))))
  const last = [...watches.last.map((one) => watchJob(one, false)), ...runs.last.map((one) => runJob(one, false))]
  return { count: watches.count + runs.count, last: inOrder(last).slice(0, limit) }
})
