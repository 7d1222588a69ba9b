import { EventLog } from "@souffleur/domain"
import { RunLog } from "@souffleur/plan"
import { Effect, Ref, Stream } from "effect"
import type { Job } from "./Job.ts"
import { endedJobs, jobsOf, type Logged, livingLogged } from "./JobList.ts"

/** How often the processes are looked at. No event tells that a souffleur was killed. */
const lookEvery = "5 seconds"

/** The time in which several appends are read together. */
const together = "200 millis"

/** Appends that are read together at most. */
const maxTogether = 1000

/** Watches and runs as they are now. */
export interface JobNews {
  /** Those that live, the need of a person first. */
  readonly living: ReadonlyArray<Job>
  /** The same, as the log has them. */
  readonly logged: Logged
  /** Those that ended last, the last one first. */
  readonly ended: ReadonlyArray<Job>
  /** The number of all that have ended. */
  readonly endedCount: number
  /** True if the log has moved since the look before. */
  readonly moved: boolean
}

/**
 * Follows all watches and runs. It reads the log where that has moved, and looks at the processes in between. `limit`:
 * the ended ones at most. Fails with `LogUnusable` where the log cannot be read.
 */
export const followJobs = (limit: number) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const watches = yield* EventLog
      const runs = yield* RunLog
      const read = Effect.gen(function* () {
        const logged = yield* livingLogged
        return { logged, ended: yield* endedJobs(limit) }
      })
      const known = yield* Effect.flatMap(read, Ref.make)
      const news = (moved: boolean) =>
        Effect.gen(function* () {
          const { ended, logged } = yield* moved ? Effect.tap(read, (found) => Ref.set(known, found)) : Ref.get(known)
          return {
            living: yield* jobsOf(logged),
            logged,
            ended: ended.last,
            endedCount: ended.count,
            moved
          } satisfies JobNews
        })
      const moves = Stream.merge(watches.moves, runs.moves).pipe(Stream.groupedWithin(maxTogether, together))
      return Stream.merge(
        Stream.mapEffect(moves, () => news(true)),
        Stream.mapEffect(Stream.tick(lookEvery), () => news(false))
      )
    })
  )
