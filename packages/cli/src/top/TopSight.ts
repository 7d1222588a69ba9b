import { type Job, Souffleur } from "@souffleur/embed"
import type { JobNews } from "@souffleur/embed/internal"
import { Clock, Effect } from "effect"
import { type JobSight, jobKey } from "./Top.ts"
import { noted } from "./TopActivity.ts"

/** The newest events of a job that its activity is made of. */
const maxEvents = 200

interface Known extends JobSight {
  readonly revision: number
  readonly lookedAt: number
}

/** Reads when the events after a revision happened. A log that cannot be read tells none. */
const timesAfter = Effect.fnUntraced(
  function* ({ id, kind }: Job, after: number) {
    const souffleur = yield* Souffleur
    const events: ReadonlyArray<{ readonly event: { readonly at: number } }> =
      kind === "watch" ? yield* souffleur.history(id, { after }) : yield* souffleur.planHistory(id, { after })
    return events.map(({ event }) => event.at)
  },
  Effect.orElseSucceed((): ReadonlyArray<number> => [])
)

/**
 * Makes what looks at living jobs, once for each news. Of each that has moved it reads the new events, and looks at its
 * agent. Of the others it looks at one watch, the longest unseen, so that many cost no more than one.
 */
export const makeTopSights = Effect.gen(function* () {
  const souffleur = yield* Souffleur
  let known: ReadonlyMap<string, Known> = new Map()
  return Effect.fn("TopSights.look")(function* ({ living, logged }: JobNews) {
    const now = yield* Clock.currentTimeMillis
    const watches = new Map(logged.watches.map((one) => [one.id, one]))
    const runs = new Map(logged.runs.map(({ id, run }) => [id, run]))
    const found = living.map((job) => {
      const before = known.get(jobKey(job))
      const watch = job.kind === "watch" ? watches.get(job.id) : undefined
      const revision = (watch?.watch ?? runs.get(job.id))?.revision ?? 0
      return { job, before, watch, revision, hasMoved: before?.revision !== revision }
    })
    const stalest = found
      .filter(({ hasMoved, watch }) => !hasMoved && watch !== undefined)
      .toSorted((a, b) => (a.before?.lookedAt ?? 0) - (b.before?.lookedAt ?? 0))[0]
    const look = Effect.fnUntraced(function* (one: (typeof found)[number]) {
      const { before, hasMoved, job, revision, watch } = one
      const after = Math.max(before?.revision ?? 0, revision - maxEvents)
      const times = hasMoved ? yield* timesAfter(job, after) : []
      const isLooked = watch !== undefined && (hasMoved || one === stalest)
      const status = isLooked
        ? yield* Effect.orElseSucceed(souffleur.status(watch), () => before?.status)
        : before?.status
      const [tokens, earlier] = [status?.context?.tokens, before?.status?.context?.tokens]
      // A conversation that grew is an act that no event tells.
      const grew = earlier !== undefined && tokens !== earlier ? [now] : []
      return [
        jobKey(job),
        {
          revision,
          lookedAt: isLooked ? now : (before?.lookedAt ?? 0),
          status,
          activity: noted(before?.activity ?? new Map(), [...times, ...grew], now)
        } satisfies Known
      ] as const
    })
    known = new Map(yield* Effect.forEach(found, look))
    return known as ReadonlyMap<string, JobSight>
  })
})
