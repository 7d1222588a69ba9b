import {
  blockers,
  evolveRun,
  initialRun,
  isHeldUp,
  isRunOver,
  type Run,
  type RunEvent,
  type Task
} from "@souffleur/plan"
import type { RecordedAs } from "@souffleur/eventlog"
import { type Quiet, quietOf, type Stretch } from "./Stretch.ts"

/** One agent at work on a task, from the question for it to its outcome. */
export interface AgentStretch extends Stretch {
  readonly token: string
  /** `null`: it does the finishing step. */
  readonly taskId: string | null
  /** The program of the agent that was chosen for its role; `null`: the configured one, or the session's. */
  readonly agent: string | null
  /** True if that is the fallback of its role. */
  readonly standsIn: boolean
  /** The commit from which it begins, or which it reviews; `null`: there is none. */
  readonly head: string | null
  readonly role: Extract<RunEvent, { readonly _tag: "AgentAsked" }>["role"]
  readonly attempt: number
  readonly outcome: AgentOutcome | null
  /** The summary of a reviewer, or the reason of a failure; `null`: there is none. These are words of others. */
  readonly words: string | null
  /** The commits of an implementation, oldest first. */
  readonly commits: ReadonlyArray<string>
}

/** How an agent of a run ended. */
export type AgentOutcome =
  | "done"
  | "blocked"
  | "failed"
  | "approved"
  | "rejected"
  | "unfinished"
  | "limited"
  | "never ran"

/** What the gate of a task said of its work at a commit. */
export interface GateVerdict {
  readonly at: number
  readonly head: string
  /** Those that ended with 0, or the one that refused it, as lines. These are a plan's words. */
  readonly programs: ReadonlyArray<string>
  /** How the last program refused it; `null`: each ended with 0. */
  readonly refused: { readonly code: number | null } | null
}

/** A task of a run. `from` is `null` before it begins. */
export interface TaskStretch {
  readonly id: string
  readonly title: string
  readonly from: number | null
  readonly to: number | null
  readonly outcome: "completed" | "skipped" | "escalated" | null
  /** True if a program took its work. */
  readonly verified: boolean
  readonly agents: ReadonlyArray<AgentStretch>
  readonly verdicts: ReadonlyArray<GateVerdict>
  readonly commits: ReadonlyArray<string>
  /** The findings of its reviews that hold nothing up. These are words of others. */
  readonly minor: ReadonlyArray<string>
  /** By all of its agents: tokens, and hundredths of a dollar. */
  readonly used: Task["used"]
  /** Tasks on which it depends, and which wait for a person. */
  readonly blockers: ReadonlyArray<string>
}

/** A stretch in which a run launched no agent. */
export interface RunWait extends Stretch {
  readonly kind: NonNullable<Run["wait"]>["kind"] | "paused" | "escalated"
  readonly revision: number
}

/** The history of a run as stretches (spec: command-line#timeline). Times are epoch milliseconds. */
export interface RunTimeline {
  readonly from: number
  readonly to: number
  readonly over: boolean
  /** What a reviewer asked about its plan. These are words of others. */
  readonly questions: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<TaskStretch>
  /** The agents of the finishing step. */
  readonly finishing: ReadonlyArray<AgentStretch>
  readonly waits: ReadonlyArray<RunWait>
  /** What its agents used, each at the time of its end. */
  readonly spent: ReadonlyArray<Task["used"] & { readonly at: number }>
  readonly quiet: ReadonlyArray<Quiet>
}

type Recorded = RecordedAs<RunEvent>
type Outcome = Pick<AgentStretch, "outcome" | "words" | "commits">

const outcome = (outcome: AgentOutcome, words: string | null = null, commits: ReadonlyArray<string> = []): Outcome => ({
  outcome,
  words,
  commits
})

/** Returns what an event says of the agent with its token; `undefined`: nothing of its outcome. */
const outcomeOf = (event: RunEvent): Outcome | undefined => {
  switch (event._tag) {
    case "ImplementationCompleted":
      return outcome("done", null, event.commits)
    case "ImplementationBlocked":
      return outcome("blocked", event.message)
    case "ImplementationFailed":
    case "ReviewFailed":
      return outcome("failed", `${event.reason}: ${event.message}`)
    case "PlanQuestioned":
      return event.message === null ? outcome("done") : outcome("failed", event.message)
    case "ReviewApproved":
      return outcome("approved", event.summary)
    case "ReviewRejected":
      return outcome("rejected", event.feedback.summary)
    case "AgentNudged":
      return outcome("unfinished", event.message)
    case "AgentLimited":
    case "AgentReplaced":
      return outcome("limited", event.kind)
    case "AgentNeverRan":
      return outcome("never ran")
    default:
      return undefined
  }
}

/** Returns every agent of a run, in the order in which they were asked for, with its task. */
const agentsOf = (events: ReadonlyArray<Recorded>) => {
  const found: Array<AgentStretch> = []
  for (const { event } of events) {
    if (event._tag === "AgentAsked") {
      const { agent, at, attempt, head, role, standIn, taskId, token } = event
      found.push({
        token,
        role,
        taskId,
        agent: agent ?? standIn ?? null,
        standsIn: standIn !== undefined,
        head,
        attempt,
        from: at,
        to: null,
        outcome: null,
        words: null,
        commits: []
      })
    }
    const end = outcomeOf(event)
    const index = end === undefined || !("token" in event) ? -1 : found.findIndex(({ token }) => token === event.token)
    if (index !== -1) found[index] = { ...found[index]!, ...end, to: event.at }
    // The finishing step has no token in its outcome.
    const last = found.at(-1)
    if (event._tag === "RunFinished" && last?.role === "finisher" && last.to === null)
      found[found.length - 1] = {
        ...last,
        ...outcome(event.finishing === "failed" ? "failed" : "done", event.message),
        to: event.at
      }
  }
  return found
}

const waitOf = (run: Run): RunWait["kind"] | undefined =>
  run.paused !== null ? "paused" : isHeldUp(run) ? "escalated" : (run.wait?.kind ?? undefined)

/** Returns the waits. The fold of the run says when one begins and ends. */
const waitsOf = (events: ReadonlyArray<Recorded>): ReadonlyArray<RunWait> => {
  const found: Array<RunWait> = []
  let run = initialRun
  for (const { event, revision } of events) {
    const before = waitOf(run)
    run = evolveRun(run, event)
    const kind = waitOf(run)
    const running = found.at(-1)
    if (kind !== before && running?.to === null) found[found.length - 1] = { ...running, to: event.at }
    if (kind !== before && kind !== undefined) found.push({ kind, from: event.at, to: null, revision })
  }
  return found
}

/** Returns what the gates said, by the task. */
const verdictsOf = (events: ReadonlyArray<Recorded>): ReadonlyMap<string, ReadonlyArray<GateVerdict>> => {
  const found = new Map<string, Array<GateVerdict>>()
  for (const { event } of events) {
    if (event._tag !== "WorkVerified" && event._tag !== "WorkRefused") continue
    const { at, head, taskId } = event
    const said =
      event._tag === "WorkVerified"
        ? { programs: event.programs, refused: null }
        : { programs: [event.program], refused: { code: event.code } }
    found.set(taskId, [...(found.get(taskId) ?? []), { at, head, ...said }])
  }
  return found
}

const stretchOf = (
  run: Run,
  task: Task,
  agents: ReadonlyArray<AgentStretch>,
  verdicts: ReturnType<typeof verdictsOf>
): TaskStretch => {
  const { completedAt, id, minor, skipped, startedAt, status, title, used, verified, work } = task
  return {
    id,
    title,
    from: startedAt,
    to: completedAt,
    outcome: skipped ? "skipped" : status === "completed" || status === "escalated" ? status : null,
    verified,
    agents: agents.filter(({ taskId }) => taskId === id),
    verdicts: verdicts.get(id) ?? [],
    commits: work.commits,
    minor,
    used,
    blockers: blockers(run, task)
  }
}

/** Returns the timeline of a run from all its events. `now`: epoch milliseconds of the look. */
export const runTimeline = (events: ReadonlyArray<Recorded>, now: number): RunTimeline => {
  const run = events.reduce((state, { event }) => evolveRun(state, event), initialRun)
  const agents = agentsOf(events)
  const verdicts = verdictsOf(events)
  const over = isRunOver(run)
  const last = events.at(-1)?.event.at ?? now
  const to = over ? last : Math.max(now, last)
  return {
    from: events[0]?.event.at ?? now,
    to,
    over,
    questions: run.questions?.list ?? [],
    tasks: run.tasks.map((task) => stretchOf(run, task, agents, verdicts)),
    finishing: agents.filter(({ role }) => role === "finisher"),
    waits: waitsOf(events),
    spent: events.flatMap(({ event }) =>
      event._tag === "AgentSpent" ? [{ at: event.at, tokens: event.tokens, dollars: event.dollars }] : []
    ),
    quiet: quietOf(events, to)
  }
}
