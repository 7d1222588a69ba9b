import { type Assignment, type Run, type Task, taskOf } from "./Run.ts"
import type { AgentAsked } from "./RunEvent.ts"
import { knownSession, type TaskChange } from "./TaskEvolution.ts"

type Asked = typeof AgentAsked.Type

/** Returns the assignment of an agent that is asked for. */
export const askedAssignment = (
  run: Run,
  { agent, at, attempt, choice, head, nudge, resumed, role, sessionId, taskId, token }: Asked
): Assignment => ({
  token,
  role,
  taskId,
  attempt,
  sessionId,
  agent: agent ?? null,
  choice: choice ?? {},
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
export const askedTask = ({ choices }: Task, { attempt, choice, role, sessionId }: Asked): TaskChange => ({
  nudge: null,
  choices: { ...choices, [role]: choice ?? {} },
  ...(role === "implementer" ? { attempts: attempt, implementer: knownSession(sessionId) } : {})
})
