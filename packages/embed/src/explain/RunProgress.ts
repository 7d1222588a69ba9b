import { assignmentOf, evolveRun, initialRun, type Run, type RunEvent, taskOf } from "@souffleur/plan"
import { Words } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { Stream } from "effect"

/**
 * Returns how far a run is with an event, and how long that took. The event itself does not hold this. `before`: the
 * run before the event.
 */
export const progressSuffix = (event: RunEvent, before: Run): string => {
  const [all, done] = [before.tasks.length, before.tasks.filter(({ status }) => status === "completed").length]
  switch (event._tag) {
    case "TaskStarted":
      return ` (${done + before.current.length + 1} of ${all}: ${taskOf(before, event.taskId)?.title ?? ""})`
    case "TaskCompleted": {
      const began = taskOf(before, event.taskId)?.startedAt ?? event.at
      return ` (${done + 1} of ${all}, after ${Words.duration(event.at - began)})`
    }
    case "ImplementationCompleted":
    case "ImplementationBlocked":
    case "ImplementationFailed":
    case "ReviewApproved":
    case "ReviewRejected":
    case "ReviewFailed": {
      const launch = assignmentOf(before, event.token)?.launch ?? null
      return launch === null ? "" : ` (after ${Words.duration(event.at - launch.at)})`
    }
    default:
      return ""
  }
}

/** Pairs each event of a run, from its first on, with the progress of the run, and with the run before it. */
export const withProgress = <E, R>(events: Stream.Stream<RecordedAs<RunEvent>, E, R>) =>
  events.pipe(
    Stream.mapAccum(
      () => initialRun,
      (run, recorded) =>
        [
          evolveRun(run, recorded.event),
          [{ recorded, before: run, progress: progressSuffix(recorded.event, run) }]
        ] as const
    )
  )
