import { Bounds } from "@souffleur/domain"
import { type Assignment, assignmentOf, type Run, type Task, taskOf } from "./Run.ts"
import type { AgentAsked, RunEvent } from "./RunEvent.ts"
import { knownSession, type RunChange, type TaskChange, untried, withTask } from "./TaskEvolution.ts"

type Asked = typeof AgentAsked.Type

/** Returns the assignment of an agent that is asked for. */
export const askedAssignment = (
  run: Run,
  { agent, at, attempt, choice, head, nudge, resumed, role, sessionId, standIn, taskId, token }: Asked
): Assignment => ({
  token,
  role,
  taskId,
  attempt,
  sessionId,
  agent: agent ?? standIn ?? null,
  choice: { ...choice, ...(standIn === undefined ? {} : { standIn }) },
  resumed,
  nudge,
  died: nudge === null ? null : (taskOf(run, taskId)?.nudge?.died ?? null),
  head,
  askedAt: at,
  fence: run.fence,
  word: null,
  launch: null,
  ending: null
})

/** Returns what changes in a task whose agent is asked for. */
export const askedTask = ({ choices }: Task, { attempt, choice, role, sessionId, standIn }: Asked): TaskChange => ({
  nudge: null,
  choices: { ...choices, [role]: { ...choice, ...(standIn === undefined ? {} : { standIn }) } },
  ...(role === "implementer" ? { attempts: attempt, implementer: knownSession(sessionId) } : {})
})

/** Returns what changes where the service refuses the agent at work, and another is asked in its place. */
export const replaced = (
  run: Run,
  { agent, at: since, by, kind, role, token, until }: Extract<RunEvent, { readonly _tag: "AgentReplaced" }>
): RunChange => {
  const assignment = assignmentOf(run, token)
  return {
    away: { ...run.away, [role]: { kind, agent, by, since, until: Bounds.waitUntil(since, until) } },
    ...(assignment === undefined
      ? {}
      : withTask(run, assignment.taskId, () => untried({ ...assignment, resumed: true })))
  }
}

/**
 * Returns what changes where an agent answered: the service refuses it no more. One that was asked before the refusal
 * does not show that.
 */
export const served = (run: Run, { token }: { readonly token: string }): RunChange => {
  const { choice, askedAt = 0, role: own } = assignmentOf(run, token) ?? {}
  return choice === undefined || choice.standIn !== undefined
    ? {}
    : {
        away: Object.fromEntries(
          Object.entries(run.away).filter(([role, { since }]) => role !== own || askedAt < since)
        )
      }
}

/**
 * Returns an assignment that the service refused as what it leaves behind: its session goes on. That of a fallback
 * does not where the chosen agent answers first.
 */
export const refusedAssignment = ({ away }: Run, assignment: Assignment, until: number): Assignment => {
  const { choice, role } = assignment
  const isOver = role !== "finisher" && choice.standIn !== undefined && until >= (away[role]?.until ?? until)
  return isOver ? { ...assignment, nudge: null, resumed: false } : { ...assignment, resumed: true }
}
