import { type CommsLink, type CommsUnavailable, Settings } from "@souffleur/domain"
import { Beats } from "@souffleur/eventlog"
import { Clock, Duration, Effect, Option, Schedule, Stream } from "effect"
import { initialRun, isOver, needsPerson, type Run, type Task } from "../run/Run.ts"
import { evolveRun } from "../run/RunEvolution.ts"
import { RunLog, streamOf } from "../run/RunLog.ts"

/**
 * A task's state in the words that comms allows (spec: behaviour#run-in-comms); a task that has not begun has no row.
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

const conductorState = (run: Run): string => (isOver(run) ? "complete" : needsPerson(run) ? "error" : "working")

/** Comms is others': out for a while, it is told as soon as it is back. */
const untilBack = Schedule.spaced("1 second")
export const patiently = <A>(effect: Effect.Effect<A, CommsUnavailable>) =>
  Effect.orDie(Effect.retry(effect, { schedule: untilBack }))

/** `begun`: tasks that had their turn; one that the plan has lost since is nobody's any more. */
const tell = Effect.fnUntraced(function* <R>(
  { begun, run }: { readonly run: Run; readonly begun: ReadonlySet<string> },
  comms: CommsLink["Service"],
  told: Map<string, string>,
  isOthers: Effect.Effect<boolean, never, R>
) {
  const at = yield* Clock.currentTimeMillis
  const states = new Map([...begun].map((id): [string, string | undefined] => [id, "exited"]))
  for (const task of run.tasks) states.set(task.id, stateOf(task))
  const rows = [...states].flatMap(([id, state]) =>
    state === undefined || told.get(id) === state ? [] : [{ id, state }]
  )
  for (const row of rows) {
    yield* patiently(comms.setTask(row, at))
    told.set(row.id, row.state)
  }
  // After its tasks: who sees the Conductor complete sees them complete.
  const state = conductorState(run)
  if (told.get("task-00") === state || (yield* isOthers)) return
  yield* patiently(comms.setState(state, at))
  told.set("task-00", state)
})

/**
 * What others see of a run until its conductor leaves after revision `from`: its beat in our own store, and, where
 * there is comms, `task-00` with its heartbeat and a row for each task that has begun (spec: behaviour#run-in-comms).
 * Told anew by each conductor, so that nothing is lost with one. While `isOthers`, `task-00` is the row of a Conductor
 * that somebody watches: to beat there, or to call it complete, would be to speak for it.
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
  // Four beats in the time after which a watcher would miss one, and at most as often as a watcher beats.
  const every = Duration.min(Duration.seconds(60), Duration.times(heartbeatStaleAfter, 0.25))
  const beat = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    yield* beats.beat(streamOf(id), { by: "conductor", at })
    if (Option.isSome(comms) && !(yield* isOthers)) yield* Effect.ignore(comms.value.beat(at))
  })
  const beating = Effect.repeat(beat, Schedule.spaced(every))
  const told = new Map<string, string>()
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
      Option.match(comms, { onNone: () => Effect.void, onSome: (link) => tell({ run, begun }, link, told, isOthers) })
    ),
    Stream.takeUntil(({ event }) => event._tag === "RunLeft"),
    Stream.runDrain
  )
  // A heart that stops is no less told than a tongue.
  yield* Effect.raceFirst(beating, telling)
})
