import { type CommsLink, type CommsUnavailable, Settings } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Option, Schedule, Stream } from "effect"
import { needsPerson } from "../decide/RunStep.ts"
import { initialRun, isRunOver, type Run, type Task } from "../run/Run.ts"
import { evolveRun } from "../run/RunEvolution.ts"
import { RunLog, streamOf } from "../run/RunLog.ts"

/**
 * Returns a task's state in the words that comms allows (spec: behaviour#run-in-comms). A task that has not begun has
 * no row, and no state.
 */
const stateOf = (task: Task): string | undefined => {
  switch (task.status) {
    case "pending":
      return undefined
    case "completed":
      return "complete"
    case "escalated":
      return "error"
    case "in_progress":
      return task.implementation !== null ? "needs_review" : task.feedback.length > 0 ? "review_failed" : "working"
  }
}

const conductorState = (run: Run): string => (isRunOver(run) ? "complete" : needsPerson(run) ? "error" : "working")

const retrySchedule = Schedule.spaced("1 second")

/** Tries a write to comms again until it succeeds: comms belongs to others, and may be out. */
export const untilWritten = <A>(effect: Effect.Effect<A, CommsUnavailable>) =>
  Effect.orDie(Effect.retry(effect, { schedule: retrySchedule }))

/**
 * Writes the rows that have changed. `begun`: tasks that have begun. If the plan has lost such a task since, its row
 * says `exited`.
 */
const writeRows = Effect.fnUntraced(function* <R>(
  { begun, run }: { readonly run: Run; readonly begun: ReadonlySet<string> },
  comms: CommsLink["Service"],
  written: Map<string, string>,
  isOthers: Effect.Effect<boolean, never, R>
) {
  const at = yield* Clock.currentTimeMillis
  const states = new Map([...begun].map((id): [string, string | undefined] => [id, "exited"]))
  for (const task of run.tasks) states.set(task.id, stateOf(task))
  const rows = [...states].flatMap(([id, state]) =>
    state === undefined || written.get(id) === state ? [] : [{ id, state }]
  )
  for (const row of rows) {
    yield* untilWritten(comms.setTask(row, at))
    written.set(row.id, row.state)
  }
  // The Conductor's row comes last: a reader that sees it complete sees its tasks complete.
  const state = conductorState(run)
  if (written.get("task-00") === state || (yield* isOthers)) return
  yield* untilWritten(comms.setState(state, at))
  written.set("task-00", state)
})

/**
 * Shows a run to others until its conductor leaves after revision `from`. It beats in souffleur's own store. With comms
 * it keeps `task-00` with its heartbeat, and a row for each task that has begun (spec: behaviour#run-in-comms). Each
 * conductor writes all rows again, so that none is lost with a conductor. While `isOthers`, `task-00` belongs to a
 * watched Conductor, and gets neither a beat nor a state.
 */
export const projectRun = Effect.fn("projectRun")(function* <R = never>(
  id: string,
  from: number,
  comms: Option.Option<CommsLink["Service"]>,
  isOthers: Effect.Effect<boolean, never, R> = Effect.succeed(false)
) {
  const log = yield* RunLog
  const beats = yield* Beats
  const { heartbeatStaleAfter } = yield* Settings
  // Four beats fit into the time after which a watcher would miss one. A watcher beats no less often.
  const beatInterval = Duration.min(Duration.seconds(60), Duration.times(heartbeatStaleAfter, 0.25))
  const beat = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    yield* beats.beat(streamOf(id), { by: "conductor", at })
    if (Option.isSome(comms) && !(yield* isOthers)) yield* Effect.ignore(comms.value.beat(at))
  })
  const beating = Effect.repeat(beat, Schedule.spaced(beatInterval))
  const written = new Map<string, string>()
  const known = yield* log.read(streamOf(id), 0)
  const begun = new Set(
    known.flatMap(({ event, revision }) => (event._tag === "TaskStarted" && revision <= from ? [event.taskId] : []))
  )
  const before = known.reduce((run, { event, revision }) => (revision > from ? run : evolveRun(run, event)), initialRun)
  const telling = log.changes(streamOf(id), from).pipe(
    Stream.mapAccum(
      () => before,
      (run, { event }) => {
        const after = evolveRun(run, event)
        return [after, [{ run: after, event }]] as const
      }
    ),
    Stream.tap(({ run }) =>
      Option.match(comms, {
        onNone: () => Effect.void,
        onSome: (link) => writeRows({ run, begun }, link, written, isOthers)
      })
    ),
    Stream.takeUntil(({ event }) => event._tag === "RunLeft"),
    Stream.runDrain
  )
  // Neither continues without the other: when the beat ends, so do the rows.
  yield* Effect.raceFirst(beating, telling)
})
