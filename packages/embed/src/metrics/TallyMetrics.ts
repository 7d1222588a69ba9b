import { RecoveryOutcome } from "../timeline/RecoveryRules.ts"
import type { Family, Sample } from "@souffleur/domain"
import { durationBounds, type Totals } from "./Tally.ts"

/** Returns the samples of a histogram of one outcome. Each bucket holds those below it too. */
const histogram = (outcome: RecoveryOutcome, { millis, recoveries }: Totals): ReadonlyArray<Sample> => {
  let count = 0
  const buckets = [...durationBounds, "+Inf"].map((le): Sample => {
    count += recoveries[`${outcome}/${le}`] ?? 0
    return { suffix: "_bucket", labels: { outcome, le: String(le) }, value: count }
  })
  return [
    ...buckets,
    { suffix: "_sum", labels: { outcome }, value: (millis[outcome] ?? 0) / 1000 },
    { suffix: "_count", labels: { outcome }, value: count }
  ]
}

/** Returns what happened so far as counters (spec: command-line#metrics). An outcome that never was is there with 0. */
export const countersOf = (totals: Totals): ReadonlyArray<Family> => {
  const recoveries = RecoveryOutcome.literals.flatMap((outcome) => histogram(outcome, totals))
  return [
    {
      type: "counter",
      name: "souffleur_deaths_total",
      help: "Deaths of Conductors, by their causes",
      samples: Object.entries(totals.deaths).map(([cause, value]) => ({ labels: { cause }, value }))
    },
    {
      type: "counter",
      name: "souffleur_recoveries_total",
      help: "Recoveries that are over, by their outcomes",
      samples: recoveries.flatMap(({ labels, suffix, value }) => (suffix === "_count" ? [{ labels, value }] : []))
    },
    {
      type: "histogram",
      name: "souffleur_recovery_seconds",
      help: "Time from the death to the end of a recovery",
      samples: recoveries
    }
  ]
}
