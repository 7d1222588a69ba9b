import { iso, overreachInWords, withdrawnInWords } from "@souffleur/domain"
import { type Notice } from "@souffleur/process"
import { grievancesOf } from "./Grievance.ts"
import { pauseInWords } from "../decide/Pause.ts"
import { type Run, taskOf } from "../run/Run.ts"
import type { RunEvent } from "../run/RunEvent.ts"

export type RunNotice = Notice<"escalated" | "paused" | "finished" | "usage_limit" | "outage" | "untrusted_config" | "cleared">

const answer = (task: string) => `: souffleur conduct answer ${task} "what to do", or --retry, or --skip`

/** Room is left for what to do about it: a notice has 2,000 UTF-16 units. */
const bounded = (text: string) => (text.length > 1500 ? `${text.slice(0, 1500)}…` : text)

const grieved = ({ cause, taskId }: Extract<RunEvent, { readonly _tag: "TaskEscalated" }>, before: Run) => {
  const task = taskOf(before, taskId)
  return task === undefined ? [] : grievancesOf(task, cause)
}

const inOrder = "git is in order again"
const resumedAfter = {
  conflict: inOrder,
  dirty: inOrder,
  history: inOrder,
  "work lost": "that work is back, or answered for",
  "not gone": "that agent is gone",
  failed: "that is put right, and the run goes on"
} as const

/**
 * What a person is told of a run, and comms: an escalation and a pause when they begin and when they are over, the run's end,
 * and a wait for the service once, until an agent came to something again.
 * `before`: the run up to that event.
 */
export const runNoticeOf = (event: RunEvent, before: Run): RunNotice | undefined => {
  switch (event._tag) {
    case "TaskEscalated":
      return {
        kind: "escalated",
        text: `task ${event.taskId} needs you (${event.cause}): ${bounded([event.reason, ...grieved(event, before)].join("; "))}${answer(event.taskId)}`
      }
    case "ProgressImported": {
      const task = event.tasks.find(({ status }) => status === "escalated")
      return task === undefined
        ? undefined
        : {
            kind: "escalated",
            text: `task ${task.id} needs you${task.escalation === undefined ? ": it was escalated before this run" : ` (${task.escalation.cause}): ${bounded(task.escalation.reason)}`}${answer(task.id)}`
          }
    }
    case "TaskAnswered":
      return { kind: "cleared", text: `task ${event.taskId} was answered: ${event.answer}` }
    case "RunPaused":
      return { kind: "paused", text: `paused: ${pauseInWords(event)}` }
    case "RunResumed":
      return before.paused === null ? undefined : { kind: "cleared", text: resumedAfter[before.paused.cause] }
    case "RunFinished":
      if (before.phase === "implementation") return undefined
      return {
        kind: "finished",
        text:
          event.finishing === "failed"
            ? `every task is complete, and the finishing step failed: ${event.detail}: souffleur conduct answer --finishing --retry, or --skip`
            : `every task is complete: ${before.summary?.completed ?? 0} done, ${before.summary?.skipped ?? 0} skipped`
      }
    case "FinishingAnswered":
      return { kind: "cleared", text: `the finishing step was answered: ${event.answer}` }
    case "ConfigOverreached":
      return { kind: "untrusted_config", text: overreachInWords(event) }
    case "ConfigWithdrawn":
      return { kind: "cleared", text: withdrawnInWords }
    case "TrustGiven":
      return before.overreach === undefined ? undefined : { kind: "cleared", text: withdrawnInWords }
    case "AgentLimited":
      return before.waits > 0
        ? undefined
        : { kind: event.kind === "outage" ? "outage" : "usage_limit", text: `waiting until ${iso(event.until)}` }
    case "ImplementationCompleted":
    case "ImplementationBlocked":
    case "ImplementationFailed":
    case "ReviewApproved":
    case "ReviewRejected":
    case "ReviewFailed":
      return before.waits === 0 ? undefined : { kind: "cleared", text: "the wait is over" }
    default:
      return undefined
  }
}
