import type { Assignment, Run, Task } from "../run/Run.ts"
import type { AgentAsked, AgentRole, RefusalKind, RoleChoice } from "../run/RunEvent.ts"
import { roleChoice } from "../tasks/PlanAgents.ts"

type Chosen = Pick<typeof AgentAsked.Type, "agent" | "choice" | "insteadOf" | "standIn">

/**
 * Returns the agent, the model and the effort with which a session begins. An implementer has the next of its models
 * for each fresh one after a second rejection, until the last (spec: behaviour#agents-of-a-plan).
 */
export const freshChoice = (
  { agent, effort, models }: RoleChoice = { models: [] },
  task?: Task,
  role?: AgentRole
): Chosen => {
  const { choices, climbed } = role === "implementer" && task !== undefined ? task : { choices: undefined, climbed: 0 }
  const model = models.at(Math.min(climbed, models.length - 1))
  const before = climbed === 0 ? undefined : choices?.implementer.model
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined && effort === undefined
      ? {}
      : { choice: { ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) } }),
    ...(before === undefined || model === undefined || model === before ? {} : { insteadOf: before })
  }
}

/** Returns the model and the effort with which the newest session of a role goes on, by the agent that began it. */
export const keptChoice = ({ choices }: Task, role: "implementer" | "reviewer"): Chosen => {
  const { standIn, ...choice } = choices[role]
  return {
    ...(choice.model === undefined && choice.effort === undefined ? {} : { choice }),
    ...(standIn === undefined ? {} : { standIn })
  }
}

/** Returns the agent that is asked for a role now: its fallback, as long as the service refuses the chosen one. */
export const choiceNow = (
  { away }: Pick<Run, "away">,
  choice: RoleChoice,
  role: AgentRole,
  now: number
): { readonly choice: RoleChoice; readonly standsIn?: true } => {
  const { fallback } = choice
  const refused = role === "finisher" ? undefined : away[role]
  if (fallback === undefined || refused === undefined || now >= refused.until) return { choice }
  const { agent, model } = fallback
  return { choice: { agent, models: model === undefined ? [] : [model] }, standsIn: true }
}

/** Returns the fallback that is asked in place of a refused agent; `undefined`: the agent is waited for. */
export const standInFor = ({ agreed, chosen }: Run, { choice, role }: Assignment, kind: RefusalKind | "outage") =>
  kind === "outage" || choice.standIn !== undefined ? undefined : roleChoice(chosen, agreed.agents, role).fallback
