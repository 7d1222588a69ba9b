import type { EventLog, Recorded, Watch } from "@souffleur/domain"
import type { LogError, RecordedAs } from "@souffleur/eventlog"
import type { NamedRun, Run, RunEvent, RunLog } from "@souffleur/plan"
import { Context, type Effect, Layer, type Option, type Stream } from "effect"
import type { PlanName } from "./conducting/FindPlan.ts"
import type { LastRecovery } from "./explain/LastRecovery.ts"
import type { PlanWhy, Why } from "./explain/Why.ts"
import { makeSouffleurLog } from "./MakeSouffleurLog.ts"
import type { ReadFailed, PlanReadFailed } from "./SouffleurError.ts"
import type { After, RevisionRange, Point, WhyOptions } from "./SouffleurOptions.ts"
import type { NamedWatch, WatchName } from "./watching/FindWatch.ts"

/**
 * Everything that the log knows of watches and runs. It needs the log alone, without settings, agents or processes,
 * which is enough for a program that shows what souffleur does.
 *
 * @example
 * ```ts
 * import { describeEvent, SouffleurLog } from "@souffleur/embed"
 * import { Console, Effect, Stream } from "effect"
 *
 * const newest = Effect.gen(function* () {
 *   const { events } = yield* SouffleurLog
 *   yield* Stream.runForEach(events({ project: "/srv/job" }), ({ event }) => Console.log(describeEvent(event).text))
 * })
 * ```
 */
export class SouffleurLog extends Context.Service<
  SouffleurLog,
  {
    /**
     * Every watch of the log, oldest first. A watch that cannot be read hides no other. The list grows with the log.
     */
    readonly watches: Effect.Effect<ReadonlyArray<NamedWatch>, LogError>
    /** The watches that have not ended, and those that cannot be read, oldest first. */
    readonly living: Effect.Effect<ReadonlyArray<NamedWatch>, LogError>
    /** Returns the watches that ended last, newest first, `limit` at most. `count` is the number of all. */
    readonly ended: (
      limit: number,
      wanted?: (watch: NamedWatch) => boolean
    ) => Effect.Effect<{ readonly count: number; readonly last: ReadonlyArray<NamedWatch> }, LogError>
    /** Finds a watch by its id, by any session that it had, or as the newest of a folder. */
    readonly find: (name: WatchName) => Effect.Effect<NamedWatch, ReadFailed>
    /** Returns the state of a watch, now or as it was at a point. */
    readonly state: (name: WatchName, at?: Point) => Effect.Effect<Watch, ReadFailed>
    /** Follows the events after a revision, to the end of the watch. */
    readonly events: (name: WatchName, from?: After) => Stream.Stream<Recorded, ReadFailed>
    /** Returns the events after a revision, up to the newest or to another revision. */
    readonly history: (name: WatchName, range?: RevisionRange) => Effect.Effect<ReadonlyArray<Recorded>, ReadFailed>
    /** Explains the last decision at or before a revision. `None`: nothing is decided yet. */
    readonly why: (name: WatchName, options?: WhyOptions) => Effect.Effect<Option.Option<Why>, ReadFailed>
    /** Returns the last recovery of a watch, and the event that it followed from. `None`: there was none. */
    readonly lastRecovery: (name: WatchName) => Effect.Effect<Option.Option<LastRecovery>, ReadFailed>
    /** Follows the events of every watch in the order in which they happened, without an end. */
    readonly eventsOfAll: Stream.Stream<Recorded, LogError>
    /** Streams the events of every watch so far, in the order in which they happened. */
    readonly historyOfAll: Stream.Stream<Recorded, LogError>

    /** Every run of a plan, oldest first. An unreadable run hides no other. */
    readonly plans: Effect.Effect<ReadonlyArray<NamedRun>, LogError>
    /** Finds a run by its id, or as the newest of a folder. */
    readonly findPlan: (name: PlanName) => Effect.Effect<NamedRun, PlanReadFailed>
    /** Returns the state of a run, now or as it was at a point. */
    readonly planState: (name: PlanName, at?: Point) => Effect.Effect<Run, PlanReadFailed>
    /** Follows the events of a run after a revision, without an end, because a plan may get more tasks. */
    readonly planEvents: (name: PlanName, from?: After) => Stream.Stream<RecordedAs<RunEvent>, PlanReadFailed>
    /** Returns the events of a run after a revision. */
    readonly planHistory: (
      name: PlanName,
      from?: After
    ) => Effect.Effect<ReadonlyArray<RecordedAs<RunEvent>>, PlanReadFailed>
    /** Explains the last decision of a run at or before a revision. `None`: nothing is decided yet. */
    readonly planWhy: (name: PlanName, options?: WhyOptions) => Effect.Effect<Option.Option<PlanWhy>, PlanReadFailed>
  }
>()("@souffleur/embed/SouffleurLog") {
  /** Reads the logs in the context. */
  static readonly layer: Layer.Layer<SouffleurLog, never, EventLog | RunLog> = Layer.effect(
    SouffleurLog,
    makeSouffleurLog
  )
}
