import type { Notice } from "@souffleur/process"
import { type Run, taskOf } from "../run/Run.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { describeRunEvent, type RunNoticeKind } from "./DescribeRun.ts"
import { workProblemsOf } from "./WorkProblem.ts"

export type RunNotice = Notice<RunNoticeKind>

const answer = (what: string) => `Answer with: souffleur conduct answer ${what}--retry, or --skip`
const answerTask = (id: string) => answer(`${id} "what to do", or `)

/** Cuts a text to 1,500 UTF-16 units. A notice has 2,000, and what to do about it takes the rest. */
const bounded = (text: string) => (text.length > 1500 ? `${text.slice(0, 1500)}…` : text)

/** Outcomes of an agent. Any of them shows that the service serves again. */
const outcomes: ReadonlySet<RunEvent["_tag"]> = new Set([
  "ImplementationCompleted",
  "ImplementationBlocked",
  "ImplementationFailed",
  "ReviewApproved",
  "ReviewRejected",
  "ReviewFailed"
])

/** Whether an event begins or ends an episode, or belongs to none. */
const isNews = (event: RunEvent, before: Run): boolean => {
  switch (event._tag) {
    case "RunResumed":
      return before.paused !== null
    // A plan that has more to do meanwhile is not at its end.
    case "RunFinished":
      return before.phase !== "implementation"
    case "TrustGiven":
      return before.overreach !== undefined
    case "AgentLimited":
      return before.waits === 0
    default:
      return true
  }
}

/** Returns the description, and what a person does about it. */
const textOf = (event: RunEvent, before: Run, text: string): string => {
  switch (event._tag) {
    case "TaskEscalated": {
      const task = taskOf(before, event.taskId)
      const wrong = task === undefined ? [] : workProblemsOf(task, event.reason)
      return `${bounded([text, ...wrong].join(" "))} ${answerTask(event.taskId)}`
    }
    case "ProgressImported":
      return `${bounded(text)} ${answerTask(event.tasks.find(({ status }) => status === "escalated")?.id ?? "")}`
    case "RunFinished":
      if (event.finishing === "failed") return `${bounded(text)} ${answer("--finishing ")}`
      return `${text} ${before.summary?.completed ?? 0} tasks are done, ${before.summary?.skipped ?? 0} skipped.`
    default:
      return text
  }
}

/**
 * Returns the notice of an event. An escalation and a pause have one when they begin and one when they are over. The
 * run's end has one. A wait for the service has one, until an agent has an outcome again. `before`: the run up to that
 * event. `undefined`: there is no notice.
 */
export const runNoticeOf = (event: RunEvent, before: Run): RunNotice | undefined => {
  if (before.waits > 0 && outcomes.has(event._tag)) return { kind: "cleared", text: "The wait is over." }
  const { notice: kind, text } = describeRunEvent(event)
  return kind === undefined || !isNews(event, before) ? undefined : { kind, text: textOf(event, before, text) }
}
