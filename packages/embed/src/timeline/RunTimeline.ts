import type { ModelChoice } from "@souffleur/domain"
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
  /** Its session; `""`: it is not known yet. */
  readonly sessionId: string
  /** The model and the effort of its session. */
  readonly choice: ModelChoice
  readonly outcome: AgentOutcome | null
  /** The summary of a reviewer, or the reason of a failure; `null`: there is none. These are words of others. */
  readonly words: string | null
  /** The commits of an implementation, oldest first. */
  readonly commits: ReadonlyArray<string>
  /** What a review found. These are words of others. */
  readonly findings: Findings
  /** What it used; `null`: it is not told. */
  readonly used: Task["used"] | null
}

/** The findings of a review: those that hold the work up, what to do about them, and those that hold nothing up. */
export interface Findings {
  readonly issues: ReadonlyArray<string>
  readonly suggestions: ReadonlyArray<string>
  readonly minor: ReadonlyArray<string>
}

const noFindings: Findings = { issues: [], suggestions: [], minor: [] }

/** How an agent of a run ended. */
export type AgentOutcome =
  | "done"
  | "blocked"
  | "failed"
  | "approved"
  | "rejected"
  | "unfinished"
  | "limited"
  | "stopped"
  | "never ran"

/** What the gate of a task said of its work at a commit. */
export interface GateVerdict {
  readonly at: number
  readonly head: string
  /** Those that ended with 0, or the one that refused it, as lines. These are a plan's words. */
  readonly programs: ReadonlyArray<string>
  /** How the last program refused it, with the end of its output; `null`: each ended with 0. */
  readonly refused: { readonly code: number | null; readonly said: string } | null
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
type Outcome = Pick<AgentStretch, "outcome" | "words" | "commits" | "findings">

const outcome = (
  outcome: AgentOutcome,
  words: string | null = null,
  { commits = [], ...found }: Partial<Findings> & { readonly commits?: ReadonlyArray<string> } = {}
): Outcome => ({ outcome, words, commits, findings: { ...noFindings, ...found } })

/** Returns what an event says of the agent with its token; `undefined`: nothing of its outcome. */
const outcomeOf = (event: RunEvent): Outcome | undefined => {
  switch (event._tag) {
    case "ImplementationCompleted":
      return outcome("done", null, { commits: event.commits })
    case "ImplementationBlocked":
      return outcome("blocked", event.message)
    case "ImplementationFailed":
    case "ReviewFailed":
      return outcome("failed", `${event.reason}: ${event.message}`)
    case "PlanQuestioned":
      return event.message === null ? outcome("done") : outcome("failed", event.message)
    case "ReviewApproved":
      return outcome("approved", event.summary, { minor: event.minor })
    case "ReviewRejected": {
      const { issues, suggestions, summary } = event.feedback
      return outcome("rejected", summary, { issues, suggestions, minor: event.minor })
    }
    case "AgentNudged":
      return outcome("unfinished", event.message)
    case "AgentLimited":
    case "AgentReplaced":
      return outcome("limited", event.kind)
    case "AgentStopped":
      return outcome("stopped")
    case "AgentNeverRan":
      return outcome("never ran")
    default:
      return undefined
  }
}

/** Returns every agent of a run, in the order in which they were asked for, with its task. */
export const runAgents = (events: ReadonlyArray<Recorded>) => {
  const found: Array<AgentStretch> = []
  const places = new Map<string, number>()
  for (const { event } of events) {
    if (event._tag === "AgentAsked") {
      const { agent, at, attempt, choice = {}, head, role, sessionId, standIn, taskId, token } = event
      found.push({
        token,
        role,
        taskId,
        agent: agent ?? standIn ?? null,
        standsIn: standIn !== undefined,
        head,
        attempt,
        sessionId,
        choice,
        from: at,
        to: null,
        outcome: null,
        words: null,
        commits: [],
        findings: noFindings,
        used: null
      })
      if (!places.has(token)) places.set(token, found.length - 1)
    }
    // The finishing step has no token in its outcome.
    const last = found.at(-1)
    if (event._tag === "RunFinished" && last?.role === "finisher" && last.to === null)
      found[found.length - 1] = {
        ...last,
        ...outcome(event.finishing === "failed" ? "failed" : "done", event.message),
        to: event.at
      }
    const index = "token" in event ? places.get(event.token) : undefined
    const one = index === undefined ? undefined : found[index]
    if (index === undefined || one === undefined) continue
    const end = outcomeOf(event)
    if (end !== undefined) found[index] = { ...one, ...end, to: event.at }
    if (event._tag === "AgentSessionFound") found[index] = { ...one, sessionId: event.sessionId }
    if (event._tag === "AgentSpent") {
      const { dollars, tokens } = event
      found[index] = { ...one, used: { dollars, tokens } }
    }
  }
  return found
}

const waitOf = (run: Run): RunWait["kind"] | undefined =>
  run.paused !== null ? "paused" : isHeldUp(run) ? "escalated" : (run.wait?.kind ?? undefined)

/** Returns the run and its waits. The fold of the run says when one begins and ends. */
const waitsOf = (events: ReadonlyArray<Recorded>): readonly [Run, ReadonlyArray<RunWait>] => {
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
  return [run, found]
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
        : { programs: [event.program], refused: { code: event.code, said: event.said } }
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
  const [run, waits] = waitsOf(events)
  const agents = runAgents(events)
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
    waits,
    spent: events.flatMap(({ event }) =>
      event._tag === "AgentSpent" ? [{ at: event.at, tokens: event.tokens, dollars: event.dollars }] : []
    ),
    quiet: quietOf(events, to)
  }
}
