import { EventLog, isEnd, watches } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { allRuns, evolveRun, initialRun, RunLog, streamOf } from "@souffleur/plan"
import { Effect, Stream } from "effect"
import { findPlan, type PlanName } from "./conducting/FindPlan.ts"
import { lastRecoveryOf } from "./explain/LastRecovery.ts"
import { runWhyOf, whyOf } from "./explain/Why.ts"
import type { After, Point, RevisionRange, WhyOptions } from "./SouffleurOptions.ts"
import { allWatches, endedWatches, findWatch, livingWatches, type WatchName } from "./watching/FindWatch.ts"
import { ownSpans } from "./trace/OwnSpans.ts"
import { revisionAt } from "./timeline/WatchPast.ts"

/** Returns the events up to a point. */
const until = <E extends { readonly at: number }>(events: ReadonlyArray<RecordedAs<E>>, at: Point) =>
  events.filter(({ event, revision }) => ("revision" in at ? revision <= at.revision : event.at <= at.time))

const start: After = { after: 0 }

/** Makes the methods that read, closed over the logs in the context. */
export const makeSouffleurLog = Effect.gen(function* () {
  const here = ownSpans(yield* Effect.context<EventLog | RunLog>())
  const log = yield* EventLog
  const runLog = yield* RunLog
  const find = (name: WatchName) => here(findWatch(name))
  const findOneRun = (name: PlanName) => here(findPlan(name))
  const history = Effect.fn("SouffleurLog.history")(function* (
    name: WatchName,
    { after, upTo }: RevisionRange = start
  ) {
    return yield* log.read((yield* find(name)).id, after, upTo)
  })
  const planHistory = Effect.fn("SouffleurLog.planHistory")(function* (name: PlanName, { after } = start) {
    return yield* runLog.read(streamOf((yield* findOneRun(name)).id), after)
  })
  return {
    watches: here(allWatches),
    living: here(livingWatches),
    ended: (...of: Parameters<typeof endedWatches>) => here(endedWatches(...of)),
    find,
    history,
    state: Effect.fn("SouffleurLog.state")(function* (name: WatchName, at?: Point) {
      const { id, watch } = yield* find(name)
      if (at === undefined) return watch
      const revision = "revision" in at ? at.revision : yield* here(revisionAt(id, watch.revision, at.time))
      return revision >= watch.revision ? watch : yield* here(watches.at(id, revision))
    }),
    events: (name: WatchName, { after } = start) =>
      Stream.unwrap(
        Effect.map(find(name), ({ id }) => Stream.takeUntil(log.changes(id, after), ({ event }) => isEnd(event)))
      ),
    why: Effect.fn("SouffleurLog.why")(function* (name: WatchName, options?: WhyOptions) {
      return yield* here(whyOf(yield* find(name), options))
    }),
    lastRecovery: Effect.fn("SouffleurLog.lastRecovery")(function* (name: WatchName) {
      return yield* here(lastRecoveryOf(yield* find(name)))
    }),
    eventsOfAll: log.changesAll(0),
    historyOfAll: log.readAll(0),
    plans: here(allRuns),
    findPlan: findOneRun,
    planHistory,
    planState: Effect.fn("SouffleurLog.planState")(function* (name: PlanName, at?: Point) {
      if (at === undefined) return (yield* findOneRun(name)).run
      return until(yield* planHistory(name), at).reduce((run, { event }) => evolveRun(run, event), initialRun)
    }),
    planEvents: (name: PlanName, { after } = start) =>
      Stream.unwrap(Effect.map(findOneRun(name), ({ id }) => runLog.changes(streamOf(id), after))),
    planWhy: Effect.fn("SouffleurLog.planWhy")(function* (name: PlanName, options?: WhyOptions) {
      return runWhyOf(yield* planHistory(name), options)
    })
  }
})
