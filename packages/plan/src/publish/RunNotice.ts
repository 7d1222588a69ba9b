import { type Choice, type StateWord, Words, type Zone } from "@souffleur/domain"
import type { Notice } from "@souffleur/process"
import { needsPerson } from "../decide/RunStep.ts"
import { type Run, taskOf } from "../run/Run.ts"
import { isPersons, nothingUsed, sumUsed } from "../run/RunFields.ts"
import type { RunEvent } from "../run/RunEvent.ts"
import { describeRunEvent, type RunNoticeKind, usedInWords } from "./DescribeRun.ts"
import { workProblemsOf } from "./WorkProblem.ts"

/** A notice of a run. */
export type RunNotice = Notice<RunNoticeKind>

const answer = (what: string) => `souffleur conduct answer ${what}--retry, or --skip`
const answerTask = (id: string) => answer(`${id} "what to do", or `)

/** Cuts a text to 1,500 UTF-16 units. A message in comms then has room for what to do about it. */
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

/** Returns whether an event begins or ends an episode, or belongs to none. */
const movesEpisode = (event: RunEvent, before: Run): boolean => {
  switch (event._tag) {
    case "RunResumed":
      return before.paused !== null
    case "PlanRevised":
      return before.paused?.reason === "plan"
    // A plan that has more to do meanwhile is not at its end.
    case "RunFinished":
      return before.phase !== "implementation"
    case "TrustGiven":
      return before.overreach !== undefined
    case "AgentReplaced":
      return before.away[event.role] === undefined
    case "AgentLimited":
      return (isPersons(event.kind) ? before.refusals : before.waits) === 0
    default:
      return true
  }
}

/** Returns the command that answers an event; `undefined`: it asks for no answer. */
export const answerTo = (event: RunEvent): string | undefined => {
  switch (event._tag) {
    case "TaskEscalated":
      return answerTask(event.taskId)
    case "ProgressImported":
      return answerTask(event.tasks.find(({ status }) => status === "escalated")?.id ?? "")
    case "RunFinished":
      return event.finishing === "failed" ? answer("--finishing ") : undefined
    case "RunPaused":
      return event.reason === "plan"
        ? "souffleur conduct answer --plan"
        : event.reason === "ceiling"
          ? "souffleur conduct answer --allow"
          : event.reason === "red"
            ? "souffleur conduct answer --allow-red"
            : undefined
    case "AgentLimited":
      return isPersons(event.kind) ? "souffleur go" : undefined
    default:
      return undefined
  }
}

/** Returns what a person may answer an event from a phone, the safest first. None of it raises anything. */
export const runChoices = (event: RunEvent): ReadonlyArray<Choice> => {
  const hold = { word: "hold", task: null } as const
  if (event._tag === "TaskEscalated")
    return [hold, { word: "retry", task: event.taskId }, { word: "skip", task: event.taskId }]
  return event._tag === "AgentLimited" && isPersons(event.kind) ? [hold, { word: "go", task: null }] : []
}

/** Returns the text of a notice, which is the description's, and at the run's end says how much is done. */
const textOf = (event: RunEvent, { dropped, summary, tasks }: Run, text: string): string => {
  if (event._tag !== "RunFinished" || event.finishing === "failed") return text
  const completed = summary?.completed ?? 0
  const unverified = tasks.filter(({ final, skipped, verified }) => !final && !skipped && !verified).length
  const minor = tasks.flatMap((task) => task.minor).length
  const used = tasks.map((task) => task.used).reduce(sumUsed, nothingUsed)
  return [
    `${text} ${Words.many(completed, "task")} ${completed === 1 ? "is" : "are"} done`,
    ...(unverified === 0 ? [] : [`${unverified} of them unverified`]),
    `${summary?.skipped ?? 0} skipped`,
    ...(dropped.length === 0 ? [] : [`${dropped.length} dropped`]),
    ...(minor === 0 ? [] : [Words.many(minor, "minor finding")]),
    ...(used.tokens + used.dollars === 0 ? [] : [`${usedInWords(used)} used`])
  ]
    .join(", ")
    .concat(".")
}

/** Returns the words of agents on an event: the description's, and what is wrong with a task. */
const wordsOf = (event: RunEvent, before: Run, words: string): string => {
  const task = event._tag === "TaskEscalated" ? taskOf(before, event.taskId) : undefined
  const wrong = event._tag === "TaskEscalated" && task !== undefined ? workProblemsOf(task, event.reason) : []
  return bounded([Words.sentence(words), ...wrong].join(" "))
}

/** The state of a run after each kind. */
const states: Readonly<Record<RunNoticeKind, StateWord>> = {
  escalated: "needs you",
  paused: "needs you",
  waiting_for_a_person: "needs you",
  finished: "ended",
  usage_limit: "working",
  outage: "working",
  untrusted_config: "needs you",
  warning: "working",
  cleared: "working"
}

/**
 * Returns the notice of an event. An escalation and a pause have one when they begin and one when they are over. The
 * run's end has one. A wait for the service has one, until an agent has an outcome again. `before`: the run up to that
 * event. `undefined`: there is no notice.
 */
export const runNoticeOf = (event: RunEvent, before: Run, zone?: Zone): RunNotice | undefined => {
  const next = answerTo(event) ?? "souffleur conduct status"
  if (before.wait === null && before.waits + before.refusals > 0 && outcomes.has(event._tag))
    return { kind: "cleared", state: "working", text: "The wait is over.", words: null, next }
  const { notice: kind, own, words } = describeRunEvent(event, zone)
  if (kind === undefined || !movesEpisode(event, before)) return undefined
  return {
    kind,
    state: kind === "warning" && needsPerson(before) ? "needs you" : states[kind],
    text: textOf(event, before, own),
    words: words && wordsOf(event, before, words),
    next
  }
}
