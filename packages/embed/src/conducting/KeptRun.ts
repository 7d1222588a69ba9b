import { ceilingNow, type CommsLink, type EventLog, Launcher, newTrace } from "@souffleur/domain"
import type { LogError, RecordedAs } from "@souffleur/eventlog"
import {
  type Audience,
  type Chosen,
  evolveRun,
  hearRun,
  isRunOver,
  loadRun,
  needsPerson,
  outcry,
  ownRun,
  projectRun,
  publishRun,
  type Run,
  type RunEvent,
  RunLog,
  RunMetrics,
  type RunRef,
  streamOf
} from "@souffleur/plan"
import { attendedHere } from "@souffleur/supervisor"
import { type Cause, Effect, Exit, Fiber, type Option, Ref, Scope, Stream } from "effect"
import { withProgress } from "../explain/RunProgress.ts"
import { runNeeds } from "../explain/RunSentence.ts"
import { keptAwake } from "../keeping/Awake.ts"
import { drainTimeout } from "../keeping/Undelivered.ts"
import { logProblem } from "../keeping/LogProblem.ts"

/** A run that is conducted in a scope. When the scope closes its agent works on, and the same plan resumes the run. */
export interface RunningPlan<E = LogError> {
  readonly id: string
  /** The revision at which this conductor took the run; 0 for a new one. */
  readonly from: number
  /** Reads the state from the log. */
  readonly state: Effect.Effect<Run, LogError>
  /** The events after `from`, as they are appended, until this conductor leaves. */
  readonly events: Stream.Stream<RecordedAs<RunEvent>, LogError>
  /**
   * Tells each event of `events` with the progress of the run, such as ` (2 of 3: Paint it)`, and with the run before
   * it. If `tell` dies, the telling starts again after the last told event, and is given up at the third death.
   */
  readonly narrate: (
    tell: (recorded: RecordedAs<RunEvent>, progress: string, before: Run) => Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Says what a person has to do before the run can continue, a line each. The last line is a command. */
  readonly needs: (run: Run) => ReadonlyArray<string>
  /** Waits until the run is over, or needs a person and does not wait for one, and returns it as it is then. */
  readonly awaitEnd: Effect.Effect<Run, E>
}

/** A run to conduct. */
export interface KeepRunOrder<E, R> {
  readonly id: string
  /** The revision at which the run is taken; 0 for a new one. */
  readonly from: number
  /** Its agents, which it keeps. */
  readonly chosen: Chosen
  readonly audience: Audience
  /** The rows of the run in comms. */
  readonly link: Option.Option<CommsLink["Service"]>
  /** True if the row `task-00` belongs to a watched Conductor. */
  readonly isOthers: Effect.Effect<boolean, never, EventLog>
  /** Conducts the owned run. */
  readonly conducting: (ref: RunRef) => Effect.Effect<unknown, E, R>
}

/** Streams the events of a run from its first on, until its conductor leaves after a revision. */
const owned = (log: RunLog["Service"], id: string, from: number) =>
  Stream.takeUntil(log.changes(streamOf(id), 0), ({ event, revision }) => event._tag === "RunLeft" && revision > from)

/** Tells whether a run goes on by itself, now and after each event. */
const goesOn = (log: RunLog["Service"], id: string, now: Run) => {
  const after = Stream.mapAccum(
    log.changes(streamOf(id), now.revision),
    () => now,
    (before, { event }) => {
      const run = evolveRun(before, event)
      return [run, [run]] as const
    }
  )
  return Stream.map(
    Stream.concat(Stream.succeed(now), after),
    (run) =>
      !isRunOver(run) && (run.assignments.length > 0 ? run.paused === null : !needsPerson(run) && run.held === null)
  )
}

const counted = Effect.fnUntraced(function* (id: string, from: Run) {
  const log = yield* RunLog
  yield* log.changes(streamOf(id), from.revision).pipe(
    Stream.mapAccum(
      () => from,
      (before, { event }) => [evolveRun(before, event), [{ before, event }]] as const
    ),
    Stream.runForEach(({ before, event }) => RunMetrics.count(event, before))
  )
})

/** Tells the events after the last told one, each with the progress. */
const narration = Effect.fnUntraced(function* (
  { from, id }: { readonly id: string; readonly from: number },
  narrated: Ref.Ref<number>,
  tell: Parameters<RunningPlan["narrate"]>[0]
) {
  const last = yield* Ref.get(narrated)
  yield* withProgress(owned(yield* RunLog, id, from)).pipe(
    Stream.filter(({ recorded }) => recorded.revision > last),
    Stream.tap(({ before, progress, recorded }) => tell(recorded, progress, before)),
    Stream.runForEach(({ recorded }) => Ref.set(narrated, recorded.revision))
  )
})

/**
 * Owns a run and conducts it in a fiber of this scope, with everything that reports on it. What the run holds is
 * released when it ends or the scope closes. Fails with `AlreadyWatched` while another souffleur conducts this run or
 * another one of its work tree.
 */
export const keepRun = Effect.fn("keepRun")(function* <E extends Error, R>(order: KeepRunOrder<E, R>) {
  const { audience, chosen, conducting, from, id, isOthers, link } = order
  const log = yield* RunLog
  const { bound, outputPath } = yield* Launcher
  const context = yield* Effect.context<RunLog>()
  const outer = yield* Effect.scope
  const inner = yield* Scope.fork(outer)
  /** The part of the scope that owns the run. Its end is the run's last event, which ends all that reports. */
  const owning = yield* Scope.fork(inner)
  const cry = (cause: Cause.Cause<Error>) => {
    const why = logProblem(cause)
    return why === undefined ? Effect.void : outcry(id, audience, why)
  }
  const begins = Effect.gen(function* () {
    const projection = yield* Effect.forkScoped(attendedHere("projection", projectRun(id, from, link, isOthers)))
    const telling = yield* Effect.forkScoped(attendedHere("publisher", publishRun(id, from, audience)))
    yield* Effect.forkScoped(attendedHere("listener of presses", hearRun(id, audience.project)))
    yield* Effect.forkScoped(attendedHere("bound of outputs", bound(`run-${id}-`)))
    const now = yield* loadRun(id)
    yield* Effect.forkScoped(attendedHere("counter", counted(id, now)))
    yield* Effect.forkScoped(attendedHere("keeper of the machine", keptAwake(goesOn(log, id, now))))
    yield* RunMetrics.live
    const ref = yield* Effect.provideService(ownRun(id, chosen), Scope.Scope, owning)
    yield* ceilingNow(ref.dispatch)
    return { ref, reports: [projection, telling] }
  })
  const { ref, reports } = yield* begins.pipe(
    Effect.tapCause(cry),
    Effect.provideService(Scope.Scope, inner),
    Effect.onError((cause) => Scope.close(inner, Exit.failCause(cause)))
  )
  const trace = yield* newTrace({})
  const fiber = yield* conducting(ref).pipe(
    Effect.withSpan("conducting", trace),
    Effect.onExit((exit) => Scope.close(owning, exit)),
    Effect.tapCause(cry),
    Effect.andThen(Effect.timeoutOption(Fiber.awaitAll(reports), drainTimeout)),
    Effect.andThen(loadRun(id)),
    Effect.onExit((exit) => Scope.close(inner, exit)),
    Effect.forkIn(outer)
  )
  return {
    id,
    from,
    state: Effect.provideContext(loadRun(id), context),
    events: Stream.filter(owned(log, id, from), ({ revision }) => revision > from),
    narrate: (tell: Parameters<RunningPlan["narrate"]>[0]) =>
      Effect.flatMap(Ref.make(from), (narrated) => attendedHere("narrator", narration(order, narrated, tell))).pipe(
        Effect.provideContext(context)
      ),
    needs: (run: Run) => runNeeds(id, run, outputPath),
    awaitEnd: Fiber.join(fiber)
  }
})
