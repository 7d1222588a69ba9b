import { type Family, prometheusText, StateWord, type Watch } from "@souffleur/domain"
import { endedRuns } from "@souffleur/plan"
import { Effect } from "effect"
import type { Job } from "../jobs/Job.ts"
import { livingJobs } from "../jobs/JobList.ts"
import { endedWatches, livingWatches, type NamedWatch } from "../watching/FindWatch.ts"
import { totals } from "./Tally.ts"
import { countersOf } from "./TallyMetrics.ts"

/** The content of a log now, of which nothing that has ended is read. */
export interface LogSummary {
  readonly jobs: ReadonlyArray<Job>
  readonly watches: ReadonlyArray<NamedWatch>
  readonly ended: Readonly<Record<Job["kind"], number>>
}

const ofWatches = (
  watches: ReadonlyArray<NamedWatch>,
  name: string,
  help: string,
  valueOf: (watch: Watch) => number | null | undefined
): Family => ({
  type: "gauge",
  name,
  help,
  samples: watches.flatMap(({ id, watch }) => {
    const value = valueOf(watch)
    return value === null || value === undefined ? [] : [{ labels: { watch: id, project: watch.project }, value }]
  })
})

/** Returns the numbers of a log (spec: command-line#metrics). They are told from the log, so no restart loses them. */
export const gaugesOf = ({ ended, jobs, watches }: LogSummary): ReadonlyArray<Family> => {
  const count = (kind: Job["kind"], state: StateWord) =>
    jobs.filter((job) => job.kind === kind && job.state === state).length + (state === "ended" ? ended[kind] : 0)
  return [
    {
      type: "gauge",
      name: "souffleur_jobs",
      help: "Watches and runs, by their state word",
      samples: (["watch", "run"] as const).flatMap((kind) =>
        StateWord.literals.map((state) => ({ labels: { kind, state }, value: count(kind, state) }))
      )
    },
    ofWatches(watches, "souffleur_generation", "Conductor processes of a living watch so far", (one) => one.generation),
    ofWatches(watches, "souffleur_cycles", "Recoveries of a living watch so far", (one) => one.cycles),
    ofWatches(watches, "souffleur_retries", "Deaths in a row without progress", (one) => one.retries),
    ofWatches(
      watches,
      "souffleur_context_tokens",
      "Context in use after the newest successor's first answer",
      (one) => one.taken?.contextTokens
    ),
    ofWatches(
      watches,
      "souffleur_last_event_seconds",
      "Time of the newest event, in seconds since 1970",
      (one) => one.lastEventAt / 1000
    )
  ]
}

/** The numbers of a log, and the same as Prometheus reads them. */
export interface LogNumbers {
  readonly families: ReadonlyArray<Family>
  readonly text: string
}

/** Returns the numbers of the log as Prometheus reads them. Fails with `LogUnusable` where the log cannot be read. */
export const logMetrics = Effect.gen(function* () {
  const watches = yield* livingWatches
  const jobs = yield* livingJobs
  const endedWatch = yield* endedWatches(1)
  const endedRun = yield* endedRuns(1)
  const gauges = gaugesOf({ jobs, watches, ended: { watch: endedWatch.count, run: endedRun.count } })
  const families = [...gauges, ...countersOf(yield* totals)]
  return { families, text: prometheusText(families) } satisfies LogNumbers
}).pipe(Effect.withSpan("logMetrics"))
