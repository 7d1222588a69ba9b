import { verifiedWord } from "@souffleur/embed/internal"
import { plain, Words, type Zone } from "@souffleur/domain"
import {
  assignmentOf,
  describeRunEvent,
  refusalEnd,
  type Run,
  type RunEvent,
  taskOf,
  usedInWords
} from "@souffleur/plan"
import type { ScreenLine } from "../explain/ScreenLine.ts"

const { duration, many } = Words

/** UTF-16 units of a line. The log has the whole sentence. */
const maxLine = 500

/** Events that another line, or the summary at the end, tells as well. */
const plumbing: ReadonlySet<RunEvent["_tag"]> = new Set(["RunLeft", "RunVerified", "WorkVerified"])

/** Returns the place of a task in its plan, such as `7/30`. */
export const placeOf = ({ tasks }: Run, taskId: string): string =>
  `${tasks.findIndex(({ id }) => id === taskId) + 1}/${tasks.length}`

/** Says how long an agent took. */
const taken = ({ at, token }: { readonly at: number; readonly token: string }, before: Run): string => {
  const launch = assignmentOf(before, token)?.launch ?? null
  return launch === null ? "" : ` after ${duration(at - launch.at)}`
}

/** Says what a complete task took. */
const taskTook = ({ at, taskId }: Extract<RunEvent, { readonly _tag: "TaskCompleted" }>, before: Run): string => {
  const task = taskOf(before, taskId)
  if (task === undefined) return "done"
  return [
    `done, ${verifiedWord({ verified: task.implementation?.verified === true })}`,
    ...(task.startedAt === null ? [] : [`after ${duration(at - task.startedAt)}`]),
    ...(task.attempts > 1 ? [many(task.attempts, "attempt")] : []),
    ...(task.used.tokens + task.used.dollars === 0 ? [] : [usedInWords(task.used)])
  ].join(", ")
}

/**
 * Returns the line of an event on the screen of `conduct`. `undefined`: only `--verbose` shows the event. A task has a
 * line at its beginning and at its end; those between are set in. `before`: the run before the event.
 */
export const planLine = (event: RunEvent, before: Run, zone?: Zone): ScreenLine | undefined => {
  const { clause, severity } = describeRunEvent(event, zone)
  const line = (text: string): ScreenLine => ({ text: plain(text, maxLine), severity })
  const { current } = before
  // Where several tasks are at work, a line says of which it is.
  const of = current.length > 1 && "taskId" in event && typeof event.taskId === "string" ? `${event.taskId}: ` : ""
  const within = (text: string) => line(current.length === 0 ? text : `  ${of}${text}`)
  switch (event._tag) {
    case "TaskStarted":
      return line(`${placeOf(before, event.taskId)} ${event.taskId}: ${taskOf(before, event.taskId)?.title ?? clause}`)
    case "TaskCompleted":
      return line(`${placeOf(before, event.taskId)} ${event.taskId}: ${taskTook(event, before)}`)
    case "AgentAsked":
      // The line below shows who is at work.
      return event.role === "implementer" && event.attempt > 1 && event.nudge === null
        ? within(
            `attempt ${event.attempt}: ${event.resumed ? "the same implementer" : "a fresh implementer"}${event.choice?.model === undefined ? "" : `, ${event.choice.model}`}`
          )
        : undefined
    case "ImplementationCompleted":
      return within(
        `implemented${taken(event, before)}: ${many(event.commits.length, "commit")}, ${many(event.files.length, "file")}`
      )
    case "WorkRefused":
      return within(`refused by the gate: ${event.program} ${refusalEnd(event)}`)
    case "ReviewApproved":
      return within(`approved${taken(event, before)}: ${event.summary}`)
    case "ReviewRejected":
      return within(`rejected${taken(event, before)}: ${event.feedback.summary}`)
    case "RunFinished":
      return severity === "error" ? line(clause) : undefined
    default:
      return severity === "detail" || plumbing.has(event._tag) ? undefined : within(clause)
  }
}
