import { attempts, isSessionKnown, limitWait } from "@souffleur/domain"
import { type Decision, no, ok } from "@souffleur/eventlog"
import { type Run, type Task, taskOf, type Assignment } from "../run/Run.ts"
import { personRung, rejectionRung } from "../run/RunFields.ts"
import * as Event from "../run/RunEvent.ts"
import { standInFor } from "./AgentChoice.ts"
import { numbered } from "./Pause.ts"

/** The outcome of an assignment: the agent's verdict, checked against git and its session. */
export type AgentReport =
  /** `made`: the commits that its implementer made. */
  | {
      readonly _tag: "Completed"
      readonly head: string
      readonly work: Event.Work
      readonly made: ReadonlyArray<string>
    }
  | { readonly _tag: "Blocked"; readonly message: string }
  | { readonly _tag: "Approved"; readonly summary: string; readonly minor: ReadonlyArray<string> }
  | {
      readonly _tag: "Rejected"
      readonly feedback: Omit<Event.Feedback, "attempt">
      readonly minor: ReadonlyArray<string>
    }
  | {
      readonly _tag: "Failed"
      readonly reason: Event.Failing
      readonly message: string
      readonly hint?: string
      /** It was cut off: the results of its session's tools by then. Absent: it ended as it meant to. */
      readonly cutOffAfter?: number
      /** The service refuses its model. */
      readonly refused?: "model"
    }
  /** A person stopped the run, and it was ended for that. */
  | { readonly _tag: "Stopped" }
  /** Its last turn did something, and left the rest undone: `message` says what, as a clause. */
  | { readonly _tag: "Unfinished"; readonly message: string }
  /** The service refused the agent. `resetsAt`: epoch ms; `null`: unknown. */
  | { readonly _tag: "Limited"; readonly kind: Event.LimitKind; readonly resetsAt: number | null }

const escalated = (at: number, taskId: string, reason: Event.EscalationReason, message: string) =>
  Event.TaskEscalated.make({ at, taskId, reason, message })

/** Returns the minor findings that no earlier review of a task has, each once. */
const unparked = (task: Task, minor: ReadonlyArray<string>) =>
  [...new Set(minor)].filter((finding) => !task.minor.includes(finding))

/**
 * Records a rejection. The first asks for the same implementer, the second for a fresh one (both in `evolve`). The
 * third asks for a person, and of a final review the second (spec: behaviour#ladder, behaviour#final-review).
 */
const rejected = (
  task: Task,
  at: number,
  assignment: { readonly token: string; readonly taskId: string },
  { feedback, minor }: Pick<typeof Event.ReviewRejected.Type, "feedback" | "minor">
): Decision<Event.RunEvent> =>
  ok(
    Event.ReviewRejected.make({ at, ...assignment, feedback, minor: unparked(task, minor) }),
    ...(task.rejections + 1 < rejectionRung(task)
      ? []
      : [escalated(at, task.id, "rejections", `rejected ${task.rejections + 1} times: ${feedback.summary}`)])
  )

interface Asked {
  readonly token: string
  readonly taskId: string
  readonly role: Event.AgentRole
}

type Failed = Extract<AgentReport, { readonly _tag: "Failed" }>

const cameToNothing = (at: number, { role, ...assignment }: Asked, { reason, message, hint }: Omit<Failed, "_tag">) =>
  role === "implementer"
    ? Event.ImplementationFailed.make({ at, ...assignment, reason, message, hint: hint ?? null })
    : Event.ReviewFailed.make({ at, ...assignment, reason, message })

/** Closes any assignment on a task that the plan no longer has. */
const dropped = (at: number, assignment: Asked): Decision<Event.RunEvent> =>
  ok(cameToNothing(at, assignment, { reason: "dropped", message: "the task is no longer in the plan" }))

const failed = (task: Task, at: number, assignment: Asked, failure: Failed): Decision<Event.RunEvent> => {
  const { role } = assignment
  const { reason, message } = failure
  const before = role === "implementer" ? task.failures : task.reviewFailures
  const count = before + (reason === "lost" ? 0 : 1)
  return ok(
    cameToNothing(at, assignment, failure),
    ...(count < personRung
      ? []
      : [
          escalated(
            at,
            task.id,
            `${role === "implementer" ? "implementer" : "reviewer"} failures`,
            `${count} assignments in a row came to nothing; the last: ${message}`
          )
        ])
  )
}

/** An agent that dies within this time of its launch, ms, has made no progress, whatever it did. */
const quick = 600_000

/**
 * Returns the deaths after which the session of an agent that was cut off goes on (spec: behaviour#nudges).
 * `undefined`: it did nothing, or this is the third death in a row without progress.
 */
const diedOf = (
  { died, launch, sessionId }: Assignment,
  { cutOffAfter: results = 0 }: Failed,
  at: number
): Event.Died | undefined => {
  if (results === 0 || !isSessionKnown(sessionId)) return undefined
  const gotOn = died === null || (results > died.results && at - (launch?.at ?? at) > quick)
  const deaths = gotOn ? 1 : died.deaths + 1
  return deaths < attempts ? { deaths, results } : undefined
}

interface ReportTime {
  /** Epoch ms. */
  readonly now: number
  /** True if a person is there. */
  readonly attended?: boolean
  /** The time that is added to a stated end of a limit, ms. */
  readonly margin?: number
}

/** How long a refused login or account is left alone, ms: nothing tells that the service takes it again. */
const trial = 3_600_000

/** Records that another agent is asked in place of a refused one; `undefined`: the plan has none. */
const replaced = (
  run: Run,
  assignment: Assignment,
  { kind, resetsAt }: { readonly kind: Event.LimitKind | "model"; readonly resetsAt: number | null },
  { margin, now: at }: ReportTime
) => {
  const { agent, role, taskId, token } = assignment
  const by = standInFor(run, assignment, kind)?.agent
  if (kind === "outage" || role === "finisher" || by === undefined) return undefined
  const wait =
    kind === "usage-limit" ? limitWait(at, 1, { kind, resetsAt }, margin) : { resetsAt: null, until: at + trial }
  return ok(Event.AgentReplaced.make({ at, token, taskId, role, kind, agent, by, ...wait }))
}

/**
 * Records a refusal of the service, by the rule of a watch (spec: behaviour#limits-in-a-run). A fallback is not waited
 * for longer than the chosen agent.
 */
const limited = (
  { away, wait: before, waits }: Run,
  { choice, role, taskId, token }: Assignment,
  { kind, resetsAt }: Extract<AgentReport, { readonly _tag: "Limited" }>,
  { margin, now: at }: ReportTime
) => {
  const wait = Event.isPersons(kind)
    ? { resetsAt: null, until: at + trial }
    : limitWait(at, Math.max(0, before === null ? waits : waits - 1), { kind, resetsAt }, margin)
  const first = role === "finisher" || choice.standIn === undefined ? Infinity : (away[role]?.until ?? at)
  const until = Math.min(wait.until, Math.max(at, first))
  return ok(Event.AgentLimited.make({ at, token, taskId, kind, ...wait, until }))
}

/** Records what is unclear in the plan. A person who is there is waited for (spec: behaviour#questions). */
const questioned = (token: string, report: AgentReport, { attended = false, now: at }: ReportTime) => {
  const questions = report._tag === "Rejected" ? report.feedback.issues : []
  const message = report._tag === "Failed" ? report.message : report._tag === "Stopped" ? "a person stopped it" : null
  return ok(
    Event.PlanQuestioned.make({ at, token, questions, message }),
    ...(attended && questions.length > 0
      ? [Event.RunPaused.make({ at, reason: "questions", files: [], message: numbered(questions) })]
      : [])
  )
}

/** Decides what follows from a report: the ladder (spec: behaviour#ladder), a wait, or a failed assignment. */
export const decideReport = (
  run: Run,
  assignment: Assignment,
  report: AgentReport,
  time: ReportTime
): Decision<Event.RunEvent> => {
  const at = time.now
  const task = taskOf(run, assignment.taskId)
  if (task?.dropped) return dropped(at, { token: assignment.token, taskId: task.id, role: assignment.role })
  if (report._tag === "Limited")
    return replaced(run, assignment, report, time) ?? limited(run, assignment, report, time)
  // A person has answered for its task meanwhile, which begins again, or is skipped.
  if (task !== undefined && task.status !== "in_progress" && report._tag !== "Stopped")
    return ok(
      cameToNothing(
        at,
        { token: assignment.token, taskId: task.id, role: assignment.role },
        { reason: "lost", message: "its task was answered for while it was at work" }
      )
    )
  const other =
    report._tag === "Failed" && report.refused !== undefined
      ? replaced(run, assignment, { kind: report.refused, resetsAt: null }, time)
      : undefined
  if (other !== undefined) return other
  if (report._tag === "Unfinished")
    return assignment.nudge === null && isSessionKnown(assignment.sessionId) && task !== undefined
      ? ok(Event.AgentNudged.make({ at, token: assignment.token, taskId: task.id, message: report.message }))
      : no("never", "its session goes on once an assignment")
  if (assignment.role === "finisher") {
    // Half of it may be done.
    if (report._tag === "Stopped")
      return ok(Event.RunFinished.make({ at, finishing: "failed", message: "a person stopped it" }))
    return report._tag === "Failed"
      ? ok(Event.RunFinished.make({ at, finishing: "failed", message: report.message }))
      : ok(Event.RunFinished.make({ at, finishing: "done", message: "" }))
  }
  if (assignment.taskId === null) return questioned(assignment.token, report, time)
  if (task === undefined) return no("never", `the run has no task ${assignment.taskId}`)
  const of = { token: assignment.token, taskId: task.id }
  if (report._tag === "Stopped") return ok(Event.AgentStopped.make({ at, ...of }))
  const fits =
    report._tag === "Failed" ||
    (assignment.role === "implementer") === (report._tag === "Completed" || report._tag === "Blocked")
  if (!fits) return no("never", `a verdict of this kind is not the ${assignment.role}'s`)
  switch (report._tag) {
    case "Completed":
      return ok(Event.ImplementationCompleted.make({ at, ...of, head: report.head, made: report.made, ...report.work }))
    case "Blocked":
      return ok(
        Event.ImplementationBlocked.make({ at, ...of, message: report.message }),
        escalated(at, task.id, "blocked", report.message)
      )
    case "Approved":
      return ok(
        Event.ReviewApproved.make({ at, ...of, summary: report.summary, minor: unparked(task, report.minor) }),
        // In a tree of its own it is complete once it has landed.
        ...(task.tree === null ? [Event.TaskCompleted.make({ at, taskId: task.id, ...task.work })] : [])
      )
    case "Rejected":
      return rejected(task, at, of, {
        feedback: { attempt: assignment.attempt, ...report.feedback },
        minor: report.minor
      })
    case "Failed": {
      const died = diedOf(assignment, report, at)
      return died === undefined
        ? failed(task, at, { ...of, role: assignment.role }, report)
        : ok(Event.AgentNudged.make({ at, ...of, message: report.message, died }))
    }
  }
}
